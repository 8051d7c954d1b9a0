// Text as HTML, escaped at the one place where it becomes HTML. Study files and advice come from elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fsadvise {

// For text and for attributes in double quotes.
std::string escaped(std::string_view text);
// A JSON text inside <script>: no "</" and no "<!--" can stand in it.
std::string script_safe(std::string json);

std::string paragraph(std::string_view text);
std::string list(const std::vector<std::string>& items);
std::string code_block(std::string_view text);

// Cells are text, escaped here; one that begins with '`' is code.
struct HtmlTable {
    std::string caption;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::size_t> numbers;  // columns that are set to the right
    [[nodiscard]] std::string html() const;
};

}  // namespace fsadvise
