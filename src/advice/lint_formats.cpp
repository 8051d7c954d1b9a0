// The list of formats, and the bounds that hold for all of them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "base/text.h"
#include "space/fact_table.h"

namespace fsadvise {

std::span<const LintFormat> lint_formats() {
    static const auto kFormats = std::to_array<LintFormat>(
        {cloud_init_format(), mount_unit_format(), repart_format(), fio_format(), saved_listing_format(),
         ignition_format(), kubernetes_format(), dockerfile_format(), kickstart_format(), ansible_format()});
    return kFormats;
}

LintChecker LintInput::checker_for_size(std::uint64_t size_bytes) const {
    auto sized = target;
    if (!sized.host.device) sized.host.device = BlockDevice{};
    sized.host.device->size_bytes = size_bytes;
    return {knowledge, sized, file};
}

Result<void> check_text(std::string_view text, const std::string& file) {
    const auto nul = text.find('\0');
    if (nul != std::string_view::npos) {
        return fail(ErrorCode::kBadInput, fmt::format("is binary data: a zero byte at offset {}", nul), file,
                    "name a text file");
    }
    // Minified JSON is one line.
    const auto start = trim(text.substr(0, 256));
    constexpr std::size_t kMostJsonBytes = 4u << 20;
    if (start.starts_with('{') && text.size() <= kMostJsonBytes) return {};
    return check_bounds(text, file);
}

std::vector<std::string> table_words(const Knowledge& knowledge, std::string_view table) {
    const auto* found = knowledge.table(table);
    return found == nullptr ? std::vector<std::string>() : found->column(found->columns.front());
}

bool has_line_starting(std::string_view text, std::string_view start) {
    std::size_t position = 0;
    while (position < text.size()) {
        const auto end = std::min(text.find('\n', position), text.size());
        if (trim(text.substr(position, end - position)).starts_with(start)) return true;
        position = end + 1;
    }
    return false;
}

}  // namespace fsadvise
