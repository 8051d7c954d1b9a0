#include "tuner/executor/contenders.h"

#include <algorithm>

#include "advice/advise.h"
#include "base/text.h"
#include "space/space.h"

namespace fsadvise::tuner {

Result<Contenders> contenders(const Knowledge& knowledge, const Request& request, ProcessRunner& runner) {
    Contenders result;
    std::vector<std::string> excluded;
    result.filesystems = usable_filesystems(knowledge, request, &excluded);
    std::erase_if(result.filesystems,
                  [&](const std::string& id) { return runner.find(knowledge.filesystem(id)->mkfs).empty(); });
    if (result.filesystems.empty()) {
        return fail(ErrorCode::kUnavailable, "no filesystem is left to try: " + join(excluded, "; "), {},
                    "relax a requirement, or install the missing mkfs tools");
    }
    result.anchor = default_configuration(knowledge, request);
    const auto& usable = result.filesystems;
    if (std::find(usable.begin(), usable.end(), result.anchor.filesystem) == usable.end())
        result.anchor = Configuration{usable.front(), {}};
    return result;
}

}  // namespace fsadvise::tuner
