// A small knowledge base for tests of advice: three invented filesystems whose facts the tests can rely on.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "advice/inference.h"
#include "space/knowledge.h"

namespace fsadvise::testing {

inline std::string filesystem_text(const std::string& id, const std::string& capabilities) {
    return R"({"schema_version": 1, "kind": "filesystem", "id": ")" + id + R"(", "title": "Title )" + id +
           R"(", "summary": "For tests.", "mkfs": "mkfs.)" + id + R"(", "tool": "tool-)" + id +
           R"(", "kernel_module": ")" + id +
           R"(", "minimum": "1Mi", "maximum": "16Ti", "maximum_file": "16Ti", "fstab_pass": 2, "capabilities": )" +
           capabilities + R"(, "sources": ["test"]})";
}

inline std::string workload_text(const std::string& id, const std::string& traits) {
    return R"({"schema_version": 1, "kind": "workload", "id": ")" + id + R"(", "title": "Workload )" + id +
           R"(", "aliases": [")" + id + R"(-alias"], "summary": "For tests.", "traits": )" + traits +
           R"(, "mount_point": "/srv/test", "application": "app", "sources": ["test"],
      "load": {"metric": "operations", "flush_in_window": false, "window_seconds": 0.1,
        "file_sets": [{"name": "set", "files": 1, "size": "1Mi"}],
        "streams": [{"name": "stream", "file_set": "set", "threads": 1, "depth": 1,
          "steps": [{"operation": "read", "block": "4Ki"}]}]}})";
}

// alpha: knobs for every case; beta: plain, with snapshots; gamma: plain, with compression.
inline std::string alpha_parameters() {
    return R"({"schema_version": 1, "kind": "parameters", "filesystem": "alpha", "parameters": [
      {"id": "alpha.mkfs.groups", "title": "groups", "type": "integer", "domain": {"min": "1", "max": "64"},
       "default": [{"value": "4"}], "spelling": {"form": "suboption", "flag": "-d", "key": "groups"},
       "change": "reformat", "meaning": "m", "sources": ["test"]},
      {"id": "alpha.mkfs.journal", "title": "journal", "type": "bool", "default": [{"value": "true"}],
       "spelling": {"form": "feature", "flag": "-O", "key": "journal"},
       "change": "reformat", "durability": {"false": "scratch"}, "meaning": "m", "sources": ["test"]},
      {"id": "alpha.mount.atime", "title": "atime", "type": "enum",
       "domain": {"values": ["relatime", "noatime"]}, "default": [{"value": "'relatime'"}],
       "spelling": {"form": "words", "words": {"relatime": ["relatime"], "noatime": ["noatime"]}},
       "change": "remount", "meaning": "m", "sources": ["test"]},
      {"id": "alpha.mount.barrier", "title": "barrier", "type": "bool", "default": [{"value": "true"}],
       "versions": [{"component": "kernel", "removed": "4.19", "applies_to": "false"}],
       "spelling": {"form": "words", "words": {"true": ["barrier"], "false": ["nobarrier"]}},
       "change": "remount", "meaning": "m", "sources": ["test"]},
      {"id": "alpha.mount.data", "title": "data", "type": "enum", "domain": {"values": ["ordered", "lazy"]},
       "default": [{"value": "'ordered'"}],
       "spelling": {"form": "words", "words": {"ordered": ["data=ordered"], "lazy": ["data=lazy"]}},
       "change": "fresh-mount", "meaning": "m", "sources": ["test"]}
    ]})";
}

inline std::string alpha_constraints() {
    return R"({"schema_version": 1, "kind": "constraints", "filesystem": "alpha", "constraints": [
      {"id": "alpha.data-needs-journal", "scope": "cross-component", "effect": "mount-refuses",
       "when": "set(alpha.mount.data) and not alpha.mkfs.journal", "says": "data= needs a journal.",
       "fix": "Leave data= out.", "sources": ["test"]},
      {"id": "alpha.many-groups", "scope": "self", "effect": "unwise", "when": "alpha.mkfs.groups > 32",
       "says": "Too many groups.", "fix": "Use fewer.", "sources": ["test"]}
    ]})";
}

// One rule document out of the items of its list.
inline std::string rules_text(const std::string& items) {
    return R"({"schema_version": 1, "kind": "rules", "rules": [)" + items + "]}";
}

// One rule; `then` is a JSON list.
inline std::string rule_text(const std::string& id, const std::string& when, const std::string& then,
                             const std::string& strength = "moderate") {
    return R"({"id": ")" + id + R"(", "title": "title of )" + id + R"(", "when": ")" + when +
           R"(", "then": )" + then + R"(, "strength": ")" + strength + R"(", "why": "why of )" + id +
           R"(", "sources": ["source of )" + id +
           R"("], "examples": {"fires": [{"workload": "db"}], "quiet": [{"workload": "db"}]}})";
}

inline Result<Knowledge> load_with_rules(const std::string& rule_items) {
    const std::vector<std::pair<std::string, std::string>> texts = {
        {"alpha.json", filesystem_text("alpha", R"({"snapshots": "no: none", "compression": "no: none"})")},
        {"beta.json", filesystem_text("beta", R"({"snapshots": "yes", "compression": "no: none"})")},
        {"gamma.json", filesystem_text("gamma", R"({"snapshots": "no: none", "compression": "yes"})")},
        {"parameters.json", alpha_parameters()},
        {"constraints.json", alpha_constraints()},
        {"db.json", workload_text("db", R"(["random-overwrite"])")},
        {"web.json", workload_text("web", R"(["many-small-files"])")},
        {"app.json", R"({"schema_version": 1, "kind": "application", "id": "app", "rules": []})"},
        {"other.json", R"({"schema_version": 1, "kind": "application", "id": "other", "rules": []})"},
        {"rules.json", rules_text(rule_items)}};
    std::vector<KnowledgeFile> files;
    for (const auto& [name, text] : texts) files.push_back({name, text});
    return Knowledge::load(files);
}

inline Knowledge must_load(const std::string& rule_items) {
    auto knowledge = load_with_rules(rule_items);
    if (!knowledge) FAIL(to_text(knowledge.error()));
    return *knowledge;
}

inline RuleNetwork must_build(const Knowledge& knowledge) {
    auto network = RuleNetwork::build(knowledge);
    if (!network) FAIL(to_text(network.error()));
    return *network;
}

inline std::vector<std::string> ids(const RuleNetwork::Conclusion& conclusion) {
    std::vector<std::string> result;
    for (const auto& fired : conclusion.fired) result.push_back(fired.rule->id);
    return result;
}

}  // namespace fsadvise::testing
