// The knowledge read backwards: findings over fstab lines and shell scripts.
//
// Bounds: input up to 16 MiB and lines up to 64 KiB; longer ones are a kBadInput error, not a crash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "space/context.h"

namespace fsadvise {

enum class Severity { kInfo, kWarning, kError };
std::string to_text(Severity severity);

struct Finding {
    std::string id;           // stable: "mount-option-removed", "mkfs-refuses:xfs.log-fits-group"
    Severity severity = Severity::kInfo;
    std::string file;
    int line = 0;             // 1-based
    std::string subject;      // the word to blame: "nobarrier"
    std::string what;         // what is wrong, with versions
    std::string consequence;  // "the mount fails", "boot stops in emergency mode"
    std::string fix;
    std::string ignore_if;
    std::string replacement;  // for the subject, if a correction is certain: "-m reflink=0"
    std::vector<std::string> sources;
};

struct LintTarget {
    Host host;          // kernel, distribution and tools that the file is for
    std::string workload;  // role, optional
};

// One mkfs + mount pair found in a file, with the verdict that the target kernel gives.
struct LintPair {
    int mkfs_line = 0, mount_line = 0;
    std::vector<std::string> mkfs_argv;
    std::string filesystem, mount_options, device;
    bool formats = true, mounts = true;
};

struct LintResult {
    std::vector<Finding> findings;
    std::vector<LintPair> pairs;
    int lines = 0, checked = 0;  // checked: lines that said something about filesystems
};

Result<LintResult> lint_fstab(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                              const std::string& file);
Result<LintResult> lint_script(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                               const std::string& file);
// Tells the format by name and content (the list is in lint_format.h; else fstab or script), then lints.
// Errors: kBadInput also for binary data and for YAML or JSON that does not parse or is beyond its bounds.
Result<LintResult> lint(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                        const std::string& file);

nlohmann::json to_json(const LintResult& result);

}  // namespace fsadvise
