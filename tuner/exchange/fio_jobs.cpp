#include "tuner/exchange/fio_jobs.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kLargestFile = 16u << 20;
constexpr std::size_t kLongestLine = 4096;  // fio's own limit of a line
constexpr int kDeepestInclude = 16;
constexpr std::size_t kMostJobs = 4096;

Result<void> append_file(FioText& all, const std::string& path, int depth) {
    if (depth > kDeepestInclude) {
        return fail(ErrorCode::kBadInput, "includes nest too deep, or in a circle", path,
                    "remove the include");
    }
    FSADVISE_ASSIGN(const std::string text, read_file(path, kLargestFile));
    if (text.find('\0') != std::string::npos)
        return fail(ErrorCode::kBadInput, "is binary, no job file", path);
    int number = 0;
    for (const auto& line : split(text, '\n')) {
        ++number;
        const std::string place = path + ":" + std::to_string(number);
        if (line.size() > kLongestLine) {
            return fail(ErrorCode::kBadInput, "the line is longer than the 4096 characters that fio reads",
                        place);
        }
        const auto content = trim(line);
        if (content.starts_with("include ")) {
            const std::filesystem::path name(trim(content.substr(8)));
            const auto file = name.is_absolute() ? name : std::filesystem::path(path).parent_path() / name;
            FSADVISE_TRY(append_file(all, file.string(), depth + 1));
            continue;
        }
        if (all.text.size() + line.size() > kLargestFile) {
            return fail(ErrorCode::kBadInput, "with its includes the job file is larger than 16 MiB", place);
        }
        all.text += line + "\n";
        all.lines.push_back({path, number});
    }
    return {};
}

// ${NAME} of the environment, as fio does it.
Result<std::string> expand(const std::string& value, const std::string& place) {
    std::string result;
    for (std::size_t i = 0; i < value.size();) {
        if (value.compare(i, 2, "${") != 0) {
            result += value[i++];
            continue;
        }
        const auto end = value.find('}', i);
        if (end == std::string::npos) return fail(ErrorCode::kBadInput, "'${' without '}'", place);
        const std::string name = value.substr(i + 2, end - i - 2);
        const char* found = std::getenv(name.c_str());
        if (found == nullptr) {
            return fail(ErrorCode::kBadInput, "the environment has no variable '" + printable(name) + "'",
                        place, "set it as for fio");
        }
        result += found;
        i = end + 1;
    }
    for (const char* keyword : {"$pagesize", "$mb_memory", "$ncpus"}) {
        if (result.find(keyword) != std::string::npos) {
            return fail(ErrorCode::kBadInput, std::string(keyword) + " is of the machine that runs fio",
                        place, "write the number");
        }
    }
    return result;
}

Result<std::uint64_t> scaled(std::string_view text, bool decimal) {
    const auto bad = [&] {
        return fail(ErrorCode::kBadInput, "'" + printable(text) + "' is not a number of fio", {},
                    "write for example 4k or 1g");
    };
    std::string_view rest = trim(text);
    if (rest.starts_with("0x") || rest.starts_with("0X")) {
        std::uint64_t value = 0;
        const auto [end, code] = std::from_chars(rest.data() + 2, rest.data() + rest.size(), value, 16);
        if (code != std::errc{} || end != rest.data() + rest.size()) return bad();
        return value;
    }
    double value = 0;
    const auto [end, code] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value, std::chars_format::fixed);
    if (code != std::errc{} || value < 0 || !std::isfinite(value)) return bad();
    std::string suffix = lower(trim(rest.substr(static_cast<std::size_t>(end - rest.data()))));
    if (suffix.ends_with('b')) suffix.pop_back();
    if (!suffix.empty()) {
        const auto power = std::string_view("kmgtp").find(suffix.front());
        const bool marked = suffix.size() == 2 && suffix[1] == 'i';
        if (power == std::string_view::npos || (suffix.size() > 1 && !marked)) return bad();
        // With kb_base=1024 the prefixes are the opposite of the standards: k is 1024, ki is 1000.
        value *= std::pow(marked == decimal ? 1024.0 : 1000.0, static_cast<double>(power + 1));
    }
    if (value >= 9.2e18) return bad();
    return static_cast<std::uint64_t>(std::llround(value));
}

}  // namespace

std::string FioText::place(int line) const {
    const auto index = static_cast<std::size_t>(std::max(line, 1)) - 1;
    if (index >= lines.size()) return lines.empty() ? std::string() : lines.front().file;
    return lines[index].file + ":" + std::to_string(lines[index].line);
}

Result<FioText> read_fio_text(const std::string& path) {
    FioText text;
    FSADVISE_TRY(append_file(text, path, 0));
    return text;
}

const IniEntry* FioJob::find(std::initializer_list<std::string_view> keys) const {
    const auto found = std::find_if(
        section_.entries.rbegin(), section_.entries.rend(),
        [&](const IniEntry& entry) { return std::find(keys.begin(), keys.end(), entry.key) != keys.end(); });
    return found == section_.entries.rend() ? nullptr : &*found;
}

std::string FioJob::text(std::initializer_list<std::string_view> keys, const std::string& usual) const {
    const auto* entry = find(keys);
    return entry == nullptr ? usual : entry->value;
}

Result<bool> FioJob::flag(std::initializer_list<std::string_view> keys, bool usual) const {
    const auto* entry = find(keys);
    if (entry == nullptr) return usual;
    if (entry->value.empty() || entry->value == "1" || entry->value == "true") return true;
    if (entry->value == "0" || entry->value == "false") return false;
    return fail(ErrorCode::kBadInput, entry->key + "=" + printable(entry->value) + " is neither 0 nor 1",
                place(*entry));
}

Result<std::uint64_t> FioJob::size(const IniEntry& entry, std::string_view value) const {
    auto parsed = scaled(value, section_.value("kb_base") == "1000");
    if (!parsed) {
        Error error = parsed.error();
        error.context = place(entry);
        error.message = entry.key + ": " + error.message;
        return tl::unexpected(std::move(error));
    }
    return parsed;
}

Result<std::uint64_t> FioJob::number(std::initializer_list<std::string_view> keys,
                                     std::uint64_t usual) const {
    const auto* entry = find(keys);
    if (entry == nullptr) return usual;
    return size(*entry, entry->value);
}

Result<double> FioJob::real(std::initializer_list<std::string_view> keys, double usual) const {
    const auto* entry = find(keys);
    if (entry == nullptr) return usual;
    double value = 0;
    const std::string_view text = entry->value;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        return fail(ErrorCode::kBadInput, entry->key + "=" + printable(text) + " is not a number",
                    place(*entry));
    }
    return value;
}

Result<std::pair<std::uint64_t, std::uint64_t>> FioJob::two(std::initializer_list<std::string_view> keys,
                                                            std::uint64_t usual) const {
    const auto* entry = find(keys);
    if (entry == nullptr) return std::pair{usual, usual};
    const auto parts = split(entry->value, ',');
    std::pair<std::uint64_t, std::uint64_t> values{usual, usual};
    if (!trim(parts[0]).empty()) {
        FSADVISE_ASSIGN(values.first, size(*entry, parts[0]));
        values.second = values.first;
    }
    if (parts.size() > 1 && !trim(parts[1]).empty()) {
        FSADVISE_ASSIGN(values.second, size(*entry, parts[1]));
    }
    return values;
}

Result<std::vector<FioJob>> read_fio_jobs(const FioText& text) {
    std::vector<FioJob> jobs;
    std::vector<IniEntry> global;
    for (IniSection& section : split_ini(text.text, 1, false)) {
        for (IniEntry& entry : section.entries) {
            FSADVISE_ASSIGN(entry.value, expand(entry.value, text.place(entry.line)));
        }
        if (section.name.empty()) {
            return fail(ErrorCode::kBadInput, "settings before the first [section]", text.place(section.line),
                        "put them below [global]");
        }
        if (section.name == "global") {
            global.insert(global.end(), section.entries.begin(), section.entries.end());
            continue;
        }
        if (jobs.size() == kMostJobs) {
            return fail(ErrorCode::kBadInput, "more than 4096 jobs", text.place(section.line));
        }
        section.entries.insert(section.entries.begin(), global.begin(), global.end());
        jobs.emplace_back(std::move(section), text);
    }
    if (jobs.empty()) {
        return fail(ErrorCode::kBadInput, "there is no job section", text.place(1),
                    "a job is a [section] besides [global]");
    }
    return jobs;
}

std::optional<std::uint64_t> fio_time_ns(std::string_view text, const char* bare_unit) {
    const std::string value(trim(text));
    const bool bare = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    std::string spelled = bare ? value + bare_unit : value;
    if (spelled.ends_with("sec")) spelled.resize(spelled.size() - 2);  // msec, usec
    const auto parsed = parse_duration_ns(spelled);
    if (!parsed || *parsed < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*parsed);
}

}  // namespace fsadvise::tuner
