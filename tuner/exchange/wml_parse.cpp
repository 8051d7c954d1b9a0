// Words, braces and commands of filebench's language.
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/exchange/wml.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kMostItems = 20'000;

struct Token {
    enum class Kind { kWord, kString, kComma, kEquals, kOpen, kClose, kEnd } kind = Kind::kEnd;
    std::string text;
    int line = 1;
};
using Kind = Token::Kind;

class Lexer {
  public:
    Lexer(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    Result<Token> next() {
        while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
            if (text_[at_] == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            if (text_[at_] == '\n') ++line_;
            ++at_;
        }
        Token token{Kind::kEnd, {}, line_};
        if (at_ == text_.size()) return token;
        const char c = text_[at_];
        if (c == '"') return quoted(token);
        static constexpr std::string_view kMarks = ",={}";
        if (const auto mark = kMarks.find(c); mark != std::string_view::npos) {
            static constexpr Kind kKinds[] = {Kind::kComma, Kind::kEquals, Kind::kOpen, Kind::kClose};
            token.kind = kKinds[mark];
            token.text = c;
            ++at_;
            return token;
        }
        token.kind = Kind::kWord;
        int depth = 0;  // cvar(type=..., parameters=...) is one word
        while (at_ < text_.size()) {
            const char now = text_[at_];
            if (depth == 0 && (is_space(now) || kMarks.find(now) != std::string_view::npos || now == '#'))
                break;
            if (now == '\n') break;
            if (now == '(') ++depth;
            if (now == ')') --depth;
            token.text += now;
            ++at_;
        }
        return token;
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    Result<Token> quoted(Token token) {
        const auto end = text_.find('"', at_ + 1);
        if (end == std::string_view::npos) {
            return fail(ErrorCode::kBadInput, "a quoted text does not end",
                        fmt::format("{}:{}", path_, line_));
        }
        token.kind = Kind::kString;
        token.text = text_.substr(at_ + 1, end - at_ - 1);
        line_ += static_cast<int>(std::count(token.text.begin(), token.text.end(), '\n'));
        at_ = end + 1;
        return token;
    }
    std::string_view text_;
    const std::string& path_;
    std::size_t at_ = 0;
    int line_ = 1;
};

class Parser {
  public:
    Parser(std::string_view text, const std::string& path, Notes& notes)
        : lexer_(text, path), path_(path), notes_(notes) {}

    Result<WmlModel> run() {
        FSADVISE_TRY(advance());
        while (now_.kind != Kind::kEnd) FSADVISE_TRY(command());
        return std::move(model_);
    }

  private:
    [[nodiscard]] std::string place(int line) const { return fmt::format("{}:{}", path_, line); }
    [[nodiscard]] tl::unexpected<Error> bad(std::string message, std::string hint = {}) const {
        return fail(ErrorCode::kBadInput, printable(message), place(now_.line), std::move(hint));
    }
    Result<void> advance() {
        FSADVISE_ASSIGN(now_, lexer_.next());
        return {};
    }
    [[nodiscard]] bool at_word(std::string_view word) const {
        return now_.kind == Kind::kWord && now_.text == word;
    }
    Result<void> expect(Kind kind, const char* what) {
        if (now_.kind != kind)
            return bad(fmt::format("{} is expected, not '{}'", what, now_.text.substr(0, 60)));
        return advance();
    }

    Result<void> command() {
        static const std::vector<std::string> kCommands = {
            "define",  "set",    "run",     "psrun", "echo",       "usage",    "eventgen", "create",
            "debug",   "enable", "disable", "quit",  "shutdown",   "sleep",    "stats",    "system",
            "version", "load",   "list",    "log",   "nousestats", "multisync"};
        if (now_.kind != Kind::kWord)
            return bad(fmt::format("a command is expected, not '{}'", now_.text.substr(0, 60)));
        const std::string word = now_.text;
        if (std::find(kCommands.begin(), kCommands.end(), word) == kCommands.end()) {
            return bad(fmt::format("unknown command '{}'{}", word.substr(0, 60),
                                   did_you_mean(word.substr(0, 60), kCommands)));
        }
        const int line = now_.line;
        FSADVISE_TRY(advance());
        if (word == "define") return define();
        if (word == "set") return set();
        if (word == "load") {
            return fail(ErrorCode::kBadInput, "load: other personalities are not read from here", place(line),
                        "import that file itself");
        }
        if (word == "eventgen") model_.paced = true;
        // The rest says how long, or is for the eye: skipped up to the next command.
        while (now_.kind != Kind::kEnd && now_.line == line) FSADVISE_TRY(advance());
        return {};
    }

    Result<void> define() {
        static const std::vector<std::string> kKinds = {"file", "fileset", "process", "randvar", "flowop"};
        if (now_.kind != Kind::kWord) return bad("define what? file, fileset, process or randvar");
        const std::string kind = now_.text;
        if (kind == "flowop")
            return bad("composite flow operations are not known", "write their operations into the thread");
        if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
            return bad(fmt::format("cannot define '{}'{}", kind.substr(0, 60),
                                   did_you_mean(kind.substr(0, 60), kKinds)));
        }
        FSADVISE_ASSIGN(WmlItem found, item());
        if (kind == "process") {
            FSADVISE_TRY(children(found, "thread"));
            model_.processes.push_back(std::move(found));
        } else if (kind == "randvar") {
            FSADVISE_TRY(random_variable(found));
        } else {
            model_.sets.push_back(std::move(found));
        }
        return {};
    }

    // A word and its attributes.
    Result<WmlItem> item() {
        if (++items_ > kMostItems) return bad("more than 20000 definitions");
        WmlItem found{now_.text, now_.line, {}, {}};
        FSADVISE_TRY(advance());
        // Attributes begin on the line of their word; a word without any may be followed by the next one.
        if (now_.kind != Kind::kWord || now_.line != found.line) return found;
        while (true) {
            WmlAttribute attribute{now_.text, {}, now_.line};
            FSADVISE_TRY(expect(Kind::kWord, "a name"));
            if (now_.kind == Kind::kEquals) {
                FSADVISE_TRY(advance());
                keeps_name_ = found.kind == "randvar" && attribute.key == "name";
                FSADVISE_ASSIGN(attribute.value, value());
                keeps_name_ = false;
            }
            found.attributes.push_back(std::move(attribute));
            if (now_.kind != Kind::kComma) return found;
            FSADVISE_TRY(advance());
        }
    }

    Result<void> children(WmlItem& parent, std::string_view kind) {
        FSADVISE_TRY(expect(Kind::kOpen, "'{'"));
        while (now_.kind != Kind::kClose) {
            if (!at_word(kind))
                return bad(fmt::format("'{}' is expected, not '{}'", kind, now_.text.substr(0, 60)));
            if (kind == "flowop") FSADVISE_TRY(advance());
            if (now_.kind != Kind::kWord) return bad("the name of a flow operation is expected");
            FSADVISE_ASSIGN(WmlItem child, item());
            if (kind == "thread") FSADVISE_TRY(children(child, "flowop"));
            parent.children.push_back(std::move(child));
        }
        return advance();
    }

    // A text, or what a variable holds.
    Result<std::string> value() {
        if (now_.kind != Kind::kWord && now_.kind != Kind::kString) return bad("a value is expected");
        std::string text = now_.text;
        if (now_.kind == Kind::kWord && text.starts_with('$')) {
            const auto found = variables_.find(text.substr(1));
            if (keeps_name_) {
                FSADVISE_TRY(advance());
                return text;
            }
            if (found == variables_.end()) {
                std::vector<std::string> names;
                for (const auto& [name, unused] : variables_) names.push_back("$" + name);
                return bad(fmt::format("the variable {} is not set{}", text.substr(0, 60),
                                       did_you_mean(text.substr(0, 60), names)));
            }
            text = found->second;
        } else if (text.starts_with("cvar(")) {
            const auto mean = text.find("mean:");
            if (mean == std::string::npos) return bad("a random variable without a mean");
            const auto end = text.find_first_of(";,)", mean);
            notes_.add(fmt::format("{}: a random variable is said by its mean", place(now_.line)));
            text = text.substr(mean + 5, end - mean - 5);
        }
        FSADVISE_TRY(advance());
        return text;
    }

    Result<void> random_variable(const WmlItem& found) {
        const auto* name = found.find("name");
        const auto* mean = found.find("mean");
        if (name == nullptr || !name->value.starts_with('$')) {
            return fail(ErrorCode::kBadInput, "a random variable needs name=$NAME", place(found.line));
        }
        if (mean == nullptr)
            return fail(ErrorCode::kBadInput, "a random variable without a mean", place(found.line));
        notes_.add(
            fmt::format("{}: the random variable {} is said by its mean", place(found.line), name->value));
        variables_[name->value.substr(1)] = mean->value;
        return {};
    }

    Result<void> set() {
        const int line = now_.line;
        if (now_.kind != Kind::kWord || !now_.text.starts_with('$')) {  // set mode quit firstdone
            while (now_.kind != Kind::kEnd && now_.line == line) FSADVISE_TRY(advance());
            return {};
        }
        const std::string name = now_.text.substr(1);
        FSADVISE_TRY(advance());
        FSADVISE_TRY(expect(Kind::kEquals, "'='"));
        FSADVISE_ASSIGN(variables_[name], value());
        return {};
    }

    Lexer lexer_;
    const std::string& path_;
    Notes& notes_;
    Token now_;
    std::map<std::string, std::string> variables_;
    WmlModel model_;
    std::size_t items_ = 0;
    bool keeps_name_ = false;
};

}  // namespace

const WmlAttribute* WmlItem::find(std::string_view key) const {
    for (const WmlAttribute& attribute : attributes) {
        if (attribute.key == key) return &attribute;
    }
    return nullptr;
}

std::string WmlItem::text(std::string_view key) const {
    const auto* attribute = find(key);
    return attribute == nullptr ? std::string() : attribute->value;
}

bool WmlItem::flag(std::string_view key) const {
    const auto* attribute = find(key);
    return attribute != nullptr && attribute->value != "false" && attribute->value != "0" &&
           attribute->value != "off";
}

Result<WmlModel> parse_wml(std::string_view text, const std::string& path, Notes& notes) {
    return Parser(text, path, notes).run();
}

}  // namespace fsadvise::tuner
