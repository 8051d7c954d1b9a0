// Carries out a plan, keeping a record of how far it came; and takes back the files that it edited.
//
// Every check is made again at the moment of the step. A record is the plan with its progress and its edits:
// written whole or not at all, before and after each step. Errors: kUnavailable where a check fails before
// anything was done, kRunFailed in the middle (the message names the
//         step and the record), kInterrupted between two steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "tuner/apply/file_edit.h"
#include "tuner/apply/plan.h"

namespace fsadvise::tuner {

struct ExecuteOptions {
    std::string record;  // file
    std::string stamp;   // of backups: "20261201-063000"
    std::function<void(const PlanStep& step, std::size_t number, std::size_t of)> tell;  // before each step
};

struct Executed {
    std::vector<FileEdit> edits;
    std::vector<std::string> differs;  // of a filesystem that was there: what is not as advised
};

Result<Executed> execute(const Machine& machine, const Plan& plan, const ExecuteOptions& options);

// The edits that a record lists, last first. Errors: kBadInput.
Result<std::vector<Undo>> undo_of_record(const std::string& record);

// The last record of this very disk stops in the middle of a format: what is on it may be ours.
bool format_was_begun(const Knowledge& knowledge, const std::string& folder, const DiskIdentity& disk);

// One apply at a time. Errors: kUnavailable if another one runs.
Result<Fd> lock_records(const std::string& folder);
std::string record_file(const std::string& folder, const std::string& uuid);

}  // namespace fsadvise::tuner
