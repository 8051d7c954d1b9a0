#include "space/value.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fsadvise {

namespace {

bool is_number(const Value& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

// Exact, also where the whole number has more digits than a double holds.
bool equal_numbers(std::int64_t whole, double real) {
    if (std::isnan(real) || real != std::floor(real)) return false;
    if (real >= 0x1p63 || real < -0x1p63) return false;
    return static_cast<std::int64_t>(real) == whole;
}

}  // namespace

std::string to_text(const Value& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const double* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    return std::get<std::string>(value);
}

nlohmann::json to_json(const Value& value) {
    return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

Value value_from_json(const nlohmann::json& json) {
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_unsigned()) {
        const auto number = json.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<double>(number);
        return static_cast<std::int64_t>(number);
    }
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number_float()) return json.get<double>();
    if (json.is_string()) return json.get<std::string>();
    fmt::print(stderr, "bug: a value must be a bool, a number or a string, not {}\n", json.type_name());
    std::abort();
}

bool equal(const Value& a, const Value& b) {
    if (!is_number(a) || !is_number(b)) return a == b;
    const auto* whole_a = std::get_if<std::int64_t>(&a);
    const auto* whole_b = std::get_if<std::int64_t>(&b);
    if (whole_a != nullptr && whole_b != nullptr) return *whole_a == *whole_b;
    if (whole_a != nullptr) return equal_numbers(*whole_a, std::get<double>(b));
    if (whole_b != nullptr) return equal_numbers(*whole_b, std::get<double>(a));
    return std::get<double>(a) == std::get<double>(b);
}

}  // namespace fsadvise
