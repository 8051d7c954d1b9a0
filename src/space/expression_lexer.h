// Internal: cuts the text of an expression into tokens.
//
// Errors: kBadInput; the message carries the column, the context is the expression.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "space/value.h"

namespace fsadvise {

enum class TokenKind { kEnd, kName, kWord, kNumber, kSymbol };

struct Token {
    TokenKind kind = TokenKind::kEnd;
    std::string_view text;  // kWord: without the quotes
    std::size_t column = 1;
    Value number{};  // kNumber
};

// Invariant: `position_` is within `text_`.
class ExpressionLexer {
  public:
    explicit ExpressionLexer(std::string_view text) : text_(text) {}
    Result<Token> next();
    [[nodiscard]] std::string_view text() const { return text_; }

  private:
    Result<Token> number();
    Result<Token> word();

    std::string_view text_;
    std::size_t position_ = 0;
};

tl::unexpected<Error> expression_error(std::string_view text, std::size_t column, std::string_view message,
                                       std::string hint = {});

}  // namespace fsadvise
