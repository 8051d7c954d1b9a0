// What an advice means for a machine that is provisioned: one filesystem on one device, mounted in one place.
// Every emitter writes this down in the words of its target. Pure: the same advice gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/advice.h"
#include "base/result.h"

namespace fsadvise {

struct EmitReason {
    std::string option;  // as it is written: "-m reflink=0", "noatime"
    std::string why;     // one line
    std::string rule;    // id, or ""
};

struct EmitPlan {
    std::string title;                 // "PostgreSQL on XFS"
    std::string made_by;               // "fsadvise (knowledge 0123456789abcdef)"
    std::string workload, filesystem;  // ids
    std::string tool;                  // package of its mkfs
    std::string device;                // its name on the target, or a name that no machine has
    bool device_known = false;
    std::string directory;                   // where it is mounted
    std::string label;                       // fits the filesystem; by it the mount finds the filesystem
    std::string label_flag;                  // "-L", or "-l"
    std::vector<std::string> mkfs;           // argv with the label, without device and without force
    std::vector<std::string> mkfs_options;   // the words of it that follow the program, without the label
    std::vector<std::string> mount_options;  // without nofail
    int fstab_pass = 0;
    std::vector<EmitReason> reasons;  // first why this filesystem, then one per option
    std::vector<std::string> warnings;
    std::vector<BlockSetting> settings;
    std::string csi_driver;
    const Knowledge* knowledge = nullptr;  // outlives the plan

    [[nodiscard]] std::string spec() const { return "LABEL=" + label; }
    // "noatime,nofail": a data disk that is missing must not stop the boot.
    [[nodiscard]] std::string options_text() const;
};

// `csi_driver` is the provisioner of a StorageClass; "" = the one of the described cloud. The device is the
// one that the request names. Errors: kUnavailable if no filesystem fits.
Result<EmitPlan> emit_plan(const Advice& advice, const Knowledge& knowledge, const std::string& csi_driver);

struct EmittedFile {
    std::string name;  // where it belongs, relative to the folder of the output
    std::string content;
};
struct Emitted {
    std::vector<EmittedFile> files;
    std::vector<std::string> lost;  // what this target cannot carry, one sentence each
};

struct EmitFormat {
    std::string_view id;     // word of --format
    std::string_view title;  // what it is
    Result<Emitted> (*emit)(const EmitPlan& plan);
};
const std::vector<EmitFormat>& emit_formats();
const EmitFormat* emit_format(std::string_view id);

// Several files in one stream, each below a comment with its name.
std::string joined(const Emitted& emitted);

}  // namespace fsadvise
