#include "tuner/record/grid_file.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/text.h"
#include "space/configuration.h"

namespace fsadvise::tuner {

using nlohmann::json;

std::optional<std::string> row_configuration(const json& row) {
    const auto found = row.find("configuration");
    if (found == row.end() || !found->is_object() || !found->value("filesystem", json()).is_string())
        return std::nullopt;
    Configuration configuration{found->at("filesystem").get<std::string>(), {}};
    const json values = found->value("values", json::object());
    if (!values.is_object()) return std::nullopt;
    for (const auto& [id, value] : values.items()) {
        if (!value.is_boolean() && !value.is_number() && !value.is_string()) return std::nullopt;
        configuration.values[id] = value_from_json(value);
    }
    return canonical_text(configuration);
}

Result<GridFile> GridFile::open(const std::string& path, const json& header,
                                const std::vector<std::string>& same) {
    FSADVISE_ASSIGN(Fd file, Fd::open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0644));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::kUnavailable, "another run is writing this table", path,
                    "wait for it, or stop it");
    }
    FSADVISE_ASSIGN(const std::string text, read_file(path));
    GridFile grid(std::move(file), path);
    // What follows the last line end was cut off in the middle of its write.
    const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    if (whole == 0 && !text.empty() && !text.starts_with("{\"replay_table\"")) {
        return fail(ErrorCode::kBadInput, "exists and is no replay table", path,
                    "name a file that does not exist");
    }
    if (whole > 0) FSADVISE_TRY(grid.load(text.substr(0, whole), header, same));
    if (whole < text.size() && ::ftruncate(grid.file_.get(), static_cast<off_t>(whole)) != 0) {
        return fail(ErrorCode::kRunFailed, "cannot cut off a torn line: " + errno_text(errno), path);
    }
    if (whole == 0) FSADVISE_TRY(grid.write_line(header.dump()));
    return grid;
}

Result<void> GridFile::load(const std::string& text, const json& header,
                            const std::vector<std::string>& same) {
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
        if (++number > 1 && trim(line).empty()) continue;
        const json row = json::parse(line, nullptr, false);
        const std::string where = fmt::format("{}:{}", path_, number);
        if (number == 1) {
            if (!row.is_object() || !row.contains("replay_table") || !row.at("replay_table").is_object()) {
                return fail(ErrorCode::kBadInput, "exists and is no replay table", path_,
                            "name a file that does not exist");
            }
            const json& there = row.at("replay_table");
            const json& here = header.at("replay_table");
            for (const std::string& key : same) {
                const json recorded = there.value(key, json());
                if (recorded == here.value(key, json())) continue;
                return fail(ErrorCode::kUsage,
                            fmt::format("the table was recorded with {} {}, not {}", key, recorded.dump(),
                                        here.value(key, json()).dump()),
                            path_, "repeat the command it was begun with, or name another file");
            }
            continue;
        }
        const auto configuration = row.is_object() ? row_configuration(row) : std::nullopt;
        if (!configuration || !row.value("repeat", json()).is_number_integer()) {
            return fail(ErrorCode::kBadInput, "a line that is no measurement", where,
                        "the file is damaged: remove the line, or record into another file");
        }
        measured_.emplace(*configuration, row.at("repeat").get<int>());
    }
    return {};
}

Result<void> GridFile::append(const json& row) {
    FSADVISE_TRY(write_line(row.dump(-1, ' ', false, json::error_handler_t::replace)));
    measured_.emplace(row_configuration(row).value_or(""), row.at("repeat").get<int>());
    return {};
}

Result<void> GridFile::write_line(const std::string& line) {
    const std::string text = line + "\n";
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(file_.get(), text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            return fail(ErrorCode::kRunFailed, "cannot write: " + errno_text(errno), path_,
                        "free space there; what was recorded before is kept");
        }
        done += static_cast<std::size_t>(written);
    }
    if (::fdatasync(file_.get()) != 0 && errno != EINVAL) {
        return fail(ErrorCode::kRunFailed, "cannot sync: " + errno_text(errno), path_);
    }
    return {};
}

}  // namespace fsadvise::tuner
