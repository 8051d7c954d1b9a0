// Names and sizes of the files of a set.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tuner/engine/plan.h"

namespace fsadvise::tuner {
namespace {

// Beyond this many standard deviations a lognormal size is not drawn: one file must not fill the area.
constexpr double kWidestDeviation = 4;

template <class... Args>
void append(PathBuffer& path, std::size_t& at, fmt::format_string<Args...> format, Args&&... args) {
    const auto end =
        fmt::format_to_n(path.data() + at, path.size() - 1 - at, format, std::forward<Args>(args)...);
    *end.out = '\0';
    at = static_cast<std::size_t>(end.out - path.data());
}

double unit_of(std::uint64_t random) {
    return static_cast<double>(random >> 11) * 0x1p-53;
}

// Standard normal from one random word. Source: G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29 (1958).
double normal_of(std::uint64_t random) {
    const double u = (static_cast<double>(random >> 32) + 0.5) * 0x1p-32;
    const double v = static_cast<double>(random & 0xffffffffu) * 0x1p-32;
    const double value = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    return std::clamp(value, -kWidestDeviation, kWidestDeviation);
}

// Writes the directory; returns its length.
std::size_t print_directory(const SetPlan& set, PathBuffer& path, std::uint32_t directory, int levels = 99) {
    std::size_t at = 0;
    append(path, at, "{}", set.name);
    if (!set.nested) return at;
    std::uint64_t below = 1;
    for (int level = 1; level < set.tree_depth; ++level) below *= set.fan_out;
    for (int level = 1; level < set.tree_depth && level <= levels; ++level) {
        append(path, at, "/n{:04}", directory / below % set.fan_out);
        below /= set.fan_out;
    }
    if (levels >= set.tree_depth) append(path, at, "/d{:05}", directory);
    return at;
}

}  // namespace

std::uint64_t SetPlan::draw_size(std::uint64_t random) const {
    if (!shape.sizes.empty()) {
        double unit = unit_of(random);
        for (const SizeShare& entry : shape.sizes) {
            if (unit < entry.share) return entry.bytes;
            unit -= entry.share;
        }
        return shape.sizes.back().bytes;
    }
    if (shape.size_median_bytes > 0) {
        return static_cast<std::uint64_t>(static_cast<double>(shape.size_median_bytes) *
                                          std::exp(shape.size_sigma * normal_of(random)));
    }
    if (shape.size_max_bytes <= shape.size_min_bytes || shape.size_min_bytes == 0) return shape.size_bytes;
    const auto low = static_cast<double>(shape.size_min_bytes);
    return static_cast<std::uint64_t>(
        low * std::pow(static_cast<double>(shape.size_max_bytes) / low, unit_of(random)));
}

std::uint64_t SetPlan::size_of(std::uint64_t index) const {
    return draw_size(mix(seed, index));
}

void SetPlan::directory_path(PathBuffer& path, std::uint32_t directory, int levels) const {
    print_directory(*this, path, directory, levels);
}

void SetPlan::file_path(PathBuffer& path, std::uint64_t index) const {
    std::size_t at = print_directory(*this, path, nested ? static_cast<std::uint32_t>(index / width) : 0);
    append(path, at, "/f{:08}", index);
}

void SetPlan::created_path(PathBuffer& path, std::uint32_t actor, const CreatedFile& file) const {
    std::size_t at = print_directory(*this, path, file.directory);
    append(path, at, "/{}{:04}-{:08}", file.letter, actor, file.number);
}

void SetPlan::scratch_directory_path(PathBuffer& path, std::uint32_t directory, std::uint32_t actor) const {
    std::size_t at = print_directory(*this, path, directory);
    append(path, at, "/t{:04}", actor);
}

}  // namespace fsadvise::tuner
