// Edits of the machine's configuration files: whole or not at all, with a dated copy beside, and a way back.
//
// Errors: kUnavailable where a file cannot be written or has changed meanwhile, kRunFailed where writing
// breaks;
//         the file is then as it was.
// Threads: one; callers hold the lock of the record folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fsadvise::tuner {

struct FileEdit {
    std::string path;
    std::string backup;           // copy of what was there; empty: there was no file
    std::string after_digest;     // fingerprint of what was written
    std::string before_digest{};  // of what was there
};

// Content, or nullopt where there is no file. Errors: kBadInput for what cannot be read.
Result<std::optional<std::string>> read_if_there(const std::string& path);

// Looks only: the folder takes new files. Errors: kUnavailable.
Result<void> check_writable(const std::string& path);
// Writes this content beside the file, forces it to disk, and removes it again: room and permission are
// proved.
Result<void> prove_writable(const std::string& path, std::string_view content);

// `before`: what the caller has read; anything else there now is an error. `stamp`: "20261201-063000".
Result<FileEdit> replace_file(const std::string& path, const std::optional<std::string>& before,
                              std::string_view after, const std::string& stamp);

// What undoing an edit would do.
struct Undo {
    FileEdit edit;
    std::string restored;    // content to be
    bool removes = false;    // the file was not there before
    bool done = false;       // it is as before already
    std::string difference;  // not empty: edited since, lines of "- " and "+ "
};
Result<Undo> plan_undo(const FileEdit& edit);
// Errors: kUnavailable if the file was edited since.
Result<void> carry_out(const Undo& undo);

// Lines of `a` that `b` lacks as "- line", lines of `b` that `a` lacks as "+ line".
std::string line_difference(std::string_view a, std::string_view b);

// Temporary files beside `path` whose writer was killed.
void sweep_temporaries(const std::string& path);

}  // namespace fsadvise::tuner
