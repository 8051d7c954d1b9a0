#pragma once
// The escapes of one field of a table of mounts: blank, tab, newline, backslash and '#' as three octal
// digits. Source: fstab(5), getmntent(3).
#include <string>
#include <string_view>

namespace fsadvise {

// "\040" becomes a blank; an escape that is not whole stays as it is.
std::string unescape_fstab_field(std::string_view field);
std::string escape_fstab_field(std::string_view text);

}  // namespace fsadvise
