// Latency histogram with bounded relative error: constant memory, constant time a sample.
//
// Units: nanoseconds. Bounds: 64 sub-buckets an octave, relative error below 1.6 %; 1 ns to about 2^63 ns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fsadvise::tuner {

class Histogram {
  public:
    Histogram();
    void record(std::int64_t ns);
    void merge(const Histogram& other);
    // Takes away what was recorded earlier; the maximum stays that of all.
    void subtract(const Histogram& earlier);
    [[nodiscard]] std::uint64_t count() const { return count_; }
    // Upper edge of the bucket that holds the quantile; 0 if empty.
    [[nodiscard]] std::int64_t percentile(double probability) const;
    [[nodiscard]] std::int64_t maximum() const { return maximum_; }
    [[nodiscard]] double mean() const;
    // (upper edge ns, count) of the non-empty buckets.
    [[nodiscard]] std::vector<std::pair<std::int64_t, std::uint64_t>> buckets() const;

  private:
    std::vector<std::uint64_t> buckets_;
    std::uint64_t count_ = 0;
    std::int64_t maximum_ = 0;
    double sum_ = 0;
};

}  // namespace fsadvise::tuner
