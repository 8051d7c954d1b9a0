#include <algorithm>
#include <cmath>

#include "tuner/workload/scaling.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kSmallestScaledFile = 64 * 1024;
constexpr std::uint64_t kMostKeptByActor = 256;
// Room for an inode, its directory entry and a share of the metadata blocks.
constexpr std::uint64_t kMetadataPerFile = 1024;
constexpr double kSmallestScale = 1e-5;

std::uint64_t scale_size(std::uint64_t size, double scale) {
    const std::uint64_t floor = std::min(size, kSmallestScaledFile);
    const auto wanted = static_cast<std::uint64_t>(static_cast<double>(size) * scale);
    if (wanted <= floor) return floor;
    return wanted < kSizeGrain ? wanted : wanted / kSizeGrain * kSizeGrain;
}

bool on_set(const Stream& stream, const Step& step, const FileSet& set) {
    return (step.file_set.empty() ? stream.file_set : step.file_set) == set.name;
}

// Bytes one file of the set takes on disk, on average.
std::uint64_t mean_footprint(const ScaledSet& set) {
    std::uint64_t mean = set.size_bytes;
    if (set.varies()) mean += kSizeGrain / 2;  // sizes that end inside a block
    return (mean + kSizeGrain - 1) / kSizeGrain * kSizeGrain;
}

std::uint64_t population(const Load& load, const FileSet& set, double scale) {
    const ScaledSet shape = scaled(set, scale);
    const CreatedFiles created = created_files(load, set, scale);
    const std::uint64_t base = set.fill || created.file_actors == 0 ? shape.files : 0;
    return base + created.file_actors * created.most;
}

}  // namespace

ScaledSet scaled(const FileSet& set, double scale) {
    ScaledSet result{set.files, set.size_bytes,        set.size_min_bytes, set.size_max_bytes,
                     set.sizes, set.size_median_bytes, set.size_sigma};
    if (scale == 1.0) return result;
    if (set.files > kFewFiles) {
        const auto files = static_cast<std::uint64_t>(std::llround(static_cast<double>(set.files) * scale));
        result.files = std::max<std::uint64_t>(1, files);
    } else {
        result.size_bytes = scale_size(set.size_bytes, scale);
        result.size_min_bytes = scale_size(set.size_min_bytes, scale);
        result.size_max_bytes = scale_size(set.size_max_bytes, scale);
        result.size_median_bytes = scale_size(set.size_median_bytes, scale);
        for (SizeShare& entry : result.sizes) entry.bytes = scale_size(entry.bytes, scale);
    }
    return result;
}

CreatedFiles created_files(const Load& load, const FileSet& set, double scale) {
    CreatedFiles result;
    for (const Stream& stream : load.streams) {
        bool adds = false, creates = false;
        for (const Step& step : stream.steps) {
            const auto kind = step_kind(step.operation);
            if (!kind || !adds_name(*kind) || !on_set(stream, step, set)) continue;
            adds = true;
            creates = creates || kind == StepKind::kCreate || kind == StepKind::kLink;
        }
        const auto actors = static_cast<std::uint64_t>(stream.threads * stream.depth);
        if (adds) result.actors += actors;
        if (creates) result.file_actors += actors;
    }
    if (result.actors == 0) return result;
    const std::uint64_t share = scaled(set, scale).files / result.actors;
    if (set.keep >= 0) {
        // A scaled set has room for fewer.
        result.keep = std::min(static_cast<std::uint64_t>(set.keep), share > 0 ? share - 1 : 0);
    } else {
        result.keep = std::clamp<std::uint64_t>(share * 3 / 4, 1, kMostKeptByActor);
    }
    const std::uint64_t least = result.keep + 1;
    result.most = std::clamp<std::uint64_t>(share, least, std::max(least, result.keep * 2));
    return result;
}

bool has_append(const Load& load, const FileSet& set) {
    return std::any_of(load.streams.begin(), load.streams.end(), [&](const Stream& stream) {
        return std::any_of(stream.steps.begin(), stream.steps.end(), [&](const Step& step) {
            return step.operation == "append" && on_set(stream, step, set);
        });
    });
}

std::uint64_t data_bytes(const Load& load, double scale) {
    std::uint64_t total = 0;
    for (const FileSet& set : load.file_sets) {
        const std::uint64_t one = mean_footprint(scaled(set, scale));
        total += population(load, set, scale) * one;
        // Appended files grow to twice their laid out size before they are cut back.
        if (has_append(load, set) && set.fill && !set.preallocate) total += scaled(set, scale).files * one;
    }
    return total;
}

std::uint64_t file_count(const Load& load, double scale) {
    std::uint64_t total = 0;
    for (const FileSet& set : load.file_sets) total += population(load, set, scale);
    return total;
}

double fitting_scale(const Load& load, std::uint64_t area_bytes, double share) {
    const double room = static_cast<double>(area_bytes) * share;
    const auto fits = [&](double scale) {
        return static_cast<double>(data_bytes(load, scale) + file_count(load, scale) * kMetadataPerFile) <=
               room;
    };
    if (fits(1.0)) return 1.0;
    double low = kSmallestScale, high = 1.0;
    for (int i = 0; i < 60; ++i) {
        const double middle = std::sqrt(low * high);
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace fsadvise::tuner
