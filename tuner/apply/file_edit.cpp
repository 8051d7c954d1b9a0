#include "tuner/apply/file_edit.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"

namespace fsadvise::tuner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 16u << 20;   // of a configuration file
constexpr std::string_view kTemporary = ".tmp-";  // as write_file_atomically() names them

// The file itself where the path is a link to it.
std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    return error ? path : real.string();
}

std::string folder_of(const std::string& path) {
    return fs::path(path).parent_path().string();
}

Result<void> sync_folder(const std::string& path) {
    FSADVISE_ASSIGN(const Fd folder, Fd::open(folder_of(path), O_RDONLY | O_DIRECTORY));
    if (::fsync(folder.get()) == 0 || errno == EINVAL) return {};
    return fail(ErrorCode::kRunFailed, "cannot be forced to disk: " + errno_text(errno), folder_of(path));
}

Result<void> write_lasting(const std::string& path, std::string_view content) {
    FSADVISE_TRY(write_file_atomically(path, content));
    return sync_folder(path);
}

Result<std::string> make_backup(const std::string& path, std::string_view content, const std::string& stamp) {
    std::string backup = path + ".fsadvise-" + stamp;
    for (int copy = 2; fs::exists(backup); ++copy)
        backup = fmt::format("{}.fsadvise-{}-{}", path, stamp, copy);
    FSADVISE_TRY(write_lasting(backup, content));
    std::error_code ignored;  // a copy may be read by no more people than the file
    fs::permissions(backup, fs::status(path, ignored).permissions(), ignored);
    return backup;
}

std::map<std::string_view, int> count_lines(std::string_view text) {
    std::map<std::string_view, int> counts;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++counts[text.substr(begin, end - begin)];
        begin = end + 1;
    }
    return counts;
}

void list_missing(std::string_view from, std::string_view in, std::string_view mark, std::string& out) {
    auto counts = count_lines(in);
    for (std::size_t begin = 0; begin < from.size();) {
        const std::size_t end = std::min(from.find('\n', begin), from.size());
        const std::string_view line = from.substr(begin, end - begin);
        if (--counts[line] < 0) out += fmt::format("{} {}\n", mark, printable(line));
        begin = end + 1;
    }
}

}  // namespace

Result<std::optional<std::string>> read_if_there(const std::string& path) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path, error))) return std::optional<std::string>();
    FSADVISE_ASSIGN(std::string content, read_file(path, kLargestFile));
    return std::optional(std::move(content));
}

Result<void> check_writable(const std::string& path) {
    const std::string real = real_path(path);
    const std::string folder = folder_of(real);
    // Replacing needs the folder, and the mode of the file is respected although root could pass over it.
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return fail(ErrorCode::kUnavailable, "cannot be changed: " + errno_text(errno), path,
                    errno == EROFS ? "mount " + folder + " writable first; nothing was formatted"
                                   : "the folder must exist and be writable; nothing was formatted");
    }
    if (fs::exists(real) && !fs::is_regular_file(real))
        return fail(ErrorCode::kUnavailable, "is no regular file", path, "nothing was formatted");
    return {};
}

Result<void> prove_writable(const std::string& path, std::string_view content) {
    FSADVISE_TRY(check_writable(path));
    const std::string trial = real_path(path) + std::string(kTemporary) + std::to_string(::getpid());
    const auto written = write_file_atomically(trial, content);
    ::unlink(trial.c_str());
    if (written) return {};
    return fail(ErrorCode::kUnavailable, written.error().message, path,
                "make room or make its folder writable; nothing was formatted");
}

Result<FileEdit> replace_file(const std::string& path, const std::optional<std::string>& before,
                              std::string_view after, const std::string& stamp) {
    const std::string real = real_path(path);
    FSADVISE_ASSIGN(const auto now, read_if_there(real));
    if (now != before) {
        return fail(ErrorCode::kUnavailable, "has been changed by someone else meanwhile", path,
                    "run the command again");
    }
    FileEdit edit{real, {}, fingerprint(after), fingerprint(before.value_or(""))};
    if (before) {
        FSADVISE_ASSIGN(edit.backup, make_backup(real, *before, stamp));
    }
    FSADVISE_TRY(write_lasting(real, after));
    return edit;
}

Result<Undo> plan_undo(const FileEdit& edit) {
    Undo undo;
    undo.edit = edit;
    undo.removes = edit.backup.empty();
    if (!undo.removes) {
        FSADVISE_ASSIGN(undo.restored, read_file(edit.backup, kLargestFile));
    }
    FSADVISE_ASSIGN(const auto now, read_if_there(edit.path));
    if (undo.removes ? !now : now == undo.restored) {
        undo.done = true;
    } else if (!now || fingerprint(*now) != edit.after_digest) {
        undo.difference = line_difference(undo.restored, now.value_or(""));
        if (undo.difference.empty()) undo.difference = "(lines in another order, or blanks)\n";
    }
    return undo;
}

Result<void> carry_out(const Undo& undo) {
    if (undo.done) return {};
    const std::string& path = undo.edit.path;
    if (!undo.difference.empty()) {
        return fail(ErrorCode::kUnavailable, "was edited since, so it is not put back", path,
                    undo.removes ? "remove it by hand if nobody needs it"
                                 : "take over by hand what you want of " + undo.edit.backup);
    }
    if (!undo.removes) return write_lasting(path, undo.restored);
    if (::unlink(path.c_str()) != 0)
        return fail(ErrorCode::kRunFailed, "cannot be removed: " + errno_text(errno), path);
    return sync_folder(path);
}

std::string line_difference(std::string_view a, std::string_view b) {
    std::string out;
    list_missing(a, b, "-", out);
    list_missing(b, a, "+", out);
    return out;
}

void sweep_temporaries(const std::string& path) {
    const std::string real = real_path(path);
    const std::string prefix = fs::path(real).filename().string() + ".";
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_of(real), error)) {
        const std::string name = entry.path().filename().string();
        const auto mark = name.rfind(kTemporary);
        if (!name.starts_with(prefix) || mark == std::string::npos) continue;
        int writer = 0;
        const char* end = name.data() + name.size();
        const auto parsed = std::from_chars(name.data() + mark + kTemporary.size(), end, writer);
        const bool dead =
            parsed.ec == std::errc{} && parsed.ptr == end && ::kill(writer, 0) != 0 && errno == ESRCH;
        if (dead) fs::remove(entry.path(), error);
    }
}

}  // namespace fsadvise::tuner
