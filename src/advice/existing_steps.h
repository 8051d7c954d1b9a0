// The steps from what a filesystem is to what it should be; of advice for an existing filesystem, and of apply.
#pragma once

#include "advice/existing.h"

namespace fsadvise {

// One step for every choice of `target` that differs, by moment. `already` receives those that do not.
std::vector<ExistingStep> steps_to(const Knowledge& knowledge, const Request& request,
                                   const ExistingFilesystem& facts, const Recommendation& target,
                                   std::vector<std::string>& already);

// Back to the default what is set now and breaks something or risks the data; `warnings` receives what no option cures.
std::vector<ExistingStep> steps_away(const Knowledge& knowledge, const Request& request,
                                     const ExistingFilesystem& facts, const std::vector<ExistingStep>& planned,
                                     std::vector<std::string>& warnings);

// The option string of a mount after the steps: unknown and generic words stay as they are. The kernel lists
// more than anybody wrote: words that repeat a default, do nothing, are deprecated or contradict a step are
// left out.
std::string options_after(const Knowledge& knowledge, const Request& request, const ExistingFilesystem& facts,
                          const std::vector<ExistingStep>& steps);

}  // namespace fsadvise
