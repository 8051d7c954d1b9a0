// Findings of check for the textfile collector of Prometheus' node exporter.
//
// Source: Prometheus, exposition formats, text version 0.0.4; node_exporter, textfile collector (no
// timestamps, a final newline, the file replaced as a whole, which `-o FILE.prom` does).
#pragma once

#include <string>

#include "advice/lint.h"
#include "space/knowledge.h"

namespace fsadvise {

// Counts by severity, all three always there, and by finding id and file.
std::string render_prometheus(const LintResult& result, const Knowledge& knowledge,
                              const std::string& version);

}  // namespace fsadvise
