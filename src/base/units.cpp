#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise {
namespace {

// Reads a non-negative decimal number at the start of `text` and removes it. from_chars knows no locale.
std::optional<double> take_number(std::string_view& text) {
    double number = 0;
    auto [end, code] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (code != std::errc{} || number < 0 || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<double> size_factor(std::string_view suffix) {
    if (suffix.empty() || suffix == "b") return 1.0;
    static constexpr std::string_view kLetters = "kmgtpe";
    const auto power = kLetters.find(suffix.front());
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view rest = suffix.substr(1);
    if (rest == "b") return std::pow(1000.0, static_cast<double>(power + 1));
    if (rest.empty() || rest == "i" || rest == "ib") return std::pow(1024.0, static_cast<double>(power + 1));
    return std::nullopt;
}

std::optional<double> duration_factor(std::string_view unit) {
    if (unit == "ns") return 1.0;
    if (unit == "us") return 1e3;
    if (unit == "ms") return 1e6;
    if (unit.empty() || unit == "s" || unit == "sec") return 1e9;
    if (unit == "m" || unit == "min") return 60e9;
    if (unit == "h") return 3600e9;
    if (unit == "d") return 86400e9;
    return std::nullopt;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
    const auto bad = [&](std::string_view why) {
        return fail(ErrorCode::kBadInput, fmt::format("'{}' {}", text, why), {},
                    "write a number with an optional K, M, G or T, for example 512M or 1.5T");
    };
    std::string_view rest = trim(text);
    const auto number = take_number(rest);
    if (!number) return bad("is not a size");
    const auto factor = size_factor(lower(trim(rest)));
    if (!factor) return bad("is not a size");
    const double bytes = *number * *factor;
    if (bytes >= 1.8e19) return bad("is more than the 16E that 64 bits hold");
    constexpr double kMost =
        9223372036854774784.0;  // the largest double below 2^63: nothing on Linux is larger
    return static_cast<std::uint64_t>(std::llround(std::min(bytes, kMost)));
}

std::string size_text(std::uint64_t bytes) {
    static constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes == 0 || bytes % kKiB != 0) return fmt::format("{}B", bytes);
    std::size_t unit = 0;
    bytes /= kKiB;
    while (bytes % kKiB == 0 && unit + 1 < kUnits.size()) {
        bytes /= kKiB;
        ++unit;
    }
    return fmt::format("{}{}", bytes, kUnits[unit]);
}

std::string human_size(double bytes) {
    static constexpr std::array<std::string_view, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    if (unit == 0 || bytes == std::floor(bytes)) return fmt::format("{:.0f} {}", bytes, kUnits[unit]);
    return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

Result<std::int64_t> parse_duration_ns(std::string_view text) {
    const auto bad = [&] {
        return fail(ErrorCode::kBadInput, fmt::format("'{}' is not a duration", text), {},
                    "write for example 90s, 5m, 2h or 1m30s");
    };
    std::string_view rest = trim(text);
    if (rest.empty()) return bad();
    double total = 0;
    while (!rest.empty()) {
        const auto number = take_number(rest);
        if (!number) return bad();
        std::size_t letters = 0;
        while (letters < rest.size() && rest[letters] >= 'a' && rest[letters] <= 'z') ++letters;
        const auto factor = duration_factor(rest.substr(0, letters));
        if (!factor) return bad();
        rest.remove_prefix(letters);
        total += *number * *factor;
    }
    if (total > 9e18) return bad();
    return static_cast<std::int64_t>(std::llround(total));
}

std::string human_duration(std::int64_t ns) {
    const double value = static_cast<double>(ns);
    if (ns < 1'000) return fmt::format("{} ns", ns);
    if (ns < 1'000'000) return fmt::format("{:.0f} us", value / 1e3);
    if (ns < 1'000'000'000) return fmt::format("{:.0f} ms", value / 1e6);
    const auto seconds = static_cast<std::int64_t>(std::llround(value / 1e9));
    if (seconds < 10) return fmt::format("{:.1f} s", value / 1e9);
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) {
        return seconds % 60 == 0 ? fmt::format("{} min", seconds / 60)
                                 : fmt::format("{} min {} s", seconds / 60, seconds % 60);
    }
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

std::string human_rate(double per_second) {
    if (per_second >= 1e6) return fmt::format("{:.2f} M/s", per_second / 1e6);
    if (per_second >= 1e4) return fmt::format("{:.1f} k/s", per_second / 1e3);
    if (per_second >= 100) return fmt::format("{:.0f} /s", per_second);
    return fmt::format("{:.2f} /s", per_second);
}

Version Version::parse(std::string_view text) {
    Version version;
    text = trim(text);
    if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
    while (true) {
        int number = 0;
        auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (code != std::errc{} || number < 0) break;
        version.parts.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.size() < 2 || text.front() != '.') break;
        text.remove_prefix(1);
    }
    return version;
}

std::string Version::text() const {
    return fmt::format("{}", fmt::join(parts, "."));
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
    const std::size_t length = std::max(a.parts.size(), b.parts.size());
    for (std::size_t i = 0; i < length; ++i) {
        const int left = i < a.parts.size() ? a.parts[i] : 0;
        const int right = i < b.parts.size() ? b.parts[i] : 0;
        if (left != right) return left <=> right;
    }
    return std::strong_ordering::equal;
}

}  // namespace fsadvise
