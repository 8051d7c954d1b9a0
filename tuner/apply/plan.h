// What applying an advice will do, step by step: made by looking only, shown, kept in a file, carried out.
//
// A plan in a file is not believed: its steps are made again from its configuration, and one that differs was
// edited. Errors: kUnavailable for a disk that is not proved empty and for everything else the machine
// forbids;
//         kBadInput for a plan that was edited or is of another version.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/file_reader.h"
#include "base/process.h"
#include "space/context.h"
#include "tuner/apply/disk.h"

namespace fsadvise::tuner {

inline constexpr int kPlanSchemaVersion = 1;
// Of the labels that filesystems take, the shortest limit (XFS), so that a label never depends on the choice.
inline constexpr std::size_t kLongestLabel = 12;

// What the user wants, with everything that makes the steps.
struct Wish {
    Request request;  // its host is this machine
    Configuration configuration;
    std::map<std::string, Value> queue;
    std::string device, directory, label;
    std::string uuid;  // of the filesystem to make; empty: derived from disk, machine and configuration
    std::string fstab = "/etc/fstab", rules_folder = "/etc/udev/rules.d";
    bool persist = false;  // queue settings into a udev rule
    std::string advice_digest;
    int rank = 1;
    // A format of ours on this very disk was begun and not ended: what it left is no obstacle.
    bool format_begun = false;
    // The filesystem with `uuid` was there before: it is used as it is, and what differs from the advice is
    // told.
    bool adopt = false;
};

enum class PlanStepKind {
    kFormat,
    kDirectory,
    kMount,
    kReadBack,
    kRegister,
    kReload,
    kQueue,
    kPersist,
    kChange
};
std::string to_text(PlanStepKind kind);  // "format", "make-directory", ...

struct PlanStep {
    PlanStepKind kind = PlanStepKind::kFormat;
    std::string does;               // one sentence
    std::vector<std::string> argv;  // the command, if it is one
    std::string path, text;         // the file and what is put into it: a line, a value, a whole rule
    std::string parameter;          // kQueue, kChange

    friend bool operator==(const PlanStep&, const PlanStep&) = default;
};

struct Plan {
    Wish wish;
    DiskIdentity disk;
    std::string situation;  // "empty", "ours" (formatted by us, not mounted), "mounted"
    std::vector<PlanStep> steps;
    std::vector<std::string> already;  // what is as advised
    std::vector<std::string> notes;    // what is not done, and how it could be
    [[nodiscard]] bool formats() const {
        return !steps.empty() && steps.front().kind == PlanStepKind::kFormat;
    }
};

struct Machine {
    const Knowledge& knowledge;
    ProcessRunner& runner;
    const FileReader& files;
};

// Looks at disk, mounts and fstab; changes nothing.
Result<Plan> make_plan(const Machine& machine, Wish wish);

nlohmann::json to_json(const PlanStep& step);
nlohmann::json to_json(const Plan& plan);
// What a plan file wants and what it was made for; the steps it lists are in `steps`.
struct StoredPlan {
    Wish wish;
    DiskIdentity disk;
    std::string situation;
    std::vector<PlanStep> steps;
    bool format_begun = false;  // the record stops in the middle of the format
};
Result<StoredPlan> stored_plan_from_json(const Knowledge& knowledge, const nlohmann::json& document,
                                         const std::string& name);
// Makes the plan anew and refuses if the disk or the steps are no longer those of the file.
Result<Plan> confirm_plan(const Machine& machine, const StoredPlan& stored, Host host,
                          const std::string& name);

// "data" for a workload "data": letters, digits and dashes, kLongestLabel bytes.
std::string default_label(const std::string& workload);
Result<void> check_label(const std::string& label);
// The same disk, machine, configuration and directory give the same UUID, so that a dry run shows the very
// commands.
std::string derived_uuid(const std::string& machine_id, const DiskIdentity& disk, const Wish& wish);

// Options of an fstab line that is there, changed where the configuration says something else.
std::string merged_options(const Knowledge& knowledge, const Configuration& configuration,
                           const std::string& options);

}  // namespace fsadvise::tuner
