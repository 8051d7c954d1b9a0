// Plans of apply as text for people. Pure and deterministic.
#pragma once

#include <string>
#include <vector>

#include "output/render.h"
#include "tuner/apply/plan.h"

namespace fsadvise {

// `done`: the plan was carried out; else it is a dry run. `next`: the command that does it, or undoes it.
std::string render_plan_text(const tuner::Plan& plan, bool done, const std::string& next,
                             const TextStyle& style);
// "fstab: add UUID=... /srv ext4 ... 0 2": one step as one line, with its command as it would be typed.
std::string step_line(const tuner::PlanStep& step);

}  // namespace fsadvise
