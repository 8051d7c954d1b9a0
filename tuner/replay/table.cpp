#include "tuner/replay/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

constexpr std::size_t kTextLimit = std::size_t{256} << 20;

Value normal_value(const json& value) {
    // 8 and 8.0 are the same setting, whoever wrote the file.
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (number == std::floor(number) && std::abs(number) < 9e15) return static_cast<std::int64_t>(number);
    }
    return value_from_json(value);
}

bool is_text(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string();
}

class Reader {
  public:
    Reader(std::string file, ReplayTableOptions options) : options_(std::move(options)) {
        table_.file = std::move(file);
    }

    Result<ReplayTable> read(std::string_view text) {
        if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
        if (const auto start = text.find_first_not_of(" \t\r\n"); start != text.npos && text[start] == '[') {
            FSADVISE_TRY(array(text));
        } else {
            FSADVISE_TRY(lines(text));
        }
        return finish();
    }

  private:
    std::string here() const { return table_.file + ":" + std::to_string(line_); }
    tl::unexpected<Error> refuse(std::string what, std::string hint = {}) const {
        return fail(ErrorCode::kBadInput, std::move(what), here(), std::move(hint));
    }

    Result<void> array(std::string_view text) {
        const json all = json::parse(text, nullptr, false);
        line_ = 1;
        if (!all.is_array()) return refuse("no JSON array", "write one object a line");
        for (const json& element : all) {
            FSADVISE_TRY(entry(element));
            ++line_;
        }
        return {};
    }

    Result<void> lines(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find('\n');
            const std::string_view line = trim(text.substr(0, end));
            text.remove_prefix(end == text.npos ? text.size() : end + 1);
            ++line_;
            if (line.empty()) continue;
            const json element = json::parse(line, nullptr, false);
            if (element.is_discarded()) {
                const bool not_a_number = line.find("NaN") != line.npos || line.find("Infinity") != line.npos;
                return refuse(
                    not_a_number ? "NaN and Infinity are no measurements" : "no JSON, or a line cut short",
                    not_a_number ? "leave the row out, or give it \"state\": \"failed\""
                                 : "one object a line; see docs/replay-table.md");
            }
            FSADVISE_TRY(entry(element));
        }
        return {};
    }

    Result<void> entry(const json& object) {
        if (!object.is_object()) return refuse("an object is expected", "see docs/replay-table.md");
        const bool first = !seen_;
        seen_ = true;
        if (const auto header = object.find("replay_table"); header != object.end()) {
            if (!first) return refuse("the header must be the first line", "one table a file");
            return read_header(*header);
        }
        return measurement(object);
    }

    Result<void> read_header(const json& header) {
        if (!header.is_object()) return refuse("the header must be an object");
        const auto version = header.find("schema_version");
        if (version == header.end() || !version->is_number_integer()) {
            return refuse("the header has no schema_version", "this program reads version 1");
        }
        if (*version != kReplayTableSchemaVersion) {
            return refuse("schema version " + version->dump() + " is not known",
                          "this program reads version 1; use a newer fsadvise");
        }
        for (const auto& [key, member] : {std::pair{"name", &table_.name},
                                          {"workload", &table_.workload},
                                          {"media", &table_.media},
                                          {"metric", &table_.metric}}) {
            if (header.contains(key) && !is_text(header, key))
                return refuse("'" + std::string(key) + "' must be a word");
            if (is_text(header, key)) *member = header[key].get<std::string>();
        }
        if (const auto anchor = header.find("anchor"); anchor != header.end() && !anchor->is_null()) {
            FSADVISE_ASSIGN(table_.anchor, configuration(*anchor));
        }
        if (const auto metrics = header.find("metrics"); metrics != header.end()) {
            if (!metrics->is_object()) return refuse("'metrics' must be an object");
            for (const auto& [name, description] : metrics->items()) {
                if (!description.is_object() || !is_text(description, "direction")) continue;
                const std::string direction = description["direction"];
                if (direction != "maximize" && direction != "minimize") {
                    return refuse("direction '" + direction + "' of metric '" + name + "' is not known",
                                  "maximize or minimize");
                }
                minimized_[name] = direction == "minimize";
            }
        }
        return {};
    }

    Result<Configuration> configuration(const json& given) const {
        if (!given.is_object()) return refuse("the configuration must be an object");
        Configuration result;
        const bool nested = given.contains("values") && given["values"].is_object();
        const json& values = nested ? given["values"] : given;
        if (is_text(given, "filesystem")) result.filesystem = given["filesystem"];
        for (const auto& [id, value] : values.items()) {
            if (id == "filesystem" || (id == "fs" && value.is_string())) {
                if (result.filesystem.empty() && value.is_string()) result.filesystem = value;
                continue;
            }
            if (!value.is_boolean() && !value.is_number() && !value.is_string()) {
                return refuse("'" + printable(id) + "' has no number, word or boolean as its value",
                              value.is_null() ? "a parameter at its default is left out" : "");
            }
            result.values[id] = normal_value(value);
        }
        if (result.filesystem.empty()) {
            std::set<std::string> names;
            for (const auto& [id, value] : result.values) {
                if (const auto dot = id.find('.'); dot != id.npos && dot > 0) names.insert(id.substr(0, dot));
            }
            if (names.size() > 1) {
                return refuse("parameters of several filesystems and no word which it is: " + *names.begin() +
                                  ", " + *std::next(names.begin()),
                              "add \"filesystem\"");
            }
            // Foreign spaces know no filesystem: all rows are of one kind.
            result.filesystem = names.empty() ? "any" : *names.begin();
        }
        return result;
    }

    Result<void> choose_metric(const json& metrics) {
        if (!options_.metric.empty()) table_.metric = options_.metric;
        if (table_.metric.empty()) {
            if (metrics.contains("log_ratio")) {
                table_.metric = "log_ratio";
            } else {
                std::vector<std::string> names;
                for (const auto& [name, value] : metrics.items()) {
                    if (name != "deviation") names.push_back(name);
                }
                if (names.size() != 1)
                    return refuse("several metrics, and no word which counts: " + join(names, ", "),
                                  "add --metric NAME");
                table_.metric = names.front();
            }
        }
        table_.is_log_ratio = table_.metric == "log_ratio";
        table_.minimize = options_.minimize || (!table_.is_log_ratio && minimized_[table_.metric]);
        return {};
    }

    Result<double> number(const json& metrics, const std::string& name) const {
        const auto found = metrics.find(name);
        if (found == metrics.end()) {
            std::vector<std::string> names;
            for (const auto& [other, value] : metrics.items()) names.push_back(other);
            return refuse("no metric '" + printable(name) + "'" + did_you_mean(name, names),
                          "a row that has none must have \"state\": \"failed\"");
        }
        if (!found->is_number())
            return refuse("metric '" + name + "' is " + (found->is_null() ? "empty" : "no number"));
        const double value = found->get<double>();
        if (!std::isfinite(value)) return refuse("metric '" + name + "' is not finite");
        return value;
    }

    Result<void> measurement(const json& object) {
        for (const auto& [key, value] : object.items()) known_key(key);
        const auto given = object.find("configuration");
        if (given == object.end())
            return refuse("no configuration" + near_key("configuration"), "see docs/replay-table.md");
        FSADVISE_ASSIGN(Configuration made, configuration(*given));
        ReplayRepeat repeat;
        const std::string name = canonical_text(made);
        const auto [place, fresh] = index_.emplace(name, table_.rows.size());
        if (fresh) table_.rows.push_back({std::move(made), {}, {}});
        ReplayRow& row = table_.rows[place->second];
        repeat.repeat = static_cast<int>(row.repeats.size());
        if (const auto told = object.find("repeat"); told != object.end()) {
            if (!told->is_number_integer() || *told < 0 || *told > 1'000'000)
                return refuse("'repeat' must be a whole number from 0");
            repeat.repeat = told->get<int>();
        }
        if (!repeats_.emplace(name, repeat.repeat).second) {
            return refuse(
                "repeat " + std::to_string(repeat.repeat) + " of " + printable(name) + " is there twice",
                "number the repeats of a configuration apart");
        }
        std::string state = "complete";
        if (object.contains("state")) {
            if (!is_text(object, "state")) return refuse("'state' must be a word", "complete or failed");
            state = object["state"];
        }
        if (state != "complete" && state != "failed")
            return refuse("state '" + printable(state) + "' is not known", "complete or failed");
        repeat.failed = state == "failed";
        if (is_text(object, "reason")) repeat.reason = object["reason"];
        ++table_.measurements;
        if (repeat.failed) {
            ++table_.failed;
        } else {
            const auto metrics = object.find("metrics");
            if (metrics == object.end() || !metrics->is_object() || metrics->empty()) {
                return refuse("no metrics", "a row that has none must have \"state\": \"failed\"");
            }
            if (!chosen_) FSADVISE_TRY(choose_metric(*metrics));
            chosen_ = true;
            FSADVISE_ASSIGN(double value, number(*metrics, table_.metric));
            if (!table_.is_log_ratio) {
                if (value <= 0)
                    return refuse("metric '" + table_.metric + "' must be above 0 to be compared by ratios");
                value = std::log(value);
            } else if (metrics->contains("deviation")) {
                FSADVISE_ASSIGN(repeat.deviation, number(*metrics, "deviation"));
                if (repeat.deviation < 0) return refuse("a deviation below 0");
            }
            repeat.value = table_.minimize ? -value : value;
        }
        row.repeats.push_back(std::move(repeat));
        return {};
    }

    void known_key(const std::string& key) { last_keys_.insert(key); }
    std::string near_key(const std::string& key) const {
        return did_you_mean(key, std::vector<std::string>(last_keys_.begin(), last_keys_.end()));
    }

    Result<ReplayTable> finish() {
        const auto whole = [&](const std::string& what, const std::string& hint) {
            return fail(ErrorCode::kBadInput, what, table_.file, hint);
        };
        if (table_.measurements == 0)
            return whole("the table holds no measurement", "see docs/replay-table.md");
        if (table_.failed == table_.measurements)
            return whole("every row of the table failed", "there is nothing to search");
        if (table_.rows.size() < 2)
            return whole("the table holds a single configuration", "there is nothing to search");
        std::size_t most = 0;
        for (ReplayRow& row : table_.rows) {
            std::sort(row.repeats.begin(), row.repeats.end(),
                      [](const auto& a, const auto& b) { return a.repeat < b.repeat; });
            std::vector<double> values;
            for (const ReplayRepeat& repeat : row.repeats) {
                if (!repeat.failed) values.push_back(repeat.value);
            }
            most = std::max(most, values.size());
            if (values.empty()) continue;
            std::sort(values.begin(), values.end());
            const std::size_t half = values.size() / 2;
            row.truth = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
        }
        for (const ReplayRow& row : table_.rows) {
            const auto complete = static_cast<std::size_t>(std::count_if(
                row.repeats.begin(), row.repeats.end(), [](const auto& repeat) { return !repeat.failed; }));
            if (complete == 0)
                ++table_.unmeasured;
            else if (complete < most)
                ++table_.uneven;
        }
        return std::move(table_);
    }

    ReplayTableOptions options_;
    ReplayTable table_;
    int line_ = 0;
    bool seen_ = false, chosen_ = false;
    std::map<std::string, bool> minimized_;
    std::map<std::string, std::size_t> index_;
    std::set<std::pair<std::string, int>> repeats_;
    std::set<std::string> last_keys_;
};

}  // namespace

double ReplayTable::best() const {
    double best = -1e300;
    for (const ReplayRow& row : rows) best = std::max(best, row.truth.value_or(-1e300));
    return best;
}

std::optional<std::size_t> ReplayTable::find(const Configuration& configuration) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].configuration == configuration) return i;
    }
    return std::nullopt;
}

Result<ReplayTable> parse_replay_table(std::string_view text, const std::string& file,
                                       const ReplayTableOptions& options) {
    return Reader(file, options).read(text);
}

Result<ReplayTable> read_replay_table(const std::string& file, const ReplayTableOptions& options) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return fail(ErrorCode::kBadInput, "cannot be read", file,
                    "name a replay table, see docs/replay-table.md");
    std::string text;
    std::array<char, 65536> block{};
    while (stream.read(block.data(), block.size()) || stream.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > kTextLimit)
            return fail(ErrorCode::kBadInput, "the table is larger than 256 MiB", file);
    }
    return parse_replay_table(text, file, options);
}

}  // namespace fsadvise::tuner
