// Small string helpers shared by parsers and messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fsadvise {

std::vector<std::string> split(std::string_view text, char separator);  // keeps empty fields
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string lower(std::string_view text);

// Optimal string alignment distance (insert, delete, replace, swap of neighbours), for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidate nearest to `word`, if near enough to be a plausible typo (distance <= max(1, length/3)).
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
// " (did you mean 'x'?)" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// One shell word, quoted only if needed, safe for sh.
std::string shell_quote(std::string_view word);
std::string shell_join(std::span<const std::string> argv);

// Control characters as \\xHH, so that text from a file cannot drive a terminal or break a line; the rest is kept.
std::string printable(std::string_view text);
// Whether it is valid UTF-8 without control characters: what names in configuration files may consist of.
bool is_plain_text(std::string_view text);

// 64-bit FNV-1a as 16 hex digits: names configurations and knowledge digests, not for security.
std::string fingerprint(std::string_view text);

// Greedy wrap at `width` columns with a hanging indent.
std::string wrap(std::string_view text, std::size_t width, std::string_view first_indent,
                 std::string_view indent);

}  // namespace fsadvise
