#include "tuner/apply/fstab.h"

#include <fmt/format.h>

#include "base/fstab_field.h"
#include "base/text.h"

namespace fsadvise::tuner {

namespace {

constexpr std::string_view kBlanks = " \t\r";

struct Field {
    std::size_t begin = 0, end = 0;
};

std::vector<Field> fields_of(std::string_view text, std::size_t begin, std::size_t end) {
    std::vector<Field> fields;
    const std::string_view line = text.substr(begin, end - begin);
    std::size_t position = line.find_first_not_of(kBlanks);
    while (position != std::string_view::npos && line[position] != '#') {
        const std::size_t stop = std::min(line.find_first_of(kBlanks, position), line.size());
        fields.push_back({begin + position, begin + stop});
        position = line.find_first_not_of(kBlanks, stop);
    }
    return fields;
}

std::string line_around(const std::string& text, std::size_t position) {
    const auto before = text.rfind('\n', position);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, std::min(text.find('\n', position), text.size()) - begin);
}

FstabEdit change_line(const std::string& text, const FstabEntry& entry, const FstabWish& wish) {
    FstabEdit edit;
    edit.after = text;
    edit.line = line_around(text, entry.type_begin);
    if (entry.type == wish.type && entry.options == wish.options) return edit;
    edit.changed = true;
    edit.replaced = edit.line;
    // From the back, so that the positions before stay what they are.
    const bool without_options = entry.options_begin == entry.options_end;
    edit.after.replace(entry.options_begin, entry.options_end - entry.options_begin,
                       (without_options ? " " : "") + escape_fstab_field(wish.options));
    edit.after.replace(entry.type_begin, entry.type_end - entry.type_begin, escape_fstab_field(wish.type));
    edit.line = line_around(edit.after, entry.type_begin);
    return edit;
}

}  // namespace

std::string plain_directory(std::string_view directory) {
    std::string plain;
    for (const char c : directory) {
        if (c == '/' && plain.ends_with('/')) continue;
        plain += c;
    }
    if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
    return plain;
}

std::vector<FstabEntry> fstab_entries(std::string_view text) {
    std::vector<FstabEntry> entries;
    int line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const auto fields = fields_of(text, begin, end);
        const auto word = [&](std::size_t index) {
            return unescape_fstab_field(
                text.substr(fields[index].begin, fields[index].end - fields[index].begin));
        };
        ++line;
        begin = end + 1;
        if (fields.size() < 3) continue;
        FstabEntry entry{word(0),         word(1),       word(2),       {},           line,
                         fields[2].begin, fields[2].end, fields[2].end, fields[2].end};
        if (fields.size() > 3) {
            entry.options = word(3);
            entry.options_begin = fields[3].begin;
            entry.options_end = fields[3].end;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string FstabWish::line() const {
    return fmt::format("{} {} {} {} 0 {}", escape_fstab_field(spec), escape_fstab_field(directory),
                       escape_fstab_field(type), options.empty() ? "defaults" : escape_fstab_field(options),
                       pass);
}

Result<FstabEdit> edit_fstab(const std::string& text, const FstabWish& wish, const std::string& file,
                             const SameSource& same) {
    const FstabEntry* ours = nullptr;
    const auto entries = fstab_entries(text);
    for (const FstabEntry& entry : entries) {
        if (plain_directory(entry.directory) != plain_directory(wish.directory)) continue;
        if (entry.spec != wish.spec && !same(entry.spec)) {
            return fail(ErrorCode::kUnavailable,
                        fmt::format("{} is the mount point of {} already", wish.directory, entry.spec),
                        fmt::format("{}:{}", file, entry.line),
                        "choose another --mount-point, or remove that line");
        }
        if (ours == nullptr) ours = &entry;
    }
    if (ours != nullptr) return change_line(text, *ours, wish);
    FstabEdit edit;
    edit.changed = true;
    edit.line = wish.line();
    edit.after = text;
    // A last line without a newline must not be glued to ours.
    if (!edit.after.empty() && !edit.after.ends_with('\n')) edit.after += '\n';
    edit.after += edit.line + "\n";
    return edit;
}

}  // namespace fsadvise::tuner
