// Documents of kind "rules" and "application".
#include <fmt/format.h>

#include "base/text.h"
#include "space/decode.h"

namespace fsadvise {

namespace {

constexpr std::string_view kStrengths[] = {"strong", "moderate", "weak"};
constexpr std::string_view kNeeds[] = {"snapshots",      "compression",   "data-checksums", "shrink",
                                       "project-quotas", "reflink",       "case-folding",   "dax",
                                       "encryption",     "vendor-support"};

struct Verb {
    std::string_view name;
    ActionKind kind;
};
constexpr Verb kVerbs[] = {{"prefer", ActionKind::kPrefer},
                           {"avoid", ActionKind::kAvoid},
                           {"set", ActionKind::kSet},
                           {"require", ActionKind::kRequire},
                           {"derive", ActionKind::kDerive},
                           {"reject", ActionKind::kReject},
                           {"application", ActionKind::kApplication},
                           {"warn", ActionKind::kWarn}};

const Verb* verb_of(JsonValue action) {
    for (const JsonValue member : action) {
        for (const Verb& verb : kVerbs) {
            if (member.key() == verb.name) return &verb;
        }
    }
    return nullptr;
}

struct TextLiteral {
    Expression& value;
};
void decode(Decoder& decoder, JsonValue value, TextLiteral& out) {
    std::string text;
    decode(decoder, value, text);
    out.value = Expression::literal(std::move(text));
}

struct Trait {
    std::string& name;
};
void decode(Decoder& decoder, JsonValue value, Trait& out) {
    decode(decoder, value, out.name);
    decoder.add_trait(out.name);
}

struct Need {
    std::string name;
};
void decode(Decoder& decoder, JsonValue value, Need& out) {
    Word word{out.name, kNeeds};
    decode(decoder, value, word);
}

void check_weight(Decoder& decoder, JsonValue value, const Action& action) {
    if (!(action.weight > 0))
        decoder.problem(value, "'weight' is more than 0", "use the other verb of prefer and avoid");
}

}  // namespace

static void decode(Decoder& decoder, JsonValue value, Action& out) {
    if (!decoder.expect(value, JsonType::kObject)) return;
    const Verb* verb = verb_of(value);
    if (verb == nullptr) {
        std::vector<std::string> names;
        for (const Verb& known : kVerbs) names.emplace_back(known.name);
        return decoder.problem(value, "the action has no verb", "verbs are " + join(names, ", "));
    }
    out.kind = verb->kind;
    const Field because = optional("because", out.because);
    switch (verb->kind) {
        case ActionKind::kPrefer:
        case ActionKind::kAvoid: {
            Reference target{IdKind::kFilesystem, out.target};
            const Field fields[] = {required(verb->name, target), required("weight", out.weight), because};
            decoder.object(value, fields);
            return check_weight(decoder, value, out);
        }
        case ActionKind::kSet:
        case ActionKind::kRequire: {
            Reference target{IdKind::kParameter, out.target};
            const Field fields[] = {required(verb->name, target), required("value", out.value), because};
            decoder.object(value, fields);
            for (const JsonValue member : value) {
                if (member.key() == verb->name) decoder.assign(value, member.text(), out.value);
            }
            return;
        }
        case ActionKind::kDerive: {
            Trait trait{out.target};
            const Field fields[] = {required(verb->name, trait), because};
            decoder.object(value, fields);
            return;
        }
        case ActionKind::kReject: {
            Reference target{IdKind::kFilesystem, out.target};
            const Field fields[] = {required(verb->name, out.text), optional("filesystem", target),
                                    optional("versions", out.versions), because};
            decoder.object(value, fields);
            return;
        }
        case ActionKind::kApplication: {
            TextLiteral setting{out.value};
            Reference application{IdKind::kApplication, out.text};
            const Field fields[] = {required(verb->name, application), required("setting", out.target),
                                    required("value", setting), because};
            decoder.object(value, fields);
            return;
        }
        case ActionKind::kWarn: {
            const Field fields[] = {required(verb->name, out.text), because};
            decoder.object(value, fields);
            return;
        }
    }
}

// The test that runs the examples decodes them again as requests; here their words are checked.
static void decode(Decoder& decoder, JsonValue value, RuleExample& out) {
    out.text = value.text();
    std::string workload, filesystem, kernel, distribution, distribution_version, media, durability,
        raid_level, backing, cloud;
    std::vector<std::string> filesystems, given;
    std::vector<Need> needs;
    std::map<std::string, std::string> tools;
    std::int64_t cores = 0, raid_disks = 0, devices = 0, files = 0, generations = 0;
    std::uint64_t memory = 0, size = 0, chunk = 0, optimal_io = 0, mean_file = 0;
    Reference workload_reference{IdKind::kWorkload, workload},
        filesystem_reference{IdKind::kFilesystem, filesystem};
    ReferenceList filesystem_references{IdKind::kFilesystem, filesystems};
    Word media_word{media, kMediaWords}, durability_word{durability, kDurabilityWords};
    VersionText kernel_version{kernel};
    Size memory_size{memory}, size_size{size}, chunk_size{chunk}, optimal_size{optimal_io},
        file_size{mean_file};
    const Field fields[] = {
        optional("workload", workload_reference),
        optional("filesystem", filesystem_reference),
        optional("kernel", kernel_version),
        optional("distribution", distribution),
        optional("distribution_version", distribution_version),
        optional("cores", cores),
        optional("memory", memory_size),
        optional("size", size_size),
        optional("media", media_word),
        optional("needs", needs),
        optional("durability", durability_word),
        optional("filesystems", filesystem_references),
        optional("tools", tools),
        optional("raid_level", raid_level),
        optional("raid_disks", raid_disks),
        optional("chunk", chunk_size),
        optional("optimal_io", optimal_size),
        optional("devices", devices),
        optional("backing", backing),
        optional("cloud", cloud),
        optional("files", files),
        optional("mean_file", file_size),
        optional("generations", generations),
        optional("given", given),
    };
    decoder.object(value, fields);
}

namespace {

struct Examples {
    Rule& rule;
};
void decode(Decoder& decoder, JsonValue value, Examples& out) {
    const Field fields[] = {required("fires", out.rule.fires), required("quiet", out.rule.quiet)};
    if (!decoder.object(value, fields)) return;
    if (out.rule.fires.empty()) decoder.problem(value, "give at least one example that fires");
    if (out.rule.quiet.empty()) decoder.problem(value, "give at least one example that stays quiet");
}

}  // namespace

static void decode_rule(Decoder& decoder, JsonValue item, Rule& rule) {
    Id id{IdKind::kRule, rule.id};
    Word strength{rule.strength, kStrengths};
    Sources sources{rule.sources};
    Examples examples{rule};
    const Field fields[] = {
        required("id", id),
        required("title", rule.title),
        required("when", rule.when),
        required("then", rule.then),
        required("strength", strength),
        required("why", rule.why),
        optional("known_problems", rule.known_problems),
        required("sources", sources),
        required("examples", examples),
    };
    if (decoder.object(item, fields) && rule.then.empty())
        decoder.problem(item, "the rule concludes nothing");
}

static void decode_rule_list(Decoder& decoder, JsonValue list, KnowledgeData& data) {
    reserve_for(list, data.rules);
    for (const JsonValue item : list) {
        Rule& rule = data.rules.emplace_back();
        rule.origin = list.document().name();
        decode_rule(decoder, item, rule);
    }
}

void decode_rules(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    std::int64_t version = 0;
    std::string kind;
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind),
                            required("rules", items)};
    if (decoder.object(root, fields) && items.value) decode_rule_list(decoder, *items.value, data);
}

void decode_application(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    std::int64_t version = 0;
    std::string kind, name, title;
    Id id{IdKind::kApplication, name};
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind), required("id", id),
                            optional("title", title), required("rules", items)};
    if (decoder.object(root, fields) && items.value) decode_rule_list(decoder, *items.value, data);
}

}  // namespace fsadvise
