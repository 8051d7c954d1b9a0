#include "output/sarif.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <nlohmann/json.hpp>

#include "advice/finding_catalogue.h"
#include "base/text.h"

namespace fsadvise {
namespace {

using Json = nlohmann::json;

const char* level_of(Severity severity) {
    switch (severity) {
        case Severity::kError:
            return "error";
        case Severity::kWarning:
            return "warning";
        case Severity::kInfo:
            break;
    }
    return "note";
}

// A path as a URI reference; what is no file ("<stdin>") stays readable.
std::string uri_of(const std::string& path) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    constexpr std::string_view kPlain = "-._~/";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos) {
            uri += c;
        } else {
            uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
        }
    }
    return uri;
}

Json rule_of(const std::string& id, const Finding& finding) {
    const auto* kind = finding_kind(id);
    Json rule = {{"id", id},
                 {"shortDescription", {{"text", kind != nullptr ? kind->meaning : finding.what}}},
                 {"help", {{"text", "fsadvise explain " + id}}},
                 {"defaultConfiguration", {{"level", level_of(finding.severity)}}}};
    return rule;
}

Json result_of(const Finding& finding, std::size_t rule_index, bool suppressed) {
    std::string text = finding.subject.empty() ? finding.what : finding.subject + ": " + finding.what;
    if (!finding.consequence.empty()) text += ". Consequence: " + finding.consequence;
    if (!finding.fix.empty()) text += ". Fix: " + finding.fix;
    Json location = {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(finding.file)}}}}}};
    if (finding.line > 0) location["physicalLocation"]["region"] = {{"startLine", finding.line}};
    Json result = {
        {"ruleId", finding.id},
        {"ruleIndex", rule_index},
        {"level", level_of(finding.severity)},
        {"message", {{"text", text}}},
        {"locations", Json::array({std::move(location)})},
        {"partialFingerprints",
         {{"fsadviseFinding/v1", fingerprint(finding.file + "\n" + finding.id + "\n" + finding.subject)}}},
        {"properties", {{"ignoreIf", finding.ignore_if}, {"sources", finding.sources}}}};
    if (suppressed) result["suppressions"] = Json::array({{{"kind", "inSource"}}});
    return result;
}

}  // namespace

std::string render_sarif(const LintResult& result, const std::vector<Finding>& suppressed,
                         const std::string& version) {
    std::map<std::string, std::size_t> index;
    auto rules = Json::array(), results = Json::array();
    const auto add = [&](const Finding& finding, bool is_suppressed) {
        const auto [entry, is_new] = index.try_emplace(finding.id, rules.size());
        if (is_new) rules.push_back(rule_of(finding.id, finding));
        results.push_back(result_of(finding, entry->second, is_suppressed));
    };
    for (const Finding& finding : result.findings) add(finding, false);
    for (const Finding& finding : suppressed) add(finding, true);
    const Json document = {
        {"$schema",
         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
        {"version", "2.1.0"},
        {"runs",
         Json::array(
             {{{"tool",
                {{"driver", {{"name", "fsadvise"}, {"version", version}, {"rules", std::move(rules)}}}}},
               {"columnKind", "utf16CodeUnits"},
               {"results", std::move(results)}}})}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fsadvise
