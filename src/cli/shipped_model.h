// The model that recommend consults: a file, or the one that is shipped in the binary.
#pragma once

#include <string>

#include "advice/advice.h"
#include "base/result.h"
#include "tuner/model/effect_model.h"

namespace CLI {
class App;
}

namespace fsadvise::cli {

struct Invocation;
void add_model(CLI::App& app, Invocation& invocation);

// models/shipped/model.json, put into the binary at build time.
std::string_view shipped_model_text();
// "" = the shipped one. Errors: kBadInput.
Result<tuner::EffectModel> effect_model(const std::string& file);
// What the model says of each recommendation against the default of the target, where it does not
// extrapolate; and a note where it puts another filesystem before the advised one. It changes no order: rules
// know what tables do not.
void consult_model(Advice& advice, const Knowledge& knowledge, const tuner::EffectModel& model);

}  // namespace fsadvise::cli
