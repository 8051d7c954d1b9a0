// What is mounted now, judged like a file: the kernel's own list of options, the superblock, the block queue.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advice/lint.h"

namespace fsadvise {

// One mounted filesystem as the machine shows it.
struct MountedFilesystem {
    std::string directory, source, filesystem;
    std::string options;                      // as the kernel lists them
    std::map<std::string, Value> superblock;  // parameters read from the device; empty without root
    std::optional<BlockDevice> device;        // with the settings of its queue
};

// Findings have the mount point as their file and no line. What equals a default is not spoken of: the kernel
// lists defaults too.
LintResult lint_mounted(const Knowledge& knowledge, const LintTarget& target,
                        const std::vector<MountedFilesystem>& mounts);

// What `then` has and `now` has not: the findings that another target adds. Those of the same place, subject
// and id count as the same, and so do those that only get milder.
LintResult added_findings(const LintResult& now, const LintResult& then);

}  // namespace fsadvise
