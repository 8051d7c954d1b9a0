#include "base/fstab_field.h"

#include <algorithm>

#include <fmt/format.h>

namespace fsadvise {

std::string unescape_fstab_field(std::string_view field) {
    constexpr std::size_t kDigits = 3;
    const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
        const auto digits = field.substr(i + 1, kDigits);
        if (field[i] != '\\' || digits.size() < kDigits || !std::ranges::all_of(digits, is_octal)) {
            text += field[i];
            continue;
        }
        text += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
        i += kDigits;
    }
    return text;
}

std::string escape_fstab_field(std::string_view text) {
    std::string field;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\\' || c == '#') {
            field += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        } else {
            field += c;
        }
    }
    return field;
}

}  // namespace fsadvise
