// The value of one parameter: a flag, a whole number, a real number or a word.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include <nlohmann/json_fwd.hpp>

namespace fsadvise {

using Value = std::variant<bool, std::int64_t, double, std::string>;

std::string to_text(const Value& value);  // true, 4096, 0.5, zstd:1
nlohmann::json to_json(const Value& value);
// Anything but bool, number and string is a caller's bug (schema checks come first).
Value value_from_json(const nlohmann::json& json);
// Numbers compare by size across int64 and double; different kinds are unordered and unequal.
bool equal(const Value& a, const Value& b);

}  // namespace fsadvise
