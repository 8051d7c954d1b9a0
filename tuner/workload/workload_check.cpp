#include "tuner/workload/workload_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/workload/objective.h"

namespace fsadvise::tuner {
namespace {

constexpr int kDeepestTree = 8;
constexpr std::uint64_t kMostDirectories = 99'999;

Result<void> check_tree(const FileSet& set, const std::string& at) {
    if (set.fan_out == 0) return {};
    if (set.tree_depth < 1 || set.tree_depth > kDeepestTree) {
        return bad_load(at + "/tree_depth", fmt::format("a tree has 1 to {} levels", kDeepestTree));
    }
    double leaves = 1;
    for (int level = 0; level < set.tree_depth; ++level) leaves *= set.fan_out;
    if (leaves > static_cast<double>(kMostDirectories)) {
        return bad_load(at + "/fan_out", fmt::format("a tree of {:.0f} directories; {} is the most", leaves,
                                                     kMostDirectories));
    }
    if (set.directory_width > 0 &&
        leaves * static_cast<double>(set.directory_width) < static_cast<double>(set.files)) {
        return bad_load(at + "/directory_width",
                        fmt::format("{:.0f} directories of {} files do not hold {} files", leaves,
                                    set.directory_width, set.files),
                        "leave directory_width out, it follows from the tree");
    }
    return {};
}

}  // namespace

Result<void> bad_load(const std::string& pointer, std::string message, std::string hint) {
    return fail(ErrorCode::kBadInput, std::move(message), pointer, std::move(hint));
}

bool is_plain_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    });
}

Result<void> check_shares(const std::vector<SizeShare>& list, const std::string& at) {
    if (list.empty()) return {};
    double sum = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!(list[i].share > 0))
            return bad_load(fmt::format("{}/{}/share", at, i), "a share is not above 0");
        sum += list[i].share;
    }
    if (!(std::abs(sum - 1) < 1e-3))
        return bad_load(at, fmt::format("the shares sum to {:.4g}, not to 1", sum));
    return {};
}

Result<void> check_file_set(const FileSet& set, const std::string& at) {
    if (!is_plain_name(set.name)) {
        return bad_load(at + "/name",
                        fmt::format("'{}' is not a name of letters, digits, - and _", set.name));
    }
    if (set.files == 0) return bad_load(at + "/files", fmt::format("file set '{}' has zero files", set.name));
    if (set.files > 1'000'000'000) return bad_load(at + "/files", "more than a thousand million files");
    if (set.size_min_bytes > set.size_max_bytes)
        return bad_load(at + "/size_min", "size_min is above size_max");
    if (set.size_max_bytes > 0 && set.size_min_bytes == 0)
        return bad_load(at + "/size_min", "size_min is zero");
    FSADVISE_TRY(check_shares(set.sizes, at + "/sizes"));
    if (!(set.size_sigma >= 0 && set.size_sigma <= 4)) {
        return bad_load(at + "/size_sigma", "the spread of a lognormal distribution is 0 to 4");
    }
    if (!(set.compressible >= 0 && set.compressible <= 1)) {
        return bad_load(at + "/compressible", "the compressible share is not between 0 and 1");
    }
    if (!(set.duplicates >= 0 && set.duplicates <= 1)) {
        return bad_load(at + "/duplicates", "the share of repeated blocks is not between 0 and 1");
    }
    return check_tree(set, at);
}

Result<void> check(const Load& load) {
    if (!objective(load.metric)) {
        return bad_load("/objective", fmt::format("unknown objective '{}'{}", load.metric,
                                                  did_you_mean(load.metric, objective_names())));
    }
    if (!(load.window_seconds >= 0.005 && load.window_seconds <= 60)) {
        return bad_load("/window_seconds", "a window is 0.005 to 60 seconds");
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < load.file_sets.size(); ++i) {
        const std::string at = fmt::format("/file_sets/{}", i);
        FSADVISE_TRY(check_file_set(load.file_sets[i], at));
        if (!names.insert(load.file_sets[i].name).second) {
            return bad_load(at + "/name",
                            fmt::format("two file sets are named '{}'", load.file_sets[i].name));
        }
    }
    for (std::size_t i = 0; i < load.streams.size(); ++i) {
        FSADVISE_TRY(check_stream(load, load.streams[i], fmt::format("/streams/{}", i)));
    }
    if (std::none_of(load.streams.begin(), load.streams.end(), [](const Stream& s) { return s.counts; })) {
        return bad_load("/streams", "no stream counts, so there is nothing to measure",
                        "leave 'counts' true on the stream that is the metric");
    }
    return check_phases(load);
}

}  // namespace fsadvise::tuner
