// Recursive descent from tokens to the tree.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "space/expression_lexer.h"
#include "space/expression_node.h"

namespace fsadvise {

namespace {

constexpr std::size_t kLongestText = 8192;
constexpr int kDeepestNesting = 64;
// A chain a + b + c ... is a tree as high as it is long; the evaluator recurses that far.
constexpr std::uint32_t kHighestTree = 512;

struct Infix {
    std::string_view token;
    Operator operation;
};
constexpr Infix kComparisons[] = {{"==", Operator::kEqual},     {"!=", Operator::kNotEqual},
                                  {"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual},
                                  {"<", Operator::kLess},       {">", Operator::kGreater}};
constexpr Infix kSums[] = {{"+", Operator::kAdd}, {"-", Operator::kSubtract}};
constexpr Infix kProducts[] = {
    {"*", Operator::kMultiply}, {"/", Operator::kDivide}, {"%", Operator::kRemainder}};
constexpr Infix kOrs[] = {{"or", Operator::kOr}};
constexpr Infix kAnds[] = {{"and", Operator::kAnd}};

using Position = std::uint32_t;

// Invariant: `token_` is the next token not yet part of the tree.
class Parser {
  public:
    explicit Parser(std::string_view text) : lexer_(text) { node_.text = text; }

    Result<Expression::Node> run() {
        FSADVISE_TRY(advance());
        if (token_.kind == TokenKind::kEnd) return error("the expression is empty");
        FSADVISE_TRY(disjunction());
        if (token_.kind != TokenKind::kEnd) return unexpected("the end or an operator");
        std::sort(node_.names.begin(), node_.names.end());
        node_.names.erase(std::unique(node_.names.begin(), node_.names.end()), node_.names.end());
        return std::move(node_);
    }

  private:
    Result<void> advance() {
        FSADVISE_ASSIGN(token_, lexer_.next());
        return {};
    }
    [[nodiscard]] bool at(std::string_view text) const {
        return (token_.kind == TokenKind::kSymbol || token_.kind == TokenKind::kName) && token_.text == text;
    }
    Result<void> expect(std::string_view text) {
        if (!at(text)) return unexpected(fmt::format("'{}'", text));
        return advance();
    }
    [[nodiscard]] tl::unexpected<Error> error(std::string_view message, std::string hint = {}) const {
        return expression_error(lexer_.text(), token_.column, message, std::move(hint));
    }
    [[nodiscard]] tl::unexpected<Error> unexpected(std::string_view expected) const {
        const bool end = token_.kind == TokenKind::kEnd;
        return error(fmt::format("expected {} but found {}", expected,
                                 end ? "the end" : fmt::format("'{}'", token_.text)));
    }

    Result<Position> add(Operator operation, std::span<const Position> operands, Value literal = {}) {
        ExpressionItem item;
        item.operation = operation;
        item.literal = std::move(literal);
        item.first = static_cast<Position>(node_.operands.size());
        item.count = static_cast<std::uint32_t>(operands.size());
        for (Position operand : operands)
            item.height = std::max(item.height, node_.items[operand].height + 1);
        if (item.height > kHighestTree) return error("the expression is too long");
        node_.operands.insert(node_.operands.end(), operands.begin(), operands.end());
        node_.items.push_back(std::move(item));
        return static_cast<Position>(node_.items.size() - 1);
    }

    template <std::size_t N, class Operand>
    Result<Position> chain(const Infix (&table)[N], Operand operand) {
        FSADVISE_ASSIGN(Position left, operand());
        while (true) {
            const Infix* found = nullptr;
            for (const Infix& infix : table) {
                if (at(infix.token)) found = &infix;
            }
            if (found == nullptr) return left;
            FSADVISE_TRY(advance());
            FSADVISE_ASSIGN(const Position right, operand());
            const Position both[] = {left, right};
            FSADVISE_ASSIGN(left, add(found->operation, both));
        }
    }

    Result<Position> disjunction() {
        return chain(kOrs, [this] { return conjunction(); });
    }
    Result<Position> conjunction() {
        return chain(kAnds, [this] { return negation(); });
    }
    Result<Position> negation() {
        if (!at("not")) return comparison();
        return nested([this]() -> Result<Position> {
            FSADVISE_TRY(advance());
            FSADVISE_ASSIGN(const Position operand, negation());
            return add(Operator::kNot, std::span(&operand, 1));
        });
    }

    Result<Position> comparison() {
        FSADVISE_ASSIGN(const Position left, sum());
        bool negated = false;
        if (at("not")) {
            negated = true;
            FSADVISE_TRY(advance());
            if (!at("in")) return unexpected("'in'");
        }
        if (at("in")) {
            FSADVISE_TRY(advance());
            FSADVISE_ASSIGN(Position found, membership(left));
            return negated ? add(Operator::kNot, std::span(&found, 1)) : found;
        }
        for (const Infix& infix : kComparisons) {
            if (!at(infix.token)) continue;
            FSADVISE_TRY(advance());
            FSADVISE_ASSIGN(const Position right, sum());
            const Position both[] = {left, right};
            return add(infix.operation, both);
        }
        return left;
    }
    Result<Position> membership(Position left) {
        FSADVISE_TRY(expect("["));
        std::vector<Position> members{left};
        while (!at("]")) {
            FSADVISE_ASSIGN(const Position member, sum());
            members.push_back(member);
            if (at(",")) {
                FSADVISE_TRY(advance());
            } else if (!at("]")) {
                return unexpected("',' or ']'");
            }
        }
        FSADVISE_TRY(advance());
        return add(Operator::kIn, members);
    }

    Result<Position> sum() {
        return chain(kSums, [this] { return product(); });
    }
    Result<Position> product() {
        return chain(kProducts, [this] { return sign(); });
    }
    Result<Position> sign() {
        if (!at("-")) return primary();
        return nested([this]() -> Result<Position> {
            FSADVISE_TRY(advance());
            FSADVISE_ASSIGN(const Position operand, sign());
            return add(Operator::kNegate, std::span(&operand, 1));
        });
    }

    template <class Inner>
    Result<Position> nested(Inner inner) {
        if (depth_ >= kDeepestNesting) return error("the expression is nested too deeply");
        ++depth_;
        auto result = inner();
        --depth_;
        return result;
    }

    Result<Position> primary() {
        Token token = token_;
        if (token.kind == TokenKind::kNumber) {
            FSADVISE_TRY(advance());
            return add(Operator::kLiteral, {}, std::move(token.number));
        }
        if (token.kind == TokenKind::kWord) {
            FSADVISE_TRY(advance());
            return add(Operator::kLiteral, {}, std::string(token.text));
        }
        if (at("(")) {
            return nested([this]() -> Result<Position> {
                FSADVISE_TRY(advance());
                FSADVISE_ASSIGN(const Position inner, disjunction());
                FSADVISE_TRY(expect(")"));
                return inner;
            });
        }
        if (token.kind != TokenKind::kName || at("and") || at("or") || at("in")) return unexpected("a value");
        FSADVISE_TRY(advance());
        if (token.text == "true") return add(Operator::kLiteral, {}, true);
        if (token.text == "false") return add(Operator::kLiteral, {}, false);
        if (at("(")) return nested([this, &token] { return call(token); });
        node_.names.emplace_back(token.text);
        return add(Operator::kName, {}, std::string(token.text));
    }

    Result<Position> call(const Token& name) {
        const ExpressionFunction* function = nullptr;
        std::vector<std::string> known;
        for (const ExpressionFunction& candidate : kFunctions) {
            if (candidate.name == name.text) function = &candidate;
        }
        if (function == nullptr) {
            for (const ExpressionFunction& candidate : kFunctions) known.emplace_back(candidate.name);
            const auto near = nearest(name.text, known);
            return expression_error(
                lexer_.text(), name.column, fmt::format("unknown function '{}'", name.text),
                near ? fmt::format("did you mean '{}'?", *near) : "functions are " + join(known, ", "));
        }
        FSADVISE_TRY(expect("("));
        std::vector<Position> arguments;
        while (true) {
            FSADVISE_ASSIGN(const Position argument, disjunction());
            arguments.push_back(argument);
            if (!at(",")) break;
            FSADVISE_TRY(advance());
        }
        FSADVISE_TRY(expect(")"));
        const auto count = static_cast<int>(arguments.size());
        if (count < function->least_arguments || count > function->most_arguments) {
            return expression_error(
                lexer_.text(), name.column,
                fmt::format("{}() takes {} argument{}, not {}", name.text, function->least_arguments,
                            function->least_arguments == 1 ? "" : "s", count));
        }
        return finish_call(name, *function, arguments);
    }

    Result<Position> finish_call(const Token& name, const ExpressionFunction& function,
                                 const std::vector<Position>& arguments) {
        if (function.operation == Operator::kSet) {
            const ExpressionItem& argument = node_.items[arguments[0]];
            if (argument.operation != Operator::kName) {
                return expression_error(lexer_.text(), name.column, "set() takes a parameter id");
            }
            return add(Operator::kSet, {}, argument.literal);
        }
        if (function.operation == Operator::kSince || function.operation == Operator::kBefore) {
            // A bare 4.20 would be read as the number 4.2.
            const ExpressionItem& version = node_.items[arguments[1]];
            const auto* word = std::get_if<std::string>(&version.literal);
            if (version.operation != Operator::kLiteral || word == nullptr ||
                !Version::parse(*word).known()) {
                return expression_error(
                    lexer_.text(), name.column,
                    fmt::format("{}() takes a quoted version as second argument", name.text),
                    fmt::format("{}(kernel, '6.8')", name.text));
            }
        }
        return add(function.operation, arguments);
    }

    ExpressionLexer lexer_;
    Token token_;
    Expression::Node node_;
    int depth_ = 0;
};

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
    if (text.size() > kLongestText) {
        return expression_error(text, 1,
                                fmt::format("the expression is longer than {} characters", kLongestText));
    }
    FSADVISE_ASSIGN(Node node, Parser(text).run());
    Expression expression;
    expression.root_ = std::make_shared<const Node>(std::move(node));
    return expression;
}

}  // namespace fsadvise
