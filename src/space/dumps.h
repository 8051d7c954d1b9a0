// Internal: the tools' dumps as flat fields, by the key names that docs/knowledge.md lists under `read_back`.
//
// Units: fields that end in ".bytes" and the ext4 journal size are bytes; everything else is as printed.
// Errors: a dump that is cut short or of another version gives fewer fields, never a wrong one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fsadvise {

// Keys are lower case. A dump that lists features has the key kFeaturesListed; a feature that it then lacks
// is off.
using DumpFields = std::map<std::string, std::string>;
inline constexpr std::string_view kFeaturePrefix = "feature:";
inline constexpr std::string_view kFeaturesListed = "feature:*";

DumpFields fields_of_dumpe2fs(std::string_view dump);   // dumpe2fs -h
DumpFields fields_of_xfs_info(std::string_view dump);   // xfs_info, or xfs_db -c info
DumpFields fields_of_btrfs(std::string_view dump);      // dump-super, then dump-tree -t chunk
DumpFields fields_of_dump_f2fs(std::string_view dump);  // dump.f2fs -d 1

// The text of a field, "1"/"0" for a feature; nullopt if the dump does not tell.
std::optional<std::string> field(const DumpFields& fields, std::string_view key);

}  // namespace fsadvise
