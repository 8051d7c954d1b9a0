// Internal: the parts of a plan that follow the format.
#pragma once

#include "tuner/apply/fstab.h"
#include "tuner/apply/plan.h"

namespace fsadvise::tuner {

// What an fstab that reads `text` becomes. Errors: see edit_fstab().
Result<FstabEdit> fstab_after(const Machine& machine, const Wish& wish, const DiskIdentity& disk,
                              const std::string& text);
// The udev rule of the queue settings.
std::string rule_text(const Knowledge& knowledge, const Wish& wish);

// For a filesystem that is mounted: what can be changed without a format.
Result<void> add_changes(const Machine& machine, Plan& plan);
Result<void> add_registration(const Machine& machine, Plan& plan);
Result<void> add_queue(const Machine& machine, Plan& plan);

// "[mq-deadline] none" -> "mq-deadline"; other files as they are.
std::string chosen_word(const std::string& text);

}  // namespace fsadvise::tuner
