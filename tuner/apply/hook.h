// The data disk of a new machine: found by rule, advised for, formatted, mounted, registered; found again
// ever after.
//
// A disk with anything on it is never formatted. A filesystem with the label of the hook is the one that an
// earlier run made, also for another machine: it is mounted and registered, never formatted. Errors:
// kUnavailable with the list of disks if none or several are left to choose from.
#pragma once

#include <functional>
#include <string>

#include "tuner/apply/match.h"
#include "tuner/apply/plan.h"

namespace fsadvise::tuner {

struct Choosing {
    MatchRule rule;
    std::string label;
    // A format of ours was begun on this disk and cut off.
    std::function<bool(const DiskIdentity&)> begun;
};

struct Chosen {
    std::string device;
    bool found_again = false;
    std::string uuid, filesystem;  // of what was found again
};
Result<Chosen> choose_disk(const Choosing& choosing, const FileReader& files);

struct Hooked {
    std::string
        state;  // "formatted", "found" (mounted or registered now), "unchanged", "planned" (nothing was done)
    std::string device, uuid, label, filesystem, mount_point, mount_options, fstab;
    std::string workload, advice_digest, record;
    bool changed = false;
};
nlohmann::json to_json(const Hooked& hooked);
// For Terraform's external data source: one flat object of strings.
nlohmann::json to_flat_json(const Hooked& hooked);

}  // namespace fsadvise::tuner
