#include "output/report/html.h"

#include <algorithm>

namespace fsadvise {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string cell(const std::string& text) {
    if (text.starts_with('`')) return "<code>" + escaped(std::string_view(text).substr(1)) + "</code>";
    return escaped(text);
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? ' ' : c;
        }
    }
    return out;
}

std::string script_safe(std::string json) {
    replace_all(json, "<", "\\u003c");
    return json;
}

std::string paragraph(std::string_view text) {
    return text.empty() ? "" : "<p>" + escaped(text) + "</p>\n";
}

std::string list(const std::vector<std::string>& items) {
    if (items.empty()) return "";
    std::string out = "<ul>\n";
    for (const std::string& item : items) out += "<li>" + escaped(item) + "</li>\n";
    return out + "</ul>\n";
}

std::string code_block(std::string_view text) {
    return "<pre><code>" + escaped(text) + "</code></pre>\n";
}

std::string HtmlTable::html() const {
    if (rows.empty()) return "";
    const auto right = [&](std::size_t column) {
        return std::ranges::find(numbers, column) != numbers.end() ? " class=\"number\"" : "";
    };
    std::string out = "<div class=\"wide\"><table>\n<caption>" + escaped(caption) + "</caption>\n<thead><tr>";
    for (std::size_t i = 0; i < head.size(); ++i)
        out += std::string("<th scope=\"col\"") + right(i) + ">" + escaped(head[i]) + "</th>";
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : rows) {
        out += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            out += std::string("<td") + right(i) + ">" + cell(row[i]) + "</td>";
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

}  // namespace fsadvise
