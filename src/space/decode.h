// Internal: strict decoding of knowledge documents into structs.
//
// An object is described by its fields; a key that is none of them, a missing required one, a repeated one or
// a value of the wrong type is a problem with "file#/json/pointer" as context and, for a word, the nearest
// known one as hint. Decoding goes on after a problem, so that an author sees all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "space/change.h"
#include "space/fact_table.h"
#include "space/json_document.h"
#include "space/knowledge.h"

namespace fsadvise {

class Decoder;

struct Field {
    std::string_view name;
    bool required;
    void* target;
    void (*decode)(Decoder&, JsonValue, void*);
};
template <class T>
Field required(std::string_view name, T& target) {
    return {name, true, &target, [](Decoder& decoder, JsonValue value, void* to) {
                decode(decoder, value, *static_cast<T*>(to));
            }};
}
template <class T>
Field optional(std::string_view name, T& target) {
    Field field = required(name, target);
    field.required = false;
    return field;
}

// What an id can name; references are checked when all files are read.
enum class IdKind {
    kFilesystem,
    kParameter,
    kConstraint,
    kRule,
    kWorkload,
    kApplication,
    kDistribution,
    kEvidence,
    kChange,
    kTable
};
inline constexpr std::size_t kIdKinds = 10;
std::string_view to_text(IdKind kind);

// Invariant: every JsonValue it holds belongs to a document that outlives it.
class Decoder {
  public:
    void problem(JsonValue where, std::string message, std::string hint = {});
    void problem(Error error);
    bool expect(JsonValue value, JsonType type);
    // Decodes an object; false if it is none.
    bool object(JsonValue value, std::span<const Field> fields);
    // Position of the word in `words`, or nullopt and a problem.
    std::optional<std::size_t> pick(JsonValue value, std::span<const std::string_view> words);

    void declare(IdKind kind, JsonValue where, std::string_view id);
    void refer(IdKind kind, JsonValue where) { references_.push_back({kind, where, where.text()}); }
    void refer_key(IdKind kind, JsonValue where) { references_.push_back({kind, where, where.key()}); }
    void add_trait(std::string_view name);
    // Parses, with one tree for equal texts.
    Expression expression(JsonValue where, std::string_view text);

    // `value` is given to a parameter; both are checked against each other when all files are read.
    void assign(JsonValue where, std::string_view parameter, const Expression& value) {
        if (!value.empty()) assignments_.push_back({where, parameter, value});
    }

    [[nodiscard]] bool is_known(IdKind kind, std::string_view id) const;
    [[nodiscard]] std::vector<std::string> known_ids(IdKind kind) const;
    [[nodiscard]] std::vector<Error>& problems() { return problems_; }

    struct PendingReference {
        IdKind kind;
        JsonValue where;
        std::string_view id;
    };
    struct Use {  // the first one of a text
        JsonValue where;
        Expression expression;
    };
    struct Assignment {
        JsonValue where;
        std::string_view parameter;
        Expression value;
    };
    [[nodiscard]] const std::vector<PendingReference>& references() const { return references_; }
    [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }
    [[nodiscard]] const std::vector<Assignment>& assignments() const { return assignments_; }
    [[nodiscard]] const std::set<std::string, std::less<>>& traits() const { return traits_; }

  private:
    std::vector<Error> problems_;
    std::unordered_map<std::string_view, JsonValue> ids_[kIdKinds];
    std::vector<PendingReference> references_;
    std::vector<Use> uses_;
    std::unordered_map<std::string_view, std::size_t> use_of_text_;
    std::vector<Assignment> assignments_;
    std::set<std::string, std::less<>> traits_;  // as written in expressions
};

// Room for the elements of `array`: the structs are large to move.
template <class T>
void reserve_for(JsonValue array, std::vector<T>& out) {
    std::size_t count = 0;
    for ([[maybe_unused]] const JsonValue element : array) ++count;
    // At least doubling, so that many small documents stay linear.
    if (out.size() + count > out.capacity()) out.reserve(std::max(out.size() + count, 2 * out.capacity()));
}

// Basic types.
void decode(Decoder& decoder, JsonValue value, bool& out);
void decode(Decoder& decoder, JsonValue value, int& out);
void decode(Decoder& decoder, JsonValue value, std::int64_t& out);
void decode(Decoder& decoder, JsonValue value, double& out);
void decode(Decoder& decoder, JsonValue value, std::string& out);
void decode(Decoder& decoder, JsonValue value, Value& out);
void decode(Decoder& decoder, JsonValue value, Expression& out);
void decode(Decoder& decoder, JsonValue value, std::optional<Expression>& out);

// Targets that do more than hold their type.
struct Id {  // of something defined here
    IdKind kind;
    std::string& value;
};
struct Reference {  // id of something defined anywhere; empty text = none
    IdKind kind;
    std::string& value;
};
struct ReferenceList {
    IdKind kind;
    std::vector<std::string>& values;
};
struct Sources {  // evidence ids and citations, at least one
    std::vector<std::string>& values;
};
struct Word {  // one of a fixed set; empty text only if listed
    std::string& value;
    std::span<const std::string_view> words;
};
struct OptionalExpression {  // empty text = not stated
    Expression& value;
};
struct FilesystemOrBlock {  // what a document of parameters or constraints is about
    std::string& value;
};
struct VersionText {  // "6.8" or empty
    std::string& value;
};
struct Size {  // "300Mi" or a number of bytes
    std::uint64_t& bytes;
};
struct JsonArray {  // decoded by the caller
    std::optional<JsonValue> value;
};
struct JsonObject {
    std::optional<JsonValue> value;
};
void decode(Decoder& decoder, JsonValue value, Id& out);
void decode(Decoder& decoder, JsonValue value, Reference& out);
void decode(Decoder& decoder, JsonValue value, ReferenceList& out);
void decode(Decoder& decoder, JsonValue value, Sources& out);
void decode(Decoder& decoder, JsonValue value, Word& out);
void decode(Decoder& decoder, JsonValue value, OptionalExpression& out);
void decode(Decoder& decoder, JsonValue value, FilesystemOrBlock& out);
void decode(Decoder& decoder, JsonValue value, VersionText& out);
void decode(Decoder& decoder, JsonValue value, Size& out);
void decode(Decoder& decoder, JsonValue value, JsonArray& out);
void decode(Decoder& decoder, JsonValue value, JsonObject& out);

template <class T>
void decode(Decoder& decoder, JsonValue value, std::vector<T>& out) {
    if (!decoder.expect(value, JsonType::kArray)) return;
    reserve_for(value, out);
    for (const JsonValue element : value) decode(decoder, element, out.emplace_back());
}
template <class T>
void decode(Decoder& decoder, JsonValue value, std::map<std::string, T>& out) {
    if (!decoder.expect(value, JsonType::kObject)) return;
    for (const JsonValue member : value) {
        const auto [entry, fresh] = out.try_emplace(std::string(member.key()));
        if (!fresh) decoder.problem(member, "the key appears twice");
        decode(decoder, member, entry->second);
    }
}

inline constexpr std::string_view kDurabilityWords[] = {"strict", "relaxed", "scratch"};
inline constexpr std::string_view kMediaWords[] = {"nvme", "ssd", "hdd", "cloud", "ram", "loop", "pmem"};
inline constexpr std::string_view kCapabilityWords[] = {
    "snapshots",    "compression", "data-checksums", "shrink", "project-quotas", "reflink",
    "case-folding", "dax",         "encryption",     "online-shrink"};

// "did you mean 'x'?", or the candidates if they are few, or nothing.
std::string hint_for(std::string_view word, std::span<const std::string> candidates, std::string_view what);

// Everything the documents contain; Knowledge adds the indexes.
struct KnowledgeData {
    std::vector<Filesystem> filesystems;
    std::vector<Parameter> parameters;
    std::vector<Constraint> constraints;
    std::vector<Rule> rules;
    std::vector<Change> changes;
    std::vector<FactTable> tables;
    std::vector<Distribution> distributions;
    std::vector<WorkloadDescription> workloads;
    std::vector<Evidence> evidence;
};

// One a kind; decode_document() chooses by "kind". `version` and `kind` are checked already.
void decode_document(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_filesystem(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_parameters(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_constraints(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_rules(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_workload(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_application(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_distributions(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_evidence(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_changes(Decoder& decoder, JsonValue root, KnowledgeData& data);
void decode_tables(Decoder& decoder, JsonValue root, KnowledgeData& data);

// When all documents are decoded: references, names used by expressions, values given to parameters.
void check_references(Decoder& decoder);
void check_expressions(Decoder& decoder, const KnowledgeData& data);
void check_assignments(Decoder& decoder, const KnowledgeData& data);

}  // namespace fsadvise
