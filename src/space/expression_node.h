// Internal: the tree behind Expression, shared by the parser and the evaluator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "space/expression.h"

namespace fsadvise {

enum class Operator : std::uint8_t {
    kLiteral,
    kName,
    kOr,
    kAnd,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kIn,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kNegate,
    kSet,
    kKnown,
    kSince,
    kBefore,
    kPow2,
    kLowBit,
    kHighBit,
    kLog2,
    kMin,
    kMax,
    kFloor,
    kCeil,
    kMultiple,
    kCount,
    kLength,
};

struct ExpressionFunction {
    std::string_view name;
    Operator operation;
    int least_arguments, most_arguments;
};
inline constexpr int kManyArguments = 16;
inline constexpr ExpressionFunction kFunctions[] = {
    {"set", Operator::kSet, 1, 1},          // set(id): the parameter is given explicitly
    {"known", Operator::kKnown, 1, 1},      // known(x): x has a value
    {"since", Operator::kSince, 2, 2},      // since(v, '6.8'): version v is 6.8 or newer
    {"before", Operator::kBefore, 2, 2},    // before(v, '6.8'): version v is older than 6.8
    {"pow2", Operator::kPow2, 1, 1},        // pow2(x): x is a power of two
    {"lowbit", Operator::kLowBit, 1, 1},    // lowbit(x): the largest power of two that divides x
    {"highbit", Operator::kHighBit, 1, 1},  // highbit(x): the largest power of two up to x
    {"log2", Operator::kLog2, 1, 1},
    {"min", Operator::kMin, 2, kManyArguments},
    {"max", Operator::kMax, 2, kManyArguments},
    {"floor", Operator::kFloor, 1, 1},
    {"ceil", Operator::kCeil, 1, 1},
    {"multiple", Operator::kMultiple, 2, 2},         // multiple(a, b): a is a whole multiple of b
    {"length", Operator::kLength, 1, 1},             // length(x): bytes of a text
    {"count", Operator::kCount, 1, kManyArguments},  // count(a, b): how many of the conditions hold
};

// One operation. Operands are positions in Node::items; a list of them (arguments of a function, members
// after `in`) is a slice of Node::operands.
struct ExpressionItem {
    Operator operation = Operator::kLiteral;
    std::uint32_t first = 0;  // start of the slice of operands
    std::uint32_t count = 0;
    std::uint32_t height = 1;  // of the tree below, bounds the evaluator's recursion
    Value literal{};           // kLiteral: the value; kName, kSet: the name as string
};

struct Expression::Node {
    std::vector<ExpressionItem> items;  // the last one is the root
    std::vector<std::uint32_t> operands;
    std::vector<std::string> names;
    std::string text;
};

}  // namespace fsadvise
