#include "space/parameter_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise {
namespace {

// Spelling::suffix of a size that takes any of k, m and g.
constexpr std::string_view kIecSuffix = "iec";

// Values that a message lists in full.
constexpr std::size_t kMostListed = 12;

// Whole number with optional sign and 0x, as strtol(base 0) reads it without octal; stops at the first other
// sign.
std::optional<std::int64_t> leading_number(std::string_view text, std::string_view& rest) {
    bool negative = false;
    std::string_view digits = text;
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
        negative = digits[0] == '-';
        digits.remove_prefix(1);
    }
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        base = 16;
        digits.remove_prefix(2);
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (error != std::errc{} || number < 0) return std::nullopt;
    rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
    return negative ? -number : number;
}

std::optional<double> real_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

std::optional<std::int64_t> suffix_bytes(std::string_view suffix, SuffixUnits units) {
    const std::string word = lower(suffix);
    if (word == "s" && units.sector_bytes > 0) return units.sector_bytes;
    if (word == "b" && units.block_bytes > 0) return units.block_bytes;
    if (word.size() != 1) return std::nullopt;
    static constexpr std::string_view kOrder = "kmgtpe";
    const auto place = kOrder.find(word[0]);
    if (place == std::string_view::npos) return std::nullopt;
    return std::int64_t{1} << (10 * (place + 1));
}

// The suffix "iec" of a spelling: the largest of k, m and g that divides the size, as people write it.
std::string iec_size(std::int64_t bytes) {
    static constexpr std::string_view kSuffixes = "kmg";
    std::string suffix;
    for (const char next : kSuffixes) {
        if (bytes == 0 || bytes % 1024 != 0) break;
        bytes /= 1024;
        suffix = next;
    }
    return std::to_string(bytes) + suffix;
}

std::optional<std::int64_t> multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

WrittenValue bad(std::string note) {
    return {std::nullopt, std::move(note)};
}

WrittenValue read_number(const Parameter& parameter, std::string_view text, SuffixUnits units) {
    std::string_view rest;
    const auto number = leading_number(text, rest);
    if (!number) return bad("a number is expected");
    const Spelling& spelling = parameter.spelling;
    std::int64_t unit = spelling.unit_bytes;
    if (!rest.empty()) {
        const bool own_suffix =
            !spelling.suffix.empty() && spelling.suffix != kIecSuffix && rest == spelling.suffix;
        const bool sizes = parameter.type == ValueType::kSize && (unit == 1 || !spelling.suffix.empty());
        if (!own_suffix) {
            if (!sizes) return bad("trailing unit not accepted here");
            const auto bytes = suffix_bytes(rest, units);
            if (!bytes) return bad(fmt::format("unknown unit '{}'", rest));
            unit = *bytes;
        }
    } else if (!spelling.suffix.empty() && parameter.type == ValueType::kSize) {
        unit = 1;  // the suffix makes the unit explicit, so a bare number is bytes
    }
    const auto product = multiply(*number, unit);
    if (!product) return bad("the number is too large");
    return {Value{*product}, ""};
}

}  // namespace

std::optional<Value> value_of_text(const Parameter& parameter, std::string_view text) {
    switch (parameter.type) {
        case ValueType::kBool:
            if (text == "true" || text == "1") return Value{true};
            if (text == "false" || text == "0") return Value{false};
            return std::nullopt;
        case ValueType::kInteger:
        case ValueType::kSize: {
            std::string_view rest;
            const auto number = leading_number(text, rest);
            if (!number || !rest.empty()) return std::nullopt;
            return Value{*number};
        }
        case ValueType::kReal: {
            const auto number = real_number(text);
            if (!number) return std::nullopt;
            return Value{*number};
        }
        case ValueType::kEnum:
            for (const Value& value : parameter.domain.values)
                if (to_text(value) == text) return value;
            return Value{std::string(text)};
        case ValueType::kText:
            return Value{std::string(text)};
    }
    return std::nullopt;
}

std::optional<Value> coerce(const Parameter& parameter, const Value& value) {
    switch (parameter.type) {
        case ValueType::kBool:
            return std::holds_alternative<bool>(value) ? std::optional(value) : std::nullopt;
        case ValueType::kInteger:
        case ValueType::kSize:
            if (std::holds_alternative<std::int64_t>(value)) return value;
            if (const double* real = std::get_if<double>(&value))
                if (std::nearbyint(*real) == *real && std::abs(*real) < 9.2e18)
                    return Value{static_cast<std::int64_t>(*real)};
            return std::nullopt;
        case ValueType::kReal:
            if (std::holds_alternative<double>(value)) return value;
            if (const auto* whole = std::get_if<std::int64_t>(&value))
                return Value{static_cast<double>(*whole)};
            return std::nullopt;
        case ValueType::kEnum:
        case ValueType::kText:
            for (const Value& known : parameter.domain.values)
                if (equal(known, value)) return known;
            return std::holds_alternative<std::string>(value) ? std::optional(value) : std::nullopt;
    }
    return std::nullopt;
}

WrittenValue read_written(const Parameter& parameter, std::string_view text, SuffixUnits units) {
    switch (parameter.type) {
        case ValueType::kBool:
            if (text == "1") return {Value{true}, ""};
            if (text == "0") return {Value{false}, ""};
            return bad("0 or 1 is expected");
        case ValueType::kInteger:
        case ValueType::kSize:
            return read_number(parameter, text, units);
        case ValueType::kReal: {
            const auto number = real_number(text);
            return number ? WrittenValue{Value{*number}, ""} : bad("a number is expected");
        }
        case ValueType::kEnum:
            for (const Value& value : parameter.domain.values)
                if (to_text(value) == text) return {value, ""};
            for (const Value& value : parameter.domain.special)
                if (to_text(value) == text) return {value, ""};
            {
                std::vector<std::string> known;
                // "zstd:3" goes without saying where "zstd" is listed.
                const bool many = parameter.domain.values.size() > kMostListed;
                for (const Value& value : parameter.domain.values) {
                    const std::string name = to_text(value);
                    if (!many || name.find(':') == std::string::npos) known.push_back(name);
                }
                return bad(fmt::format("'{}' is not one of {}", text, join(known, ", ")));
            }
        case ValueType::kText:
            return text.empty() ? bad("a value is expected") : WrittenValue{Value{std::string(text)}, ""};
    }
    return bad("a value is expected");
}

std::string write_value(const Parameter& parameter, const Value& value) {
    const Spelling& spelling = parameter.spelling;
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        if (spelling.suffix == kIecSuffix && parameter.type == ValueType::kSize) return iec_size(*number);
        const std::int64_t unit = std::max<std::int64_t>(1, spelling.unit_bytes);
        // A size that is no whole number of units is written in bytes where a suffix made the unit explicit.
        if (*number % unit != 0 && !spelling.suffix.empty() && parameter.type == ValueType::kSize)
            return std::to_string(*number);
        return std::to_string(*number / unit) + spelling.suffix;
    }
    if (const double* real = std::get_if<double>(&value)) return fmt::format("{:g}", *real) + spelling.suffix;
    return std::get<std::string>(value);
}

}  // namespace fsadvise
