// Random numbers of the engine: reproducible from a seed on every machine.
//
// Source: xoshiro256++ and SplitMix64, D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number
// Generators", 2019;
//         W. Hoermann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
//         distributions", ACM TOMACS 6(3), 1996 (class Zipf).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace fsadvise::tuner {

constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ull;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return mix(mix(a) ^ b);
}

class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (auto& word : state_) word = seed = mix(seed);
    }
    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // 0 <= result < bound; the bias of the multiplication is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }
    // 0 <= result < 1
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // Exponentially distributed around `mean`.
    double exponential(double mean) { return -std::log1p(-unit()) * mean; }

  private:
    std::uint64_t state_[4];
};

// A permutation of [0, n) that sends neighbours far apart.
class Scatter {
  public:
    explicit Scatter(std::uint64_t n);
    std::uint64_t operator()(std::uint64_t rank) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(static_cast<Wide>(rank) * stride_ % n_);
    }

  private:
    std::uint64_t n_, stride_ = 1;
};

// Zipf-distributed index in [0, n), the hot ones scattered over the range. Exponent 0 is uniform.
class Zipf {
  public:
    Zipf() = default;
    Zipf(std::uint64_t n, double exponent);
    std::uint64_t operator()(Random& random) const;
    [[nodiscard]] std::uint64_t size() const { return n_; }

  private:
    [[nodiscard]] double integral(double x) const;
    [[nodiscard]] double inverse(double x) const;
    std::uint64_t n_ = 1;
    Scatter scatter_{1};
    double exponent_ = 0, low_ = 0, high_ = 0;
};

// Index in [0, n): uniform, Zipf, or with a hot spot: `accesses` of them go to `share` of the range,
// scattered over it.
class Picker {
  public:
    Picker() = default;
    Picker(std::uint64_t n, double exponent) : zipf_(n, exponent), biased_(exponent > 0) {}
    static Picker hot_spot(std::uint64_t n, double accesses, double share);
    std::uint64_t operator()(Random& random) const {
        return hot_ == 0 ? zipf_(random) : pick_with_hot_spot(random);
    }
    [[nodiscard]] bool biased() const { return biased_; }

  private:
    std::uint64_t pick_with_hot_spot(Random& random) const;
    Zipf zipf_;
    Scatter scatter_{1};
    std::uint64_t hot_ = 0;  // indices of the hot spot; 0 = none
    double accesses_ = 0;
    bool biased_ = false;
};

}  // namespace fsadvise::tuner
