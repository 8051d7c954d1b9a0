// One file format that lint understands: how to recognise it and how to read it. A new format is one file
// with one of these and a line in lint_formats.cpp. Internal to src/advice.
//
// Bounds: a format follows no includes and expands nothing; check_bounds() has passed before it is asked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advice/lint_check.h"

namespace fsadvise {

struct LintInput {
    const Knowledge& knowledge;
    const LintTarget& target;
    std::string file;       // as given
    std::string_view name;  // its last component
    std::string_view text;

    [[nodiscard]] LintChecker checker() const { return {knowledge, target, file}; }
    // A volume of another size than the target's device, or of a size that only the file knows.
    [[nodiscard]] LintChecker checker_for_size(std::uint64_t size_bytes) const;
};

struct LintFormat {
    std::string_view name;
    bool (*recognises)(std::string_view name, std::string_view text);
    // Errors: kBadInput if the text is not of this format at all.
    Result<void> (*check)(const LintInput& input, LintResult& result);
};

// In the order in which they are asked; fstab and shell scripts are not among them.
std::span<const LintFormat> lint_formats();

// Errors: kBadInput for binary data and for text beyond the bounds of lint.h.
Result<void> check_text(std::string_view text, const std::string& file);

// The first column of a table of the knowledge; none if there is no such table.
std::vector<std::string> table_words(const Knowledge& knowledge, std::string_view table);

// True if a line (without its leading blanks) starts so.
bool has_line_starting(std::string_view text, std::string_view start);

LintFormat mount_unit_format();
LintFormat repart_format();
LintFormat cloud_init_format();
LintFormat ansible_format();
LintFormat kickstart_format();
LintFormat ignition_format();
LintFormat kubernetes_format();
LintFormat dockerfile_format();
LintFormat fio_format();
LintFormat saved_listing_format();

// A .mount unit inside another file; `first_line` is the number of its first line there.
void check_mount_unit(const LintInput& input, std::string_view name, std::string_view text, int first_line,
                      LintResult& result);

}  // namespace fsadvise
