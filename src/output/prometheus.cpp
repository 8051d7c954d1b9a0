#include "output/prometheus.h"

#include <map>

#include <fmt/format.h>

namespace fsadvise {
namespace {

// A label's value: backslash, quote and newline are escaped.
std::string label(const std::string& text) {
    std::string value;
    for (const char c : text) {
        if (c == '\\' || c == '"') value += '\\';
        if (c == '\n')
            value += "\\n";
        else
            value += c;
    }
    return value;
}

}  // namespace

std::string render_prometheus(const LintResult& result, const Knowledge& knowledge,
                              const std::string& version) {
    std::map<Severity, int> by_severity = {
        {Severity::kError, 0}, {Severity::kWarning, 0}, {Severity::kInfo, 0}};
    std::map<std::tuple<std::string, std::string, std::string>, int> by_id;
    for (const Finding& finding : result.findings) {
        ++by_severity[finding.severity];
        ++by_id[{finding.file, finding.id, to_text(finding.severity)}];
    }
    std::string out =
        "# HELP fsadvise_check_findings Findings of fsadvise check by severity.\n"
        "# TYPE fsadvise_check_findings gauge\n";
    for (const auto& [severity, count] : by_severity)
        out += fmt::format("fsadvise_check_findings{{severity=\"{}\"}} {}\n", to_text(severity), count);
    out +=
        "# HELP fsadvise_check_finding Findings of fsadvise check by file and id.\n"
        "# TYPE fsadvise_check_finding gauge\n";
    for (const auto& [key, count] : by_id) {
        const auto& [file, id, severity] = key;
        out += fmt::format("fsadvise_check_finding{{file=\"{}\",id=\"{}\",severity=\"{}\"}} {}\n",
                           label(file), label(id), severity, count);
    }
    out +=
        "# HELP fsadvise_check_lines Lines that say something about filesystems.\n"
        "# TYPE fsadvise_check_lines gauge\n";
    out += fmt::format("fsadvise_check_lines {}\n", result.checked);
    out +=
        "# HELP fsadvise_knowledge_info Version of the program and of its knowledge.\n"
        "# TYPE fsadvise_knowledge_info gauge\n";
    return out + fmt::format("fsadvise_knowledge_info{{version=\"{}\",digest=\"{}\"}} 1\n", label(version),
                             knowledge.digest());
}

}  // namespace fsadvise
