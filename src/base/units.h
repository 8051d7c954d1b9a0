// Sizes, durations, versions and rates: parse what people type, print what people read.
//
// Units: sizes are bytes, IEC (K = KiB = 1024); durations are nanoseconds.
// Errors: a parse failure is ErrorCode::kBadInput with the offending text as context.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fsadvise {

inline constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * 1024, kGiB = kMiB * 1024, kTiB = kGiB * 1024;

// "4G", "4GiB", "512m", "1.5T", "4096"; a decimal suffix such as "GB" is 1000-based.
Result<std::uint64_t> parse_size(std::string_view text);
// Shortest exact IEC form: 4294967296 -> "4GiB", 1000 -> "1000B". Used where the text is parsed again.
std::string size_text(std::uint64_t bytes);
// Rounded for people: "3.7 GiB".
std::string human_size(double bytes);

// "90s", "5m", "2h", "1m30s", "250ms"; a bare number is seconds.
Result<std::int64_t> parse_duration_ns(std::string_view text);
std::string human_duration(std::int64_t ns);  // "1m 30s", "250 ms", "83 us"
std::string human_rate(double per_second);    // "12.4 k/s"

// Dotted version, compared number by number; trailing text is ignored ("6.18.44-arch1" -> 6.18.44).
struct Version {
    std::vector<int> parts;  // empty = unknown

    static Version parse(std::string_view text);
    [[nodiscard]] bool known() const { return !parts.empty(); }
    [[nodiscard]] std::string text() const;
    // 6.1 == 6.1.0
    friend std::strong_ordering operator<=>(const Version& a, const Version& b);
    friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

}  // namespace fsadvise
