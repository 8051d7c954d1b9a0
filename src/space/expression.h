// The small expression language of the knowledge files, e.g.
//     "set(ext4.mount.commit) and not ext4.mkfs.has_journal"
//     "since(kernel, '4.19') and device.media in ['nvme','ssd']"
//     "xfs.mkfs.log_size >= 64Mi and xfs.mkfs.log_size < device.size / xfs.mkfs.agcount"
//
// Grammar: or, and, not; == != < <= > >= in; + - * / %; literals true false 12 0.5 64Ki 4Gi 'word' [list];
//          names with dots; functions (see kFunctions in expression_node.h):
//          set(id)           the parameter is given explicitly (not by default)
//          known(name)       the fact is known
//          since(v, '6.8')   version v is 6.8 or newer;  before(v, '6.8') the opposite
//          lowbit(x)         the largest power of two that divides x;  highbit(x) the largest up to x
//          log2(x) min(a,b) max(a,b) floor(x) ceil(x)
//          pow2(x)           x is a power of two;  multiple(a,b) a is a whole multiple of b
// A quotient of whole numbers is whole if it is exact. Words are equal or not but have no order: use since/before.
// Three-valued: an unknown name makes a result unknown unless the other side decides (Kleene logic).
// Errors: parse errors are kBadInput with column and the expected token.
// Bounds: nesting depth 64, chains of 512, text of 8192 characters, so hostile files cannot overflow the stack.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "space/value.h"

namespace fsadvise {

// Where names get their values.
class Scope {
  public:
    virtual ~Scope() = default;
    virtual std::optional<Value> lookup(std::string_view name) const = 0;
    virtual bool is_set(std::string_view parameter_id) const = 0;
};

// Invariant: holds a parsed tree; copyable, immutable, cheap to copy.
class Expression {
  public:
    struct Node;
    Expression() = default;  // evaluates to true
    static Result<Expression> parse(std::string_view text);
    static Expression literal(Value value);  // also for words that hold a quote

    // nullopt = unknown. A type mismatch ('a' < 3) is unknown too.
    [[nodiscard]] std::optional<Value> evaluate(const Scope& scope) const;
    // As a condition: true, false, or nullopt for unknown.
    [[nodiscard]] std::optional<bool> test(const Scope& scope) const;
    [[nodiscard]] const std::vector<std::string>& names() const;  // every name used, sorted, unique
    [[nodiscard]] const std::string& text() const;
    [[nodiscard]] bool empty() const { return root_ == nullptr; }
    // For checks of the knowledge, see expression_node.h; nullptr if empty.
    [[nodiscard]] const Node* tree() const { return root_.get(); }

  private:
    std::shared_ptr<const Node> root_;
};

}  // namespace fsadvise
