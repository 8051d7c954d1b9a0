#include "tuner/replay/serve.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

constexpr std::size_t kLineLimit = std::size_t{1} << 20;
const std::vector<std::string> kRequests = {"space", "run", "ask", "best", "score", "trials", "stop"};

class Server {
  public:
    Server(const ReplayTable& table, Sampler& ours, const ServeOptions& options)
        : table_(table),
          ours_(ours),
          options_(options),
          oracle_(table, options.seed, options.added_noise),
          pool_(pool_of(table)),
          random_(options.seed) {}

    json hello() const {
        return {{"serve", 1},
                {"target", "replay"},
                {"table", table_.name.empty() ? table_.file : table_.name},
                {"configurations", table_.rows.size()},
                {"metric", table_.metric},
                {"maximize", true},
                {"requests", kRequests}};
    }

    json answer(const std::string& line) {
        if (line.size() > kLineLimit) return refuse("the line is longer than 1 MiB");
        const json request = json::parse(line, nullptr, false);
        if (request.is_discarded() || !request.is_object())
            return refuse("no JSON object on this line", "one request a line");
        const auto op = request.find("request");
        if (op == request.end() || !op->is_string()) return refuse("no 'request'", join(kRequests, ", "));
        const std::string name = *op;
        if (name == "space") return space();
        if (name == "run") return run(request);
        if (name == "ask") return ask();
        if (name == "best") return best();
        if (name == "score") return score(request);
        if (name == "trials") return {{"trials", summary.trials}};
        if (name == "stop") {
            stopped = true;
            return {{"stopped", true}, {"trials", summary.trials}};
        }
        return refuse("unknown request '" + printable(name) + "'" + did_you_mean(name, kRequests),
                      join(kRequests, ", "));
    }

    bool stopped = false;
    ServeSummary summary;

  private:
    json refuse(const std::string& what, const std::string& hint = {}) {
        ++summary.refused;
        json answer = {{"error", what}};
        if (!hint.empty()) answer["hint"] = hint;
        return answer;
    }

    // One choice of the filesystem, and of each filesystem the parameters; null = not set.
    json space() const {
        const auto& columns = pool_->columns();
        json filesystems = json::object();
        for (std::size_t f = 0; f < columns[0].levels; ++f) {
            json parameters = json::object();
            for (std::size_t c = 1; c < columns.size(); ++c) {
                if (!pool_->active(c, static_cast<int>(f))) continue;
                json values = json::array();
                for (std::size_t level = 0; level < columns[c].levels; ++level)
                    values.push_back(value_at(c, level));
                parameters[columns[c].name] = std::move(values);
            }
            filesystems[pool_->level_name(0, static_cast<int>(f))] = std::move(parameters);
        }
        return {{"filesystems", std::move(filesystems)}};
    }
    json value_at(std::size_t column, std::size_t level) const {
        const std::string name = pool_->level_name(column, static_cast<int>(level));
        if (name.empty()) return nullptr;
        for (const ReplayRow& row : table_.rows) {
            const auto set = row.configuration.values.find(pool_->columns()[column].name);
            if (set != row.configuration.values.end() && set->first + "=" + to_text(set->second) == name)
                return fsadvise::to_json(set->second);
        }
        return nullptr;
    }

    Result<Configuration> configuration(const json& request) const {
        const auto given = request.find("configuration");
        const auto bad = [](const std::string& what) { return fail(ErrorCode::kBadInput, what); };
        if (given == request.end() || !given->is_object()) return bad("no 'configuration'");
        const auto filesystem = given->find("filesystem");
        if (filesystem == given->end() || !filesystem->is_string())
            return bad("the configuration names no filesystem");
        Configuration made{*filesystem, {}};
        const auto values = given->find("values");
        if (values == given->end()) return made;
        if (!values->is_object()) return bad("'values' must be an object");
        for (const auto& [id, value] : values->items()) {
            if (value.is_null()) continue;
            if (!value.is_boolean() && !value.is_number() && !value.is_string())
                return bad("'" + printable(id) + "' has no number, word or boolean");
            made.values[id] = value_from_json(value);
        }
        return made;
    }

    json run(const json& request) {
        const auto given = configuration(request);
        if (!given)
            return refuse(
                given.error().message,
                "{\"request\": \"run\", \"configuration\": {\"filesystem\": ..., \"values\": {...}}}");
        if (options_.trials > 0 && summary.trials >= options_.trials) {
            return refuse(std::to_string(options_.trials) + " trials are done",
                          "ask for 'best', then 'stop'");
        }
        Configuration chosen = *given;
        if (!table_.find(chosen)) {
            const auto nearest = request.find("nearest");
            if (nearest == request.end() || *nearest != true) {
                return refuse("the table has no " + printable(canonical_text(chosen)),
                              "add \"nearest\": true to run the row that differs least");
            }
            const auto near = pool_->near(pool_->point(chosen), random_);
            if (!near) return refuse("the table has no row of " + printable(chosen.filesystem));
            chosen = *near;
        }
        const ReplayRepeat* repeat = oracle_.measure(chosen);
        Trial trial;
        trial.number = summary.trials++;
        trial.configuration = chosen;
        trial.origin = "external";
        trial.state = repeat->failed ? "failed" : "complete";
        trial.reason = repeat->reason;
        json answer = {{"trial", trial.number}, {"state", trial.state}, {"configuration", to_json(chosen)}};
        if (repeat->failed) {
            ++summary.failed;
            answer["reason"] = repeat->reason;
        } else {
            answer["value"] = repeat->value;
            if (repeat->deviation > 0) answer["deviation"] = repeat->deviation;
            trial.measurements.push_back({0, "search", repeat->value, repeat->deviation, "{}", "{}"});
        }
        trials_.push_back(std::move(trial));
        return answer;
    }

    json ask() {
        const auto proposals = ours_.ask(trials_, 1);
        if (proposals.empty()) return {{"configuration", nullptr}, {"stopped", ours_.stopped()}};
        return {{"configuration", to_json(proposals.front().configuration)},
                {"origin", proposals.front().origin}};
    }
    json best() {
        const auto found = ours_.recommend(trials_);
        if (!found) return {{"configuration", nullptr}};
        return {{"configuration", to_json(found->configuration)},
                {"expected", found->expected},
                {"regret", regret_of(table_, found->configuration)}};
    }
    json score(const json& request) {
        const auto given = configuration(request);
        if (!given) return refuse(given.error().message);
        if (!table_.find(*given)) return refuse("the table has no " + printable(canonical_text(*given)));
        return {{"regret", regret_of(table_, *given)}};
    }

    const ReplayTable& table_;
    Sampler& ours_;
    ServeOptions options_;
    TableOracle oracle_;
    std::shared_ptr<const Pool> pool_;
    std::mt19937_64 random_;
    std::vector<Trial> trials_;
};

}  // namespace

Result<ServeSummary> serve_replay(const ReplayTable& table, Sampler& ours, const ServeOptions& options,
                                  LineChannel& channel) {
    Server server(table, ours, options);
    FSADVISE_TRY(channel.write(server.hello().dump()));
    std::string line;
    while (!server.stopped && channel.read(line)) {
        if (trim(line).empty()) continue;
        FSADVISE_TRY(channel.write(server.answer(line).dump(-1, ' ', false, json::error_handler_t::replace)));
    }
    return server.summary;
}

}  // namespace fsadvise::tuner
