// Checks that need all documents: references, names and types in expressions, values given to parameters.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "host/host.h"
#include "space/context.h"
#include "space/decode.h"
#include "space/expression_node.h"

namespace fsadvise {

namespace {

enum class FactType { kWord, kVersion, kNumber, kBool, kMedia, kDurability, kFilesystem, kWorkload };
struct Fact {
    std::string_view name;
    FactType type;
};
// The names of space/context.h.
constexpr Fact kFacts[] = {
    {"kernel", FactType::kVersion},
    {"architecture", FactType::kWord},
    {"distribution", FactType::kWord},
    {"distribution_version", FactType::kVersion},
    {"cores", FactType::kNumber},
    {"memory", FactType::kNumber},
    {"page_size", FactType::kNumber},
    {"e2fsprogs", FactType::kVersion},
    {"xfsprogs", FactType::kVersion},
    {"btrfs_progs", FactType::kVersion},
    {"f2fs_tools", FactType::kVersion},
    {"util_linux", FactType::kVersion},
    {"device.size", FactType::kNumber},
    {"device.media", FactType::kMedia},
    {"device.rotational", FactType::kBool},
    {"device.logical_sector", FactType::kNumber},
    {"device.physical_sector", FactType::kNumber},
    {"device.minimum_io", FactType::kNumber},
    {"device.optimal_io", FactType::kNumber},
    {"device.discard", FactType::kBool},
    {"device.dax", FactType::kBool},
    {"device.write_cache", FactType::kBool},
    {"device.raid_level", FactType::kWord},
    {"device.raid_disks", FactType::kNumber},
    {"device.chunk", FactType::kNumber},
    {"device.count", FactType::kNumber},
    {"device.backing", FactType::kWord},
    {"cloud", FactType::kWord},
    {"mount_point", FactType::kWord},
    {"largest_volume", FactType::kNumber},
    {"workload.id", FactType::kWorkload},
    {"workload.mean_file", FactType::kNumber},
    {"workload.files", FactType::kNumber},
    {"workload.generations", FactType::kNumber},
    {"durability", FactType::kDurability},
    {"filesystem", FactType::kFilesystem},
};

std::string underscored(std::string_view word) {
    std::string written(word);
    std::replace(written.begin(), written.end(), '-', '_');
    return written;
}

std::vector<std::string> strings(std::span<const std::string_view> words) {
    return {words.begin(), words.end()};
}

// Word values of an enum and special words of any type.
std::vector<std::string> word_values(const Parameter& parameter) {
    std::vector<std::string> words;
    for (const auto* list : {&parameter.domain.values, &parameter.domain.special}) {
        for (const Value& value : *list) {
            if (const auto* word = std::get_if<std::string>(&value)) words.push_back(*word);
        }
    }
    return words;
}

struct Complaint {
    std::string message, hint;
};

std::optional<Complaint> one_of(const std::string& word, const std::vector<std::string>& words,
                                std::string_view name) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return std::nullopt;
    return Complaint{fmt::format("'{}' is no value of {}", word, name), hint_for(word, words, "values")};
}

std::optional<Complaint> fits(const Value& value, const Parameter& parameter) {
    const auto* word = std::get_if<std::string>(&value);
    bool fitting = true;
    switch (parameter.type) {
        case ValueType::kBool:
            fitting = std::holds_alternative<bool>(value);
            break;
        case ValueType::kInteger:
        case ValueType::kSize:
        case ValueType::kReal:
            fitting = word == nullptr && !std::holds_alternative<bool>(value);
            break;
        case ValueType::kEnum:
        case ValueType::kText:
            fitting = word != nullptr;
            break;
    }
    if (word != nullptr && (parameter.type == ValueType::kEnum || !fitting)) {
        const auto words = word_values(parameter);
        if (!words.empty()) return one_of(*word, words, parameter.id);
    }
    if (fitting) return std::nullopt;
    return Complaint{
        fmt::format("{} is not of the type of {}: {}", to_text(value), parameter.id, to_text(parameter.type)),
        {}};
}

// Invariant: decoder and data outlive it; the maps point into data.
class ExpressionChecker {
  public:
    ExpressionChecker(Decoder& decoder, const KnowledgeData& data) : decoder_(decoder) {
        facts_.reserve(std::size(kFacts));
        for (const Fact& fact : kFacts) facts_.emplace(fact.name, fact.type);
        parameters_.reserve(data.parameters.size());
        for (const Parameter& parameter : data.parameters) parameters_.emplace(parameter.id, &parameter);
    }

    void check(const Decoder::Use& use) {
        use_ = &use;
        for (const std::string& name : use.expression.names()) check_name(name);
        tree_ = use.expression.tree();
        for (const ExpressionItem& item : tree_->items) check_item(item);
    }
    void check(const Decoder::Assignment& assignment) {
        const auto parameter = parameters_.find(assignment.parameter);
        if (parameter == parameters_.end()) return;  // a dangling reference is reported as such
        const ExpressionItem& root = assignment.value.tree()->items.back();
        if (root.operation != Operator::kLiteral) return;
        if (auto complaint = fits(root.literal, *parameter->second)) {
            decoder_.problem(assignment.where, complaint->message, complaint->hint);
        }
    }

  private:
    void problem(std::string_view message, std::string hint = {}) {
        decoder_.problem(use_->where, fmt::format("'{}': {}", use_->expression.text(), message),
                         std::move(hint));
    }

    void check_name(const std::string& name) {
        if (facts_.contains(name) || parameters_.contains(name)) return;
        const std::string_view whole = name;
        const auto member = [&](std::string_view prefix, const std::vector<std::string>& words) {
            if (!whole.starts_with(prefix)) return false;
            const std::string word(whole.substr(prefix.size()));
            if (std::find(words.begin(), words.end(), word) == words.end()) {
                problem(fmt::format("unknown name '{}'", name), hint_for(word, words, "known ones"));
            }
            return true;
        };
        if (whole.starts_with("trait.")) {
            if (decoder_.traits().contains(whole.substr(6))) return;
            const std::vector<std::string> traits(decoder_.traits().begin(), decoder_.traits().end());
            std::string hint = hint_for(whole.substr(6), traits, "traits");
            if (hint.empty()) hint = "no workload has this trait and no rule derives it";
            return problem(fmt::format("unknown trait '{}'", whole.substr(6)), std::move(hint));
        }
        if (whole.starts_with("require.")) {
            std::vector<std::string> needs;
            for (const std::string_view word : kCapabilityWords) needs.push_back(underscored(word));
            needs.emplace_back("vendor_support");
            member("require.", needs);
            return;
        }
        if (whole.starts_with("given.")) {
            std::vector<std::string> words;
            for (const std::string& word : known_circumstances()) words.push_back(underscored(word));
            member("given.", words);
            return;
        }
        if (whole.starts_with("available.")) {
            member("available.", decoder_.known_ids(IdKind::kFilesystem));
            return;
        }
        if (whole.starts_with("kernel_has.")) {
            member("kernel_has.", strings(kKernelFeatures));
            return;
        }
        std::vector<std::string> candidates = decoder_.known_ids(IdKind::kParameter);
        for (const Fact& fact : kFacts) candidates.emplace_back(fact.name);
        std::string hint = hint_for(name, candidates, "names");
        if (whole.find('.') == std::string_view::npos) {
            hint += (hint.empty() ? "" : " ") + fmt::format("a word is quoted: \"'{}'\"", name);
        }
        problem(fmt::format("unknown name '{}'", name), std::move(hint));
    }

    [[nodiscard]] const ExpressionItem& operand(const ExpressionItem& item, std::uint32_t index) const {
        return tree_->items[tree_->operands[item.first + index]];
    }
    [[nodiscard]] const Parameter* parameter_of(const std::string& name) const {
        const auto found = parameters_.find(name);
        return found == parameters_.end() ? nullptr : found->second;
    }
    [[nodiscard]] std::optional<FactType> type_of(const std::string& name) const {
        if (const auto fact = facts_.find(name); fact != facts_.end()) return fact->second;
        if (name.starts_with("trait.") || name.starts_with("require.") || name.starts_with("given.") ||
            name.starts_with("available.") || name.starts_with("kernel_has.")) {
            return FactType::kBool;
        }
        const Parameter* parameter = parameter_of(name);
        if (parameter == nullptr) return std::nullopt;
        switch (parameter->type) {
            case ValueType::kBool:
                return FactType::kBool;
            case ValueType::kInteger:
            case ValueType::kSize:
            case ValueType::kReal:
                return FactType::kNumber;
            default:
                return FactType::kWord;
        }
    }

    void check_item(const ExpressionItem& item) {
        switch (item.operation) {
            case Operator::kEqual:
            case Operator::kNotEqual:
                check_equality(operand(item, 0), operand(item, 1));
                check_equality(operand(item, 1), operand(item, 0));
                break;
            case Operator::kIn:
                for (std::uint32_t index = 1; index < item.count; ++index) {
                    check_equality(operand(item, 0), operand(item, index));
                }
                break;
            case Operator::kLess:
            case Operator::kLessEqual:
            case Operator::kGreater:
            case Operator::kGreaterEqual:
                check_ordered(operand(item, 0));
                check_ordered(operand(item, 1));
                break;
            case Operator::kAnd:
            case Operator::kOr:
            case Operator::kNot:
            case Operator::kCount:
                for (std::uint32_t index = 0; index < item.count; ++index)
                    check_condition(operand(item, index));
                break;
            case Operator::kSet: {
                const std::string& name = std::get<std::string>(item.literal);
                if (facts_.contains(name)) problem(fmt::format("set({}) takes a parameter id", name));
                break;
            }
            default:
                break;
        }
    }

    // A comparison that can never be true is a typing error, which the evaluator would take as "false" for
    // ever.
    void check_equality(const ExpressionItem& left, const ExpressionItem& right) {
        if (left.operation != Operator::kName || right.operation != Operator::kLiteral) return;
        const std::string& name = std::get<std::string>(left.literal);
        const auto complaint = compared(name, right.literal);
        if (complaint) problem(complaint->message, complaint->hint);
    }
    [[nodiscard]] std::optional<Complaint> known(IdKind kind, const std::string& word,
                                                 const std::string& name) const {
        if (decoder_.is_known(kind, word)) return std::nullopt;
        return one_of(word, decoder_.known_ids(kind), name);
    }
    [[nodiscard]] std::optional<Complaint> compared(const std::string& name, const Value& value) const {
        if (const Parameter* parameter = parameter_of(name)) return fits(value, *parameter);
        const auto type = type_of(name);
        if (!type) return std::nullopt;
        const auto* word = std::get_if<std::string>(&value);
        const bool flag = std::holds_alternative<bool>(value);
        if (*type == FactType::kBool || *type == FactType::kNumber) {
            if (word == nullptr && flag == (*type == FactType::kBool)) return std::nullopt;
            const auto* wanted = *type == FactType::kBool ? "true or false" : "a number";
            return Complaint{fmt::format("{} is {}, not {}", name, wanted, to_text(value)), {}};
        }
        if (word == nullptr) return Complaint{fmt::format("{} is a word, not {}", name, to_text(value)), {}};
        switch (*type) {
            case FactType::kMedia:
                return one_of(*word, strings(kMediaWords), name);
            case FactType::kDurability:
                return one_of(*word, strings(kDurabilityWords), name);
            case FactType::kFilesystem:
                return known(IdKind::kFilesystem, *word, name);
            case FactType::kWorkload:
                return known(IdKind::kWorkload, *word, name);
            default:
                return std::nullopt;
        }
    }
    void check_ordered(const ExpressionItem& item) {
        if (item.operation == Operator::kLiteral && !std::holds_alternative<bool>(item.literal) &&
            !std::holds_alternative<std::string>(item.literal)) {
            return;
        }
        if (item.operation == Operator::kLiteral) {
            return problem(fmt::format("{} has no order", to_text(item.literal)),
                           "versions: since() and before()");
        }
        if (item.operation != Operator::kName) return;
        const std::string& name = std::get<std::string>(item.literal);
        const auto type = type_of(name);
        if (!type || *type == FactType::kNumber) return;
        problem(fmt::format("{} is not a number, it has no order", name),
                *type == FactType::kVersion ? fmt::format("use since({}, '6.8') or before()", name) : "");
    }
    void check_condition(const ExpressionItem& item) {
        if (item.operation == Operator::kLiteral && !std::holds_alternative<bool>(item.literal)) {
            return problem(fmt::format("{} is neither true nor false", to_text(item.literal)));
        }
        if (item.operation != Operator::kName) return;
        const std::string& name = std::get<std::string>(item.literal);
        const auto type = type_of(name);
        if (type && *type != FactType::kBool) problem(fmt::format("{} is neither true nor false", name));
    }

    Decoder& decoder_;
    std::unordered_map<std::string_view, FactType> facts_;
    std::unordered_map<std::string_view, const Parameter*> parameters_;
    const Decoder::Use* use_ = nullptr;
    const Expression::Node* tree_ = nullptr;
};

}  // namespace

void check_references(Decoder& decoder) {
    for (const auto& [kind, where, id] : decoder.references()) {
        if (decoder.is_known(kind, id)) continue;
        decoder.problem(where, fmt::format("there is no {} '{}'", to_text(kind), id),
                        hint_for(id, decoder.known_ids(kind), "known ones"));
    }
}

void check_expressions(Decoder& decoder, const KnowledgeData& data) {
    ExpressionChecker checker(decoder, data);
    for (const Decoder::Use& use : decoder.uses()) checker.check(use);
}

void check_assignments(Decoder& decoder, const KnowledgeData& data) {
    ExpressionChecker checker(decoder, data);
    for (const Decoder::Assignment& assignment : decoder.assignments()) checker.check(assignment);
}

}  // namespace fsadvise
