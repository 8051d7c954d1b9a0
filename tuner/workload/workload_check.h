// The parts of check(load), a file each: file sets, streams with their steps, phases with the signals in
// them.
//
// Errors: kBadInput whose context is the JSON pointer of the defect.
#pragma once

#include <string>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

Result<void> bad_load(const std::string& pointer, std::string message, std::string hint = {});

// Names become directory names and words of a report.
bool is_plain_name(const std::string& name);

// The shares of a distribution are above 0 and sum to 1.
Result<void> check_shares(const std::vector<SizeShare>& list, const std::string& at);

Result<void> check_file_set(const FileSet& set, const std::string& at);
Result<void> check_stream(const Load& load, const Stream& stream, const std::string& at);
// Names of phases and streams, and that no stream waits for a signal that cannot come.
Result<void> check_phases(const Load& load);

inline const std::string& set_name(const Stream& stream, const Step& step) {
    return step.file_set.empty() ? stream.file_set : step.file_set;
}

}  // namespace fsadvise::tuner
