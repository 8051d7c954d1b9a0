// Evaluation. nullopt travels through every operation as "unknown".
#include "space/expression.h"

#include <bit>
#include <cmath>
#include <compare>

#include "base/units.h"
#include "space/expression_node.h"

namespace fsadvise {

namespace {

using MaybeValue = std::optional<Value>;

std::optional<double> as_real(const MaybeValue& value) {
    if (!value) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&*value)) return *real;
    return std::nullopt;
}

std::optional<bool> as_bool(const MaybeValue& value) {
    if (!value) return std::nullopt;
    if (const bool* flag = std::get_if<bool>(&*value)) return *flag;
    return std::nullopt;
}

MaybeValue number(double real) {
    if (!std::isfinite(real)) return std::nullopt;
    return real;
}

// Whole when it fits, so that 512Mi / 4Ki prints as a count; real otherwise.
MaybeValue whole_number(double real) {
    if (real == std::floor(real) && real >= -0x1p63 && real < 0x1p63) return static_cast<std::int64_t>(real);
    return number(real);
}

MaybeValue whole_arithmetic(Operator operation, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    bool overflow = true;
    switch (operation) {
        case Operator::kAdd:
            overflow = __builtin_add_overflow(a, b, &result);
            break;
        case Operator::kSubtract:
            overflow = __builtin_sub_overflow(a, b, &result);
            break;
        case Operator::kMultiply:
            overflow = __builtin_mul_overflow(a, b, &result);
            break;
        default:
            // INT64_MIN / -1 overflows; anything by -1 is left to the real arithmetic.
            if (b == 0) return std::nullopt;
            if (b == -1) break;
            if (operation == Operator::kRemainder) return a % b;
            if (a % b == 0) return a / b;
            break;
    }
    if (overflow) return std::nullopt;
    return result;
}

MaybeValue arithmetic(Operator operation, const MaybeValue& left, const MaybeValue& right) {
    const auto a = as_real(left);
    const auto b = as_real(right);
    if (!a || !b) return std::nullopt;
    const auto* whole_a = std::get_if<std::int64_t>(&*left);
    const auto* whole_b = std::get_if<std::int64_t>(&*right);
    if (whole_a != nullptr && whole_b != nullptr) {
        if (auto exact = whole_arithmetic(operation, *whole_a, *whole_b)) return exact;
    }
    switch (operation) {
        case Operator::kAdd:
            return number(*a + *b);
        case Operator::kSubtract:
            return number(*a - *b);
        case Operator::kMultiply:
            return number(*a * *b);
        case Operator::kDivide:
            return *b == 0 ? MaybeValue{} : number(*a / *b);
        default:
            return *b == 0 ? MaybeValue{} : number(std::fmod(*a, *b));
    }
}

std::partial_ordering order(const Value& left, const Value& right) {
    const auto* whole_a = std::get_if<std::int64_t>(&left);
    const auto* whole_b = std::get_if<std::int64_t>(&right);
    if (whole_a != nullptr && whole_b != nullptr) return *whole_a <=> *whole_b;
    const auto a = as_real(left);
    const auto b = as_real(right);
    // Words have no order: '6.10' would sort before '6.9'. Versions are compared by since() and before().
    if (!a || !b) return std::partial_ordering::unordered;
    return *a <=> *b;
}

MaybeValue compare(Operator operation, const MaybeValue& left, const MaybeValue& right) {
    if (!left || !right) return std::nullopt;
    if (operation == Operator::kEqual) return equal(*left, *right);
    if (operation == Operator::kNotEqual) return !equal(*left, *right);
    const auto ordering = order(*left, *right);
    if (ordering == std::partial_ordering::unordered) return std::nullopt;
    switch (operation) {
        case Operator::kLess:
            return ordering < 0;
        case Operator::kLessEqual:
            return ordering <= 0;
        case Operator::kGreater:
            return ordering > 0;
        default:
            return ordering >= 0;
    }
}

MaybeValue is_multiple(const MaybeValue& value, const MaybeValue& step) {
    const auto remainder = as_real(arithmetic(Operator::kRemainder, value, step));
    if (!remainder) return std::nullopt;
    return *remainder == 0;
}

MaybeValue is_power_of_two(const MaybeValue& value) {
    const auto real = as_real(value);
    if (!real) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&*value)) {
        return *whole > 0 && std::has_single_bit(static_cast<std::uint64_t>(*whole));
    }
    int exponent = 0;
    return *real >= 1 && std::frexp(*real, &exponent) == 0.5;
}

MaybeValue rounded(Operator operation, const MaybeValue& value) {
    if (!value || std::holds_alternative<std::int64_t>(*value)) return value;
    const auto real = as_real(value);
    if (!real) return std::nullopt;
    return whole_number(operation == Operator::kFloor ? std::floor(*real) : std::ceil(*real));
}

// Invariant: node and scope outlive it.
class Evaluator {
  public:
    Evaluator(const Expression::Node& node, const Scope& scope) : node_(node), scope_(scope) {}

    [[nodiscard]] MaybeValue value(const ExpressionItem& item) const {
        switch (item.operation) {
            case Operator::kLiteral:
                return item.literal;
            case Operator::kName:
                return scope_.lookup(std::get<std::string>(item.literal));
            case Operator::kSet:
                return scope_.is_set(std::get<std::string>(item.literal));
            case Operator::kKnown:
                return operand(item, 0).has_value();
            case Operator::kOr:
                return either(item, true);
            case Operator::kAnd:
                return either(item, false);
            case Operator::kNot: {
                const auto flag = as_bool(operand(item, 0));
                return flag ? MaybeValue(!*flag) : std::nullopt;
            }
            case Operator::kEqual:
            case Operator::kNotEqual:
            case Operator::kLess:
            case Operator::kLessEqual:
            case Operator::kGreater:
            case Operator::kGreaterEqual:
                return compare(item.operation, operand(item, 0), operand(item, 1));
            case Operator::kIn:
                return member(item);
            case Operator::kAdd:
            case Operator::kSubtract:
            case Operator::kMultiply:
            case Operator::kDivide:
            case Operator::kRemainder:
                return arithmetic(item.operation, operand(item, 0), operand(item, 1));
            case Operator::kNegate:
                return arithmetic(Operator::kSubtract, std::int64_t{0}, operand(item, 0));
            case Operator::kSince:
            case Operator::kBefore:
                return version(item);
            case Operator::kPow2:
                return is_power_of_two(operand(item, 0));
            case Operator::kLowBit: {
                const auto value = operand(item, 0);
                const auto* whole = value ? std::get_if<std::int64_t>(&*value) : nullptr;
                return whole != nullptr && *whole > 0 ? std::optional(Value{*whole & -*whole}) : std::nullopt;
            }
            case Operator::kHighBit: {
                const auto value = operand(item, 0);
                const auto* whole = value ? std::get_if<std::int64_t>(&*value) : nullptr;
                if (whole == nullptr || *whole <= 0) return std::nullopt;
                return Value{static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*whole)))};
            }
            case Operator::kLog2: {
                const auto real = as_real(operand(item, 0));
                return real && *real > 0 ? number(std::log2(*real)) : std::nullopt;
            }
            case Operator::kMin:
            case Operator::kMax:
                return extreme(item);
            case Operator::kFloor:
            case Operator::kCeil:
                return rounded(item.operation, operand(item, 0));
            case Operator::kMultiple:
                return is_multiple(operand(item, 0), operand(item, 1));
            case Operator::kCount:
                return true_ones(item);
            case Operator::kLength: {
                const auto value = operand(item, 0);
                const auto* text = value ? std::get_if<std::string>(&*value) : nullptr;
                return text == nullptr ? MaybeValue() : MaybeValue(static_cast<std::int64_t>(text->size()));
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] MaybeValue operand(const ExpressionItem& item, std::uint32_t index) const {
        return value(node_.items[node_.operands[item.first + index]]);
    }

    // `decisive` on one side decides, whatever the other side is.
    [[nodiscard]] MaybeValue either(const ExpressionItem& item, bool decisive) const {
        const auto left = as_bool(operand(item, 0));
        if (left && *left == decisive) return decisive;
        const auto right = as_bool(operand(item, 1));
        if (right && *right == decisive) return decisive;
        if (!left || !right) return std::nullopt;
        return !decisive;
    }

    [[nodiscard]] MaybeValue member(const ExpressionItem& item) const {
        const auto wanted = operand(item, 0);
        if (!wanted) return std::nullopt;
        bool unknown = false;
        for (std::uint32_t index = 1; index < item.count; ++index) {
            const auto candidate = operand(item, index);
            if (candidate && equal(*wanted, *candidate)) return true;
            unknown = unknown || !candidate;
        }
        return unknown ? MaybeValue{} : false;
    }

    [[nodiscard]] MaybeValue version(const ExpressionItem& item) const {
        const auto actual = operand(item, 0);
        const auto* text = actual ? std::get_if<std::string>(&*actual) : nullptr;
        if (text == nullptr) return std::nullopt;
        const Version have = Version::parse(*text);
        if (!have.known()) return std::nullopt;
        const auto& limit = node_.items[node_.operands[item.first + 1]].literal;
        const bool since = have >= Version::parse(std::get<std::string>(limit));
        return item.operation == Operator::kSince ? since : !since;
    }

    [[nodiscard]] MaybeValue extreme(const ExpressionItem& item) const {
        MaybeValue best = operand(item, 0);
        if (!as_real(best)) return std::nullopt;
        for (std::uint32_t index = 1; index < item.count; ++index) {
            auto next = operand(item, index);
            if (!as_real(next)) return std::nullopt;
            const auto ordering = order(*next, *best);
            if (item.operation == Operator::kMin ? ordering < 0 : ordering > 0) best = std::move(next);
        }
        return best;
    }

    [[nodiscard]] MaybeValue true_ones(const ExpressionItem& item) const {
        std::int64_t found = 0;
        for (std::uint32_t index = 0; index < item.count; ++index) {
            const auto flag = as_bool(operand(item, index));
            if (!flag) return std::nullopt;
            found += *flag ? 1 : 0;
        }
        return found;
    }

    const Expression::Node& node_;
    const Scope& scope_;
};

}  // namespace

Expression Expression::literal(Value value) {
    Node node;
    const bool word = std::holds_alternative<std::string>(value);
    node.text = word ? "'" + to_text(value) + "'" : to_text(value);
    node.items.emplace_back().literal = std::move(value);
    Expression expression;
    expression.root_ = std::make_shared<const Node>(std::move(node));
    return expression;
}

std::optional<Value> Expression::evaluate(const Scope& scope) const {
    if (root_ == nullptr) return true;
    return Evaluator(*root_, scope).value(root_->items.back());
}

std::optional<bool> Expression::test(const Scope& scope) const {
    return as_bool(evaluate(scope));
}

const std::vector<std::string>& Expression::names() const {
    static const std::vector<std::string> kNone;
    return root_ == nullptr ? kNone : root_->names;
}

const std::string& Expression::text() const {
    static const std::string kNone;
    return root_ == nullptr ? kNone : root_->text;
}

}  // namespace fsadvise
