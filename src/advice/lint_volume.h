// Formats and mounts of one file, joined by device or label, whatever the file's syntax. Internal to
// src/advice.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advice/lint_check.h"
#include "advice/lint_tune.h"

namespace fsadvise {

struct FactRow;

struct MountRequest {
    int line = 0;
    std::string type, options, device, directory;
    std::string consequence = "the mount fails";  // of a refusal
};

// The blocks (if, case) around a command and the arm of each that it stands in.
using Branch = std::vector<std::pair<int, int>>;

class VolumeLinter {
  public:
    VolumeLinter(const LintChecker& checker, LintResult& result) : checker_(checker), result_(result) {}

    // True if argv is a known mkfs that formats something. `names` are further names of the device.
    bool format(int line, const std::vector<std::string>& argv, const std::vector<std::string>& names = {});
    // True if a device of this name was formatted before.
    [[nodiscard]] bool formatted(const std::string& device) const { return format_of(device) != nullptr; }
    // Where the next formats and mounts stand: what is in another arm of the same block does not happen too.
    void set_branch(Branch branch) { branch_ = std::move(branch); }
    // Features that were switched off after the format.
    void tune(const Tuning& tuning);
    // A command that makes subvolumes, or may make them.
    void subvolumes_made() { subvolumes_made_ = true; }
    // Ignores bind mounts; a remount takes type and device from the mount before.
    void mount(MountRequest request);
    // Type of the mount whose directory is the longest prefix of the path; "" if there is none.
    [[nodiscard]] std::string filesystem_at(const std::string& path) const;

  private:
    struct Formatted {
        int line = 0;
        std::vector<std::string> argv, names;
        ParsedCommand command;
        Verdict verdict;
        Branch branch;
    };
    struct Mounted {
        std::string filesystem, device, options;
    };
    [[nodiscard]] const Formatted* format_of(const std::string& device) const;
    // The formats that may be in force here: the last one and those in other arms of the same block.
    [[nodiscard]] std::vector<const Formatted*> formats_of(const std::string& device) const;
    void remount(const MountRequest& request, const std::string& filesystem,
                 const std::vector<ParsedWord>& words);
    // The row of the word in the table of what a remount does not heed, or null; "" = of any filesystem.
    [[nodiscard]] const FactRow* ignored_by_remount(std::string_view filesystem,
                                                    const std::string& word) const;
    // True if it said so.
    bool missing_subvolume(const MountRequest& request, const Formatted& format);
    // Says that the verdict on the pair is uncertain.
    void target_unknown(const MountRequest& request);
    void wrong_type(const MountRequest& request, const Formatted& format);

    const LintChecker& checker_;
    LintResult& result_;
    Branch branch_;
    bool subvolumes_made_ = false;
    std::map<std::string, std::vector<ParsedWord>> tuned_;  // by device
    std::vector<Formatted> formatted_;
    std::map<std::string, Mounted> mounted_;  // by directory
};

}  // namespace fsadvise
