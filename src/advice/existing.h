// Advice for a filesystem that exists: what can be gained now, at the next mount, unmounted, or only by a reformat.
// Pure: runs no command, writes no file.
//
// Errors: those of advise().
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "advice/advice.h"
#include "advice/inference.h"
#include "space/existing.h"

namespace fsadvise {

inline constexpr int kExistingSchemaVersion = 1;

enum class Moment { kNow, kNewFiles, kFreshMount, kUnmounted, kReformat };
std::string to_text(Moment moment);  // "now", "new-files", "fresh-mount", "unmounted", "reformat"

struct ExistingStep {
    std::string parameter, spelled;
    std::string from;  // value text, or "unknown" where it could not be seen
    Value value{};     // what it should be
    Moment moment = Moment::kNow;
    std::vector<std::vector<std::string>> commands;  // argv, in order
    std::string why, note;
    std::string rule, strength;
    std::vector<std::string> sources;
};

struct ExistingAdvice {
    Request request;
    std::string workload_title;
    ExistingFilesystem facts;
    std::vector<ExistingStep> steps;  // by moment
    std::vector<std::string> already;  // what is as it should be
    std::string verdict;  // "keep" (no reformat), "measure" (a reformat may pay, prove it first), "reformat"
    std::string verdict_why;
    Recommendation reformat;  // what we would make today
    std::string fstab_options;  // of the mount after all steps
    std::vector<std::string> warnings;
    std::vector<ApplicationSetting> application;
    std::string prove_command;
};

Result<ExistingAdvice> advise_existing(const Knowledge& knowledge, const RuleNetwork& network, const Request& request,
                                       const ExistingFilesystem& facts);

nlohmann::json to_json(const ExistingAdvice& advice, const Knowledge& knowledge);

}  // namespace fsadvise
