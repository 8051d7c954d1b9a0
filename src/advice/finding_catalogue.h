// Every id that check can print, with its meaning: the stable names for suppressions, SARIF and scripts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "space/knowledge.h"

namespace fsadvise {

struct FindingKind {
    const char* id;        // a family ends in ':' and is followed by a constraint or parameter id
    const char* severity;  // the usual one
    const char* meaning;
    bool fixable = false;  // check --fix corrects it
};

std::span<const FindingKind> finding_catalogue();  // sorted by id
// The kind of a printed id: itself, or the family that it belongs to; nullptr if there is none.
const FindingKind* finding_kind(std::string_view id);

// docs/findings.md: the catalogue and the constraints of every filesystem as tables.
std::string render_findings_markdown(const Knowledge& knowledge);

}  // namespace fsadvise
