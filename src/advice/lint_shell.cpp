#include "advice/lint_shell.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fsadvise {
namespace {

struct HereDocument {
    std::size_t command = 0;  // index of the command it belongs to
    std::string delimiter;
    bool strip_tabs = false;
};

// One pass over the text; position_ only grows, so any input ends.
class ShellSplitter {
  public:
    explicit ShellSplitter(std::string_view text) : text_(text) {}

    std::vector<ShellCommand> run() {
        while (position_ < text_.size()) step();
        end_command(false);
        return std::move(commands_);
    }
    [[nodiscard]] const std::optional<UnclosedQuote>& unclosed() const { return unclosed_; }

  private:
    [[nodiscard]] char at(std::size_t offset = 0) const {
        return position_ + offset < text_.size() ? text_[position_ + offset] : '\0';
    }
    void advance() {
        if (text_[position_] == '\n') ++line_;
        ++position_;
    }

    void step() {
        const char c = at();
        if (c == '\n') {
            end_command(false);
            advance();
            read_here_documents();
        } else if (c == '\\' && at(1) == '\n') {
            advance();
            advance();
        } else if (c == ' ' || c == '\t' || c == '\r') {
            end_word();
            advance();
        } else if (c == '#' && !in_word_) {
            while (position_ < text_.size() && at() != '\n') ++position_;
        } else if (c == ';' || c == '(' || c == ')') {
            const bool arm_ends = c == ';' && at(1) == ';';
            end_command(false);
            if (arm_ends && !commands_.empty()) commands_.back().ends_arm = true;
            advance();
            if (arm_ends) advance();
        } else if (c == '&' || c == '|') {
            separator(c);
        } else if (c == '<' || c == '>') {
            redirection(c);
        } else {
            word_part(c);
        }
    }

    // &, &&, |, ||, |&, &>file
    void separator(char c) {
        if (c == '&' && at(1) == '>') {
            end_word();
            advance();
            return;
        }
        const bool doubled = at(1) == c;
        end_command(c == '|' && !doubled);
        advance();
        if (doubled || (c == '|' && at() == '&')) advance();
    }

    void redirection(char c) {
        // "2>": the digit is a descriptor, not a word.
        if (in_word_ && std::ranges::all_of(word_, [](unsigned char d) { return std::isdigit(d) != 0; })) {
            word_.clear();
            in_word_ = false;
        }
        end_word();
        start_command();
        if (c == '<' && at(1) == '<' && at(2) != '<') {
            here_document();
            return;
        }
        while (at() == '<' || at() == '>' || at() == '&' || at() == '|') advance();
        redirect_ = c;
    }

    void here_document() {
        advance();
        advance();
        HereDocument document;
        document.command = commands_.size();
        if (at() == '-') {
            document.strip_tabs = true;
            advance();
        }
        while (at() == ' ' || at() == '\t') advance();
        while (position_ < text_.size() &&
               std::string_view(" \t\n;|&<>").find(at()) == std::string_view::npos) {
            if (at() != '\'' && at() != '"' && at() != '\\') document.delimiter += at();
            advance();
        }
        if (!document.delimiter.empty()) pending_.push_back(std::move(document));
    }

    std::string_view take_line() {
        const auto end = text_.find('\n', position_);
        const auto line = text_.substr(position_, end == std::string_view::npos ? end : end - position_);
        position_ = end == std::string_view::npos ? text_.size() : end + 1;
        ++line_;
        return line;
    }

    void read_here_documents() {
        for (const auto& document : pending_) {
            std::string body;
            const int first = line_;
            while (position_ < text_.size()) {
                auto line = take_line();
                if (document.strip_tabs)
                    line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
                if (line == document.delimiter) break;
                body.append(line).push_back('\n');
            }
            if (document.command < commands_.size()) {
                commands_[document.command].here_document = std::move(body);
                commands_[document.command].here_line = first;
            }
        }
        pending_.clear();
    }

    void word_part(char c) {
        start_command();
        in_word_ = true;
        if (c == '\'') {
            const int opened = line_;
            advance();
            while (position_ < text_.size() && at() != '\'') take();
            close(opened, '\'');
        } else if (c == '$' && at(1) == '\'') {
            escaped_quote();
        } else if (c == '"') {
            double_quoted();
        } else if (c == '\\' && position_ + 1 < text_.size()) {
            advance();
            take();
        } else if (c == '$' && at(1) == '(') {
            nested('(', ')');
        } else if (c == '$' && at(1) == '{') {
            nested('{', '}');
        } else if (c == '`') {
            backquoted();
        } else {
            take();
        }
    }

    // A backslash hides the backquote of a substitution inside the substitution.
    void backquoted() {
        take();
        while (position_ < text_.size() && at() != '`') {
            if (at() == '\\' && position_ + 1 < text_.size()) take();
            take();
        }
        if (position_ < text_.size()) take();
    }

    // $'...': a backslash hides the quote that follows it.
    void escaped_quote() {
        const int opened = line_;
        advance();
        advance();
        while (position_ < text_.size() && at() != '\'') {
            if (at() == '\\' && position_ + 1 < text_.size()) take();
            take();
        }
        close(opened, '\'');
    }

    void close(int opened, char quote) {
        if (position_ < text_.size())
            advance();
        else if (!unclosed_)
            unclosed_ = UnclosedQuote{opened, quote};
    }

    void double_quoted() {
        const int opened = line_;
        advance();
        while (position_ < text_.size() && at() != '"') {
            if (at() == '\\' && at(1) == '\n') {
                advance();
                advance();
            } else if (at() == '\\' && std::string_view("\"\\$`").find(at(1)) != std::string_view::npos) {
                advance();
                take();
            } else {
                substitution_or_text();
            }
        }
        close(opened, '"');
    }

    // Inside double quotes: $(...), ${...} and `...` have quotes of their own.
    void substitution_or_text() {
        if (at() == '$' && at(1) == '(' && depth_ < kDeepest) {
            nested('(', ')');
        } else if (at() == '$' && at(1) == '{' && depth_ < kDeepest) {
            nested('{', '}');
        } else if (at() == '`') {
            backquoted();
        } else {
            take();
        }
    }

    // Keeps $(...) and ${...} as text up to the matching bracket; brackets in quotes do not count.
    void nested(char open, char close) {
        ++depth_;
        take();
        int brackets = 0;
        while (position_ < text_.size()) {
            if (at() == '\\' && position_ + 1 < text_.size()) {
                take();
                take();
                continue;
            }
            if (at() == '"') {
                kept_quote();
                continue;
            }
            if (at() == '\'' && open == '(') {
                take();
                while (position_ < text_.size() && at() != '\'') take();
                if (position_ < text_.size()) take();
                continue;
            }
            if (at() == open) ++brackets;
            const bool last = at() == close && --brackets == 0;
            take();
            if (last) break;
        }
        --depth_;
    }

    // A double quoted part of a substitution, quotes included.
    void kept_quote() {
        take();
        while (position_ < text_.size() && at() != '"') {
            if (at() == '\\' && position_ + 1 < text_.size()) {
                take();
                take();
            } else {
                substitution_or_text();
            }
        }
        if (position_ < text_.size()) take();
    }

    void take() {
        word_ += at();
        advance();
    }

    void start_command() {
        if (current_.line == 0) current_.line = line_;
    }

    void end_word() {
        if (!in_word_) return;
        if (redirect_ == '>') {
            current_.outputs.push_back(word_);
        } else if (redirect_ == '\0') {
            current_.words.push_back(word_);
        }
        redirect_ = '\0';
        word_.clear();
        in_word_ = false;
    }

    void end_command(bool piped) {
        end_word();
        redirect_ = '\0';
        // A here-document refers to this index even if the command has no word.
        if (!current_.words.empty() || current_.line != 0) {
            current_.piped = piped;
            commands_.push_back(std::move(current_));
        }
        current_ = {};
    }

    std::string_view text_;
    // Substitutions nest by recursion: what is deeper than anyone writes is taken as text.
    static constexpr int kDeepest = 50;

    std::size_t position_ = 0;
    int line_ = 1, depth_ = 0;
    std::vector<ShellCommand> commands_;
    ShellCommand current_;
    std::string word_;
    bool in_word_ = false;
    char redirect_ = '\0';
    std::vector<HereDocument> pending_;
    std::optional<UnclosedQuote> unclosed_;
};

bool is_assignment(std::string_view word) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    const auto name = word.substr(0, equals);
    return std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// A program that runs another one, and which of its options take a value.
struct Wrapper {
    std::string_view name;
    std::string_view options_with_value;  // letters
    int positional = 0;                   // own words before the command
};

constexpr auto kWrappers = std::to_array<Wrapper>({{"sudo", "ugCDhprRtT", 0},
                                                   {"doas", "Cu", 0},
                                                   {"run0", "", 0},
                                                   {"env", "uCS", 0},
                                                   {"nice", "n", 0},
                                                   {"ionice", "cnpPu", 0},
                                                   {"nohup", "", 0},
                                                   {"time", "fo", 0},
                                                   {"timeout", "ks", 1},
                                                   {"chroot", "", 1},
                                                   {"command", "", 0},
                                                   {"exec", "a", 0}});
constexpr auto kReserved = std::to_array<std::string_view>(
    {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done"});

std::size_t skip_wrapper(const std::vector<std::string>& words, std::size_t index, const Wrapper& wrapper) {
    int positional = wrapper.positional;
    ++index;
    while (index < words.size()) {
        const std::string_view word = words[index];
        if (word.size() > 1 && word.front() == '-') {
            const bool takes_next =
                word.size() == 2 && wrapper.options_with_value.find(word[1]) != std::string_view::npos;
            index += takes_next ? 2 : 1;
        } else if (is_assignment(word)) {
            ++index;
        } else if (positional > 0) {
            --positional;
            ++index;
        } else {
            break;
        }
    }
    return std::min(index, words.size());
}

}  // namespace

std::vector<ShellCommand> split_shell(std::string_view text) {
    return ShellSplitter(text).run();
}

std::optional<UnclosedQuote> unclosed_quote(std::string_view text) {
    ShellSplitter splitter(text);
    (void)splitter.run();
    return splitter.unclosed();
}

std::vector<std::string> strip_prefixes(const std::vector<std::string>& words) {
    std::size_t index = 0;
    while (index < words.size()) {
        const std::string_view word = words[index];
        const auto name = word.substr(word.rfind('/') == std::string_view::npos ? 0 : word.rfind('/') + 1);
        const auto wrapper = std::ranges::find(kWrappers, name, &Wrapper::name);
        if (wrapper != kWrappers.end()) {
            index = skip_wrapper(words, index, *wrapper);
        } else if (is_assignment(word) || std::ranges::find(kReserved, word) != kReserved.end()) {
            ++index;
        } else if (word.starts_with('$') && index + 1 < words.size()) {
            ++index;  // $SUDO mkfs.xfs ...
        } else {
            break;
        }
    }
    return {words.begin() + static_cast<std::ptrdiff_t>(index), words.end()};
}

bool has_placeholder(std::string_view word) {
    return word.find_first_of("$`") != std::string_view::npos || word.find("{{") != std::string_view::npos;
}

}  // namespace fsadvise
