#include "tuner/engine/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fsadvise::tuner {
namespace {

constexpr int kSubBits = 6;
constexpr std::uint64_t kSubBuckets = 1u << kSubBits;
// Values below 64 have a bucket each; every further octave has 64.
constexpr std::size_t kBuckets = kSubBuckets * (64 - kSubBits);

std::size_t index_of(std::uint64_t value) {
    if (value < kSubBuckets) return static_cast<std::size_t>(value);
    const int octave = static_cast<int>(std::bit_width(value)) - 1 - kSubBits;
    return static_cast<std::size_t>((static_cast<std::uint64_t>(octave) << kSubBits) + (value >> octave));
}

// Largest value that falls into the bucket.
std::int64_t upper_edge(std::size_t index) {
    if (index < kSubBuckets * 2) return static_cast<std::int64_t>(index);
    const std::uint64_t octave = index / kSubBuckets - 1;
    const std::uint64_t sub = index % kSubBuckets + kSubBuckets;
    return static_cast<std::int64_t>(((sub + 1) << octave) - 1);
}

}  // namespace

Histogram::Histogram() : buckets_(kBuckets, 0) {}

void Histogram::record(std::int64_t ns) {
    const std::int64_t value = std::max<std::int64_t>(ns, 1);
    ++buckets_[index_of(static_cast<std::uint64_t>(value))];
    ++count_;
    maximum_ = std::max(maximum_, value);
    sum_ += static_cast<double>(value);
}

void Histogram::merge(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    maximum_ = std::max(maximum_, other.maximum_);
    sum_ += other.sum_;
}

void Histogram::subtract(const Histogram& earlier) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] -= earlier.buckets_[i];
    count_ -= earlier.count_;
    sum_ -= earlier.sum_;
}

std::int64_t Histogram::percentile(double probability) const {
    if (count_ == 0) return 0;
    const double wanted = std::ceil(std::clamp(probability, 0.0, 1.0) * static_cast<double>(count_));
    const std::uint64_t rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        seen += buckets_[i];
        if (seen >= rank) return std::min(upper_edge(i), maximum_);
    }
    return maximum_;
}

double Histogram::mean() const {
    return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::vector<std::pair<std::int64_t, std::uint64_t>> Histogram::buckets() const {
    std::vector<std::pair<std::int64_t, std::uint64_t>> result;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        if (buckets_[i] != 0) result.emplace_back(upper_edge(i), buckets_[i]);
    }
    return result;
}

}  // namespace fsadvise::tuner
