#include "space/json_document.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace fsadvise {

namespace {

constexpr int kDeepestNesting = 64;
constexpr std::size_t kLongestText = std::size_t{1} << 30;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Length of the UTF-8 sequence at the start of `text`, 0 if malformed (overlong forms and surrogates are).
std::size_t utf8_length(std::string_view text) {
    const auto at = [&](std::size_t index) -> unsigned {
        return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
    };
    const auto continues = [&](std::size_t index) { return (at(index) & 0xC0U) == 0x80U; };
    const unsigned first = at(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if (first == 0xE0 && at(1) < 0xA0) return 0;
        if (first == 0xED && at(1) > 0x9F) return 0;
        return continues(1) && continues(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (first == 0xF0 && at(1) < 0x90) return 0;
        if (first == 0xF4 && at(1) > 0x8F) return 0;
        return continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

void append_utf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0U | (point >> 6U));
        put(0x80U | (point & 0x3FU));
    } else if (point < 0x10000) {
        put(0xE0U | (point >> 12U));
        put(0x80U | ((point >> 6U) & 0x3FU));
        put(0x80U | (point & 0x3FU));
    } else {
        put(0xF0U | (point >> 18U));
        put(0x80U | ((point >> 12U) & 0x3FU));
        put(0x80U | ((point >> 6U) & 0x3FU));
        put(0x80U | (point & 0x3FU));
    }
}

std::string escape_pointer(std::string_view key) {
    std::string escaped;
    for (const char c : key) {
        if (c == '~') {
            escaped += "~0";
        } else if (c == '/') {
            escaped += "~1";
        } else {
            escaped += c;
        }
    }
    return escaped;
}

}  // namespace

std::string_view to_text(JsonType type) {
    switch (type) {
        case JsonType::kNull:
            return "null";
        case JsonType::kBool:
            return "a bool";
        case JsonType::kNumber:
            return "a number";
        case JsonType::kString:
            return "a string";
        case JsonType::kArray:
            return "an array";
        case JsonType::kObject:
            return "an object";
    }
    return {};
}

// Invariant: `position_` is within `text_`; nodes are complete but for the open ones on the call stack.
class JsonParser {
  public:
    explicit JsonParser(JsonDocument& document) : document_(document), text_(document.text_) {}

    Result<void> run() {
        if (text_.size() >= kLongestText) return error("the file is larger than 1 GiB");
        document_.nodes_.reserve(text_.size() / 20 + 16);
        bool ok = value({}, 0);
        if (ok) {
            skip_space();
            if (position_ != text_.size()) ok = stop("expected the end of the file");
        }
        if (!ok) return error(problem_);
        return {};
    }

  private:
    using Node = JsonDocument::Node;

    // Results as bool with the problem aside: this runs once a token.
    bool stop(std::string_view problem) {
        problem_ = problem;
        return false;
    }
    [[nodiscard]] tl::unexpected<Error> error(std::string_view problem) const {
        const auto before = text_.substr(0, position_);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t newline = before.rfind('\n');
        const std::size_t column = newline == std::string_view::npos ? position_ + 1 : position_ - newline;
        return fail(ErrorCode::kBadInput, fmt::format("not valid JSON: {}", problem),
                    fmt::format("{}:{}:{}", document_.name_, line, column));
    }
    [[nodiscard]] char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
    void skip_space() {
        while (position_ < text_.size()) {
            const char c = text_[position_];
            if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
            ++position_;
        }
    }

    bool value(std::string_view key, int depth) {
        skip_space();
        const std::size_t index = document_.nodes_.size();
        const std::size_t start = position_;
        document_.nodes_.push_back({key, {}, 0, JsonType::kNull});
        JsonType type = JsonType::kNull;
        std::string_view content;
        bool ok = false;
        switch (peek()) {
            case '{':
                type = JsonType::kObject;
                ok = object(depth);
                break;
            case '[':
                type = JsonType::kArray;
                ok = array(depth);
                break;
            case '"':
                type = JsonType::kString;
                ok = string(content);
                break;
            case 't':
                type = JsonType::kBool;
                ok = literal("true");
                break;
            case 'f':
                type = JsonType::kBool;
                ok = literal("false");
                break;
            case 'n':
                ok = literal("null");
                break;
            default:
                type = JsonType::kNumber;
                ok = number();
                break;
        }
        Node& node = document_.nodes_[index];
        node.type = type;
        node.text = type == JsonType::kString ? content : text_.substr(start, position_ - start);
        node.next = static_cast<std::uint32_t>(document_.nodes_.size());
        return ok;
    }

    bool object(int depth) {
        if (depth >= kDeepestNesting) return stop("nested too deeply");
        ++position_;
        skip_space();
        if (peek() == '}') return ++position_, true;
        while (true) {
            skip_space();
            std::string_view key;
            if (peek() != '"') return stop("expected a key in quotes");
            if (!string(key)) return false;
            skip_space();
            if (peek() != ':') return stop("expected ':'");
            ++position_;
            if (!value(key, depth + 1)) return false;
            skip_space();
            const char c = peek();
            if (c == '}') return ++position_, true;
            if (c != ',') return stop("expected ',' or '}'");
            ++position_;
        }
    }

    bool array(int depth) {
        if (depth >= kDeepestNesting) return stop("nested too deeply");
        ++position_;
        skip_space();
        if (peek() == ']') return ++position_, true;
        while (true) {
            if (!value({}, depth + 1)) return false;
            skip_space();
            const char c = peek();
            if (c == ']') return ++position_, true;
            if (c != ',') return stop("expected ',' or ']'");
            ++position_;
        }
    }

    bool literal(std::string_view word) {
        if (text_.substr(position_, word.size()) != word) return stop("expected a value");
        position_ += word.size();
        return true;
    }

    bool digits() {
        if (!is_digit(peek())) return stop("expected a value");
        while (is_digit(peek())) ++position_;
        return true;
    }
    bool number() {
        if (peek() == '-') ++position_;
        if (peek() == '0') {
            ++position_;
            if (is_digit(peek())) return stop("a number has no leading zeros");
        } else if (!digits()) {
            return false;
        }
        if (peek() == '.') {
            ++position_;
            if (!digits()) return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            ++position_;
            if (peek() == '+' || peek() == '-') ++position_;
            if (!digits()) return false;
        }
        return true;
    }

    bool string(std::string_view& content) {
        const std::size_t start = ++position_;
        bool escaped = false;
        while (true) {
            if (position_ >= text_.size()) return stop("the string does not end");
            const auto c = static_cast<unsigned char>(text_[position_]);
            if (c == '"') break;
            if (c < 0x20) return stop("control characters in a string are escaped");
            if (c == '\\') {
                escaped = true;
                position_ += 2;
            } else if (c < 0x80) {
                ++position_;
            } else {
                const std::size_t length = utf8_length(text_.substr(position_));
                if (length == 0) return stop("not valid UTF-8");
                position_ += length;
            }
        }
        content = text_.substr(start, position_ - start);
        ++position_;
        return !escaped || unescape(content);
    }

    std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
        if (at + 4 > text.size()) return std::nullopt;
        std::uint32_t number = 0;
        for (const char c : text.substr(at, 4)) {
            const auto digit =
                std::string_view("0123456789abcdef").find(static_cast<char>(c | (is_digit(c) ? 0 : 0x20)));
            if (digit == std::string_view::npos) return std::nullopt;
            number = number * 16 + static_cast<std::uint32_t>(digit);
        }
        return number;
    }

    bool unescape(std::string_view& content) {
        std::string out;
        out.reserve(content.size());
        for (std::size_t i = 0; i < content.size(); ++i) {
            if (content[i] != '\\') {
                out += content[i];
                continue;
            }
            ++i;  // in range: the scan in string() stepped over both characters
            constexpr std::string_view kLetters = "\"\\/bfnrt";
            constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
            if (const auto letter = kLetters.find(content[i]); letter != std::string_view::npos) {
                out += kMeanings[letter];
                continue;
            }
            auto point = content[i] == 'u' ? hex4(content, i + 1) : std::nullopt;
            if (!point) return stop("unknown escape in the string");
            i += 4;
            if (*point >= 0xD800 && *point <= 0xDBFF) {
                const bool pair = content.substr(i + 1, 2) == "\\u";
                const auto low = pair ? hex4(content, i + 3) : std::nullopt;
                if (!low || *low < 0xDC00 || *low > 0xDFFF) return stop("half of a surrogate pair");
                point = 0x10000U + ((*point - 0xD800U) << 10U) + (*low - 0xDC00U);
                i += 6;
            } else if (*point >= 0xDC00 && *point <= 0xDFFF) {
                return stop("half of a surrogate pair");
            }
            append_utf8(out, *point);
        }
        document_.unescaped_.push_back(std::move(out));
        content = document_.unescaped_.back();
        return true;
    }

    JsonDocument& document_;
    std::string_view text_;
    std::size_t position_ = 0;
    std::string_view problem_;
};

Result<void> JsonDocument::parse() {
    return JsonParser(*this).run();
}

std::string JsonValue::pointer() const {
    std::string pointer;
    JsonValue at = document_->root();
    while (at.index_ != index_) {
        std::size_t position = 0;
        for (const JsonValue child : at) {
            const bool below = child.index_ <= index_ && index_ < document_->nodes_[child.index_].next;
            if (below) {
                pointer += '/';
                pointer +=
                    at.type() == JsonType::kObject ? escape_pointer(child.key()) : std::to_string(position);
                at = child;
                break;
            }
            ++position;
        }
    }
    return pointer;
}

std::string JsonValue::location() const {
    return fmt::format("{}#{}", document_->name_, pointer());
}

}  // namespace fsadvise
