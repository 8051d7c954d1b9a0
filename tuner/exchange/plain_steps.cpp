#include "tuner/exchange/plain_steps.h"

#include <algorithm>

#include "tuner/workload/step_kind.h"

namespace fsadvise::tuner {
namespace {

bool whole_sync(SyncPolicy policy) {
    return policy == SyncPolicy::kFsync || policy == SyncPolicy::kOSync;
}

std::vector<Step> by_size(const Step& step) {
    if (step.blocks.empty()) return {step};
    std::vector<Step> sizes;
    for (const SizeShare& entry : step.blocks) {
        Step one = step;
        one.blocks.clear();
        one.block_bytes = entry.bytes;
        one.probability *= entry.share;
        sizes.push_back(std::move(one));
    }
    return sizes;
}

}  // namespace

std::vector<Step> plain_steps(const Stream& stream, const Step& step) {
    const auto kind = step_kind(step.operation);
    if (!kind) return {};
    std::vector<Step> moved, result;
    Step write = step;
    Step sync = step;
    sync.blocks.clear();
    bool forced = false;
    switch (*kind) {
        case StepKind::kReadWrite: {
            Step read = step;
            read.operation = "read";
            read.probability *= step.read_share;
            write.operation = "write";
            write.probability *= 1 - step.read_share;
            if (read.probability > 0) moved.push_back(std::move(read));
            if (write.probability > 0) moved.push_back(write);
            break;
        }
        case StepKind::kCommit:
            write.operation = "write";
            write.sequential = true;
            moved.push_back(write);
            sync.operation = step.data_only ? "fdatasync" : "fsync";
            forced = true;
            break;
        default:
            moved.push_back(step);
    }
    for (const Step& part : moved) {
        const auto sizes = by_size(part);
        result.insert(result.end(), sizes.begin(), sizes.end());
    }
    const bool writes = moved.empty() ? false
                                      : moved.back().operation == "write" || *kind == StepKind::kAppend ||
                                            *kind == StepKind::kCreate;
    if (!forced && writes && stream.sync != SyncPolicy::kNone) {
        sync.operation = whole_sync(stream.sync) ? "fsync" : "fdatasync";
        sync.probability = moved.back().probability / std::max(1, stream.sync_every);
        forced = true;
    }
    if (forced) result.push_back(std::move(sync));
    return result;
}

}  // namespace fsadvise::tuner
