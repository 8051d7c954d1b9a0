#include "tuner/engine/random.h"

#include <algorithm>
#include <numeric>

namespace fsadvise::tuner {

// A stride near the golden section that has no divisor in common with n spreads neighbouring ranks.
Scatter::Scatter(std::uint64_t n) : n_(n) {
    stride_ = static_cast<std::uint64_t>(static_cast<double>(n_) * 0.6180339887) | 1;
    while (std::gcd(stride_, n_) != 1) stride_ += 2;
}

Zipf::Zipf(std::uint64_t n, double exponent) : n_(n == 0 ? 1 : n), exponent_(exponent) {
    if (exponent_ == 0) return;
    low_ = integral(1.5) - 1;
    high_ = integral(static_cast<double>(n_) + 0.5);
    scatter_ = Scatter(n_);
}

// Integral of x^-exponent, and its inverse; the logarithm is the limit at exponent 1.
double Zipf::integral(double x) const {
    const double power = 1 - exponent_;
    return std::abs(power) < 1e-9 ? std::log(x) : std::expm1(power * std::log(x)) / power;
}
double Zipf::inverse(double x) const {
    const double power = 1 - exponent_;
    if (std::abs(power) < 1e-9) return std::exp(x);
    return std::exp(std::log1p(std::max(x * power, -1.0)) / power);
}

std::uint64_t Zipf::operator()(Random& random) const {
    if (exponent_ == 0) return random.below(n_);
    for (;;) {
        const double u = high_ + random.unit() * (low_ - high_);
        const double x = inverse(u);
        const double k = std::min(std::max(std::floor(x + 0.5), 1.0), static_cast<double>(n_));
        if (u >= integral(k + 0.5) - std::exp(-exponent_ * std::log(k))) {
            return scatter_(static_cast<std::uint64_t>(k) - 1);
        }
    }
}

Picker Picker::hot_spot(std::uint64_t n, double accesses, double share) {
    Picker picker(n, 0);
    const std::uint64_t size = picker.zipf_.size();
    const auto hot = static_cast<std::uint64_t>(std::llround(static_cast<double>(size) * share));
    picker.scatter_ = Scatter(size);
    picker.accesses_ = accesses;
    picker.biased_ = true;
    picker.hot_ = std::min(std::max<std::uint64_t>(hot, 1), size);
    return picker;
}

std::uint64_t Picker::pick_with_hot_spot(Random& random) const {
    const std::uint64_t cold = zipf_.size() - hot_;
    if (cold == 0 || random.unit() < accesses_) return scatter_(random.below(hot_));
    return scatter_(hot_ + random.below(cold));
}

}  // namespace fsadvise::tuner
