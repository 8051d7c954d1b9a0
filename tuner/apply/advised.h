// What an advice document asks for, read back and judged anew: nothing in a file is believed because it is in
// it.
//
// Errors: kBadInput for a document that is malformed, of another version, or edited against itself;
//         kUnavailable for a configuration that this machine cannot have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/process.h"
#include "space/context.h"
#include "space/knowledge.h"

namespace fsadvise::tuner {

struct Advised {
    Request request;  // its host is that of the advice
    Configuration configuration;
    std::map<std::string, Value> queue;  // settings of the disk's queue, by parameter id
    std::vector<std::string>
        elsewhere;       // settings that are not the disk's: "vm.dirty_bytes = 1 in /etc/sysctl.d/..."
    std::string digest;  // fingerprint of the document
    int rank = 1;        // 0: advice for a filesystem that exists
};

// The advice of `recommend --json`, `tune --json`, `recommend --existing --json`. `rank`: 1 is the best.
Result<Advised> advised_from_text(const Knowledge& knowledge, const std::string& text,
                                  const std::string& name, int rank);

// Settings of the disk's queue from {"block.read_ahead_kb": 131072}, or those of an advice.
Result<std::map<std::string, Value>> queue_settings_from_json(const Knowledge& knowledge,
                                                              const nlohmann::json& document,
                                                              const std::string& name);
// The parameter is a file below /sys/block/X/queue.
bool is_queue_setting(const Parameter& parameter);

// Everything that mkfs, mount or the user's durability class would not bear, on this host; empty = sound.
std::vector<std::string> objections(const Knowledge& knowledge, const Request& request,
                                    const Configuration& configuration);
// The configuration can be made here: the kernel has it, the tool is installed, nothing objects.
Result<void> check_possible(const Knowledge& knowledge, const Request& request,
                            const Configuration& configuration, ProcessRunner& runner,
                            const std::string& name);

}  // namespace fsadvise::tuner
