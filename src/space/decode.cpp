#include "space/decode.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "space/expression_node.h"

namespace fsadvise {

namespace {

constexpr std::size_t kMostProblems = 200;
constexpr std::size_t kMostFields = 64;

template <class T>
bool parse_number(std::string_view text, T& out) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    return problem == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string hint_for(std::string_view word, std::span<const std::string> candidates, std::string_view what) {
    if (const auto near = nearest(word, candidates)) return fmt::format("did you mean '{}'?", *near);
    constexpr std::size_t kListed = 12;
    if (candidates.size() <= kListed) return fmt::format("{} are {}", what, join(candidates, ", "));
    return {};
}

std::string_view to_text(IdKind kind) {
    switch (kind) {
        case IdKind::kFilesystem:
            return "filesystem";
        case IdKind::kParameter:
            return "parameter";
        case IdKind::kConstraint:
            return "constraint";
        case IdKind::kRule:
            return "rule";
        case IdKind::kWorkload:
            return "workload";
        case IdKind::kApplication:
            return "application";
        case IdKind::kDistribution:
            return "distribution";
        case IdKind::kChange:
            return "change";
        case IdKind::kEvidence:
            return "evidence";
        case IdKind::kTable:
            return "table";
    }
    return {};
}

void Decoder::problem(Error error) {
    if (problems_.size() < kMostProblems) problems_.push_back(std::move(error));
}

void Decoder::problem(JsonValue where, std::string message, std::string hint) {
    if (problems_.size() >= kMostProblems) return;
    problem(Error{ErrorCode::kBadInput, std::move(message), where.location(), std::move(hint)});
}

bool Decoder::expect(JsonValue value, JsonType type) {
    if (value.type() == type) return true;
    problem(value, fmt::format("expected {}, not {}", to_text(type), to_text(value.type())));
    return false;
}

bool Decoder::object(JsonValue value, std::span<const Field> fields) {
    if (!expect(value, JsonType::kObject)) return false;
    std::uint64_t seen = 0;
    static_assert(kMostFields <= 64);
    std::size_t guess = 0;  // documents mostly keep the order of the fields
    for (const JsonValue member : value) {
        std::size_t found = fields.size();
        for (std::size_t step = 0; step < fields.size(); ++step) {
            std::size_t index = guess + step;
            if (index >= fields.size()) index -= fields.size();
            if (fields[index].name != member.key()) continue;
            found = index;
            break;
        }
        if (found == fields.size()) {
            std::vector<std::string> names;
            for (const Field& field : fields) names.emplace_back(field.name);
            problem(member, fmt::format("unknown key '{}'", member.key()),
                    hint_for(member.key(), names, "keys"));
            continue;
        }
        guess = found + 1;
        const std::uint64_t bit = std::uint64_t{1} << found;
        if ((seen & bit) != 0) {
            problem(member, fmt::format("the key '{}' appears twice", member.key()));
            continue;
        }
        seen |= bit;
        fields[found].decode(*this, member, fields[found].target);
    }
    for (std::size_t index = 0; index < fields.size(); ++index) {
        if (fields[index].required && (seen & (std::uint64_t{1} << index)) == 0) {
            problem(value, fmt::format("the key '{}' is missing", fields[index].name));
        }
    }
    return true;
}

std::optional<std::size_t> Decoder::pick(JsonValue value, std::span<const std::string_view> words) {
    if (!expect(value, JsonType::kString)) return std::nullopt;
    for (std::size_t index = 0; index < words.size(); ++index) {
        if (words[index] == value.text()) return index;
    }
    std::vector<std::string> known;
    for (const std::string_view word : words) {
        if (!word.empty()) known.emplace_back(word);
    }
    problem(value, fmt::format("unknown word '{}'", value.text()), hint_for(value.text(), known, "words"));
    return std::nullopt;
}

void Decoder::declare(IdKind kind, JsonValue where, std::string_view id) {
    const auto [entry, fresh] = ids_[static_cast<std::size_t>(kind)].try_emplace(id, where);
    if (fresh) return;
    problem(where, fmt::format("the {} '{}' is defined already", to_text(kind), id),
            "see " + entry->second.location());
}

bool Decoder::is_known(IdKind kind, std::string_view id) const {
    return ids_[static_cast<std::size_t>(kind)].contains(id);
}

std::vector<std::string> Decoder::known_ids(IdKind kind) const {
    std::vector<std::string> ids;
    for (const auto& [id, where] : ids_[static_cast<std::size_t>(kind)]) ids.emplace_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

void Decoder::add_trait(std::string_view name) {
    std::string written(name);
    std::replace(written.begin(), written.end(), '-', '_');
    traits_.insert(std::move(written));
}

Expression Decoder::expression(JsonValue where, std::string_view text) {
    if (const auto entry = use_of_text_.find(text); entry != use_of_text_.end()) {
        return uses_[entry->second].expression;
    }
    auto parsed = Expression::parse(text);
    if (!parsed) {
        Error error = std::move(parsed.error());
        problem(where, fmt::format("'{}': {}", error.context, error.message), std::move(error.hint));
        return {};
    }
    use_of_text_.emplace(parsed->text(), uses_.size());  // lives as long as the expression
    uses_.push_back({where, *parsed});
    return std::move(*parsed);
}

void decode(Decoder& decoder, JsonValue value, bool& out) {
    if (decoder.expect(value, JsonType::kBool)) out = value.boolean();
}

void decode(Decoder& decoder, JsonValue value, std::int64_t& out) {
    if (!decoder.expect(value, JsonType::kNumber)) return;
    if (!parse_number(value.text(), out)) {
        decoder.problem(value, fmt::format("expected a whole number, not {}", value.text()));
    }
}

void decode(Decoder& decoder, JsonValue value, int& out) {
    std::int64_t wide = 0;
    decode(decoder, value, wide);
    if (wide < INT32_MIN || wide > INT32_MAX) return decoder.problem(value, "the number is out of range");
    out = static_cast<int>(wide);
}

void decode(Decoder& decoder, JsonValue value, double& out) {
    if (!decoder.expect(value, JsonType::kNumber)) return;
    if (!parse_number(value.text(), out)) decoder.problem(value, "the number is out of range");
}

void decode(Decoder& decoder, JsonValue value, std::string& out) {
    if (decoder.expect(value, JsonType::kString)) out = value.text();
}

void decode(Decoder& decoder, JsonValue value, Value& out) {
    switch (value.type()) {
        case JsonType::kBool:
            out = value.boolean();
            return;
        case JsonType::kString:
            out = std::string(value.text());
            return;
        case JsonType::kNumber: {
            std::int64_t whole = 0;
            if (parse_number(value.text(), whole)) {
                out = whole;
                return;
            }
            double real = 0;
            decode(decoder, value, real);
            out = real;
            return;
        }
        default:
            decoder.problem(
                value, fmt::format("expected a bool, a number or a string, not {}", to_text(value.type())));
    }
}

void decode(Decoder& decoder, JsonValue value, Expression& out) {
    const JsonType type = value.type();
    if (type == JsonType::kString || type == JsonType::kBool || type == JsonType::kNumber) {
        out = decoder.expression(value, value.text());
        return;
    }
    decoder.problem(value, fmt::format("expected an expression, not {}", to_text(type)));
}

void decode(Decoder& decoder, JsonValue value, OptionalExpression& out) {
    if (value.type() != JsonType::kString || !value.text().empty()) decode(decoder, value, out.value);
}

void decode(Decoder& decoder, JsonValue value, std::optional<Expression>& out) {
    if (value.type() != JsonType::kString || !value.text().empty()) decode(decoder, value, out.emplace());
}

void decode(Decoder& decoder, JsonValue value, FilesystemOrBlock& out) {
    decode(decoder, value, out.value);
    if (value.type() == JsonType::kString && out.value != "block") decoder.refer(IdKind::kFilesystem, value);
}

void decode(Decoder& decoder, JsonValue value, Id& out) {
    decode(decoder, value, out.value);
    if (value.type() != JsonType::kString) return;
    if (out.value.empty()) return decoder.problem(value, "an id is not empty");
    decoder.declare(out.kind, value, value.text());
}

void decode(Decoder& decoder, JsonValue value, Reference& out) {
    decode(decoder, value, out.value);
    if (value.type() == JsonType::kString && !out.value.empty()) decoder.refer(out.kind, value);
}

void decode(Decoder& decoder, JsonValue value, ReferenceList& out) {
    if (!decoder.expect(value, JsonType::kArray)) return;
    for (const JsonValue element : value) {
        Reference reference{out.kind, out.values.emplace_back()};
        decode(decoder, element, reference);
    }
}

void decode(Decoder& decoder, JsonValue value, Sources& out) {
    if (!decoder.expect(value, JsonType::kArray)) return;
    for (const JsonValue element : value) {
        std::string& source = out.values.emplace_back();
        decode(decoder, element, source);
        if (source.starts_with("ev.")) decoder.refer(IdKind::kEvidence, element);
    }
    if (out.values.empty()) decoder.problem(value, "name at least one source");
}

void decode(Decoder& decoder, JsonValue value, Word& out) {
    if (const auto index = decoder.pick(value, out.words)) out.value = out.words[*index];
}

void decode(Decoder& decoder, JsonValue value, VersionText& out) {
    decode(decoder, value, out.value);
    const bool number = !out.value.empty() && out.value[0] >= '0' && out.value[0] <= '9';
    if (!out.value.empty() && !number) {
        decoder.problem(value, fmt::format("'{}' is not a version", out.value), "for example \"6.8\"");
    }
}

void decode(Decoder& decoder, JsonValue value, Size& out) {
    if (value.type() == JsonType::kNumber) {
        std::int64_t bytes = 0;
        decode(decoder, value, bytes);
        if (bytes < 0) return decoder.problem(value, "a size is not negative");
        out.bytes = static_cast<std::uint64_t>(bytes);
        return;
    }
    if (!decoder.expect(value, JsonType::kString)) return;
    // The numbers of the expression language: one way to write a size in all knowledge files.
    const auto literal = Expression::parse(value.text());
    const ExpressionItem* root = literal ? &literal->tree()->items.back() : nullptr;
    const bool simple = root != nullptr && root->operation == Operator::kLiteral;
    if (const auto* whole = simple ? std::get_if<std::int64_t>(&root->literal) : nullptr) {
        out.bytes = static_cast<std::uint64_t>(*whole);
    } else if (const auto* real = simple ? std::get_if<double>(&root->literal) : nullptr;
               real && *real < 0x1p64) {
        out.bytes = static_cast<std::uint64_t>(*real);
    } else {
        decoder.problem(value, fmt::format("'{}' is not a size", value.text()), "for example \"300Mi\"");
    }
}

void decode(Decoder& decoder, JsonValue value, JsonArray& out) {
    if (decoder.expect(value, JsonType::kArray)) out.value = value;
}

void decode(Decoder& decoder, JsonValue value, JsonObject& out) {
    if (decoder.expect(value, JsonType::kObject)) out.value = value;
}

}  // namespace fsadvise
