#include "space/expression_lexer.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace fsadvise {

namespace {

// Not <cctype>: the language is ASCII whatever the locale says.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::optional<double> unit_factor(std::string_view unit) {
    if (unit.empty()) return 1.0;
    constexpr std::string_view kPrefixes = "KMGTPE";
    const std::size_t prefix = kPrefixes.find(unit[0]);
    if (unit.size() != 2 || unit[1] != 'i' || prefix == std::string_view::npos) return std::nullopt;
    return std::ldexp(1.0, static_cast<int>(prefix + 1) * 10);
}

// 8192Pi is one more than the largest std::int64_t: such numbers become real, which holds powers of two
// exactly.
std::optional<Value> number_value(std::string_view digits, double factor) {
    if (digits.find('.') == std::string_view::npos) {
        std::int64_t whole = 0, product = 0;
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
        if (problem == std::errc{} && end == digits.data() + digits.size() &&
            !__builtin_mul_overflow(whole, static_cast<std::int64_t>(factor), &product)) {
            return product;
        }
    }
    double real = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
    if (problem != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    real *= factor;
    if (factor > 1.0 && real == std::floor(real) && real < 0x1p63) return static_cast<std::int64_t>(real);
    return real;
}

}  // namespace

tl::unexpected<Error> expression_error(std::string_view text, std::size_t column, std::string_view message,
                                       std::string hint) {
    constexpr std::size_t kShown = 200;
    std::string shown(text.substr(0, kShown));
    if (text.size() > kShown) shown += "...";
    return fail(ErrorCode::kBadInput, fmt::format("column {}: {}", column, message), std::move(shown),
                std::move(hint));
}

Result<Token> ExpressionLexer::number() {
    const std::size_t start = position_;
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    if (position_ + 1 < text_.size() && text_[position_] == '.' && is_digit(text_[position_ + 1])) {
        ++position_;
        while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    }
    const std::string_view digits = text_.substr(start, position_ - start);
    const std::size_t unit_start = position_;
    while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_])))
        ++position_;
    const std::string_view unit = text_.substr(unit_start, position_ - unit_start);
    if (position_ < text_.size() && text_[position_] == '.') {
        return expression_error(text_, start + 1, "this is not a number",
                                "versions are quoted: since(kernel, '5.10.1')");
    }
    const auto factor = unit_factor(unit);
    if (!factor) {
        return expression_error(text_, unit_start + 1, fmt::format("unknown unit '{}'", unit),
                                "use Ki, Mi, Gi, Ti, Pi or Ei");
    }
    auto value = number_value(digits, *factor);
    if (!value) return expression_error(text_, start + 1, fmt::format("number '{}' is out of range", digits));
    return Token{TokenKind::kNumber, text_.substr(start, position_ - start), start + 1, std::move(*value)};
}

Result<Token> ExpressionLexer::word() {
    const std::size_t start = position_++;
    const std::size_t end = text_.find('\'', position_);
    if (end == std::string_view::npos) {
        return expression_error(text_, start + 1, "the quoted word does not end, expected '");
    }
    const std::string_view content = text_.substr(position_, end - position_);
    position_ = end + 1;
    return Token{TokenKind::kWord, content, start + 1, {}};
}

Result<Token> ExpressionLexer::next() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    if (position_ == text_.size()) return Token{TokenKind::kEnd, {}, position_ + 1, {}};
    const std::size_t start = position_;
    const char c = text_[start];
    if (is_digit(c)) return number();
    if (c == '\'') return word();
    if (is_letter(c)) {
        // A dot belongs to the name only when something follows it: "a.b" is one name, "a." an error later.
        while (position_ < text_.size() &&
               (is_letter(text_[position_]) || is_digit(text_[position_]) ||
                (text_[position_] == '.' && position_ + 1 < text_.size() &&
                 (is_letter(text_[position_ + 1]) || is_digit(text_[position_ + 1]))))) {
            ++position_;
        }
        return Token{TokenKind::kName, text_.substr(start, position_ - start), start + 1, {}};
    }
    const std::string_view pair = text_.substr(start, 2);
    std::size_t length = 0;
    if (pair == "==" || pair == "!=" || pair == "<=" || pair == ">=") {
        length = 2;
    } else if (std::string_view("<>+-*/%()[],").find(c) != std::string_view::npos) {
        length = 1;
    } else {
        const auto byte = static_cast<unsigned char>(c);
        std::string hint;
        if (c == '=') hint = "equality is written ==";
        if (c == '&') hint = "conjunction is written 'and'";
        if (c == '|') hint = "disjunction is written 'or'";
        if (c == '!') hint = "negation is written 'not'";
        if (c == '"') hint = "words are quoted like 'this'";
        return expression_error(text_, start + 1,
                                byte < 0x20 || byte > 0x7e ? fmt::format("unexpected byte 0x{:02x}", byte)
                                                           : fmt::format("unexpected character '{}'", c),
                                hint);
    }
    position_ += length;
    return Token{TokenKind::kSymbol, text_.substr(start, length), start + 1, {}};
}

}  // namespace fsadvise
