// Internal: what every flag of one mkfs program means, and the program that an argv names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "space/knowledge.h"
#include "space/spelling.h"

namespace fsadvise {

// The note of a word that is a flag of no parameter and no housekeeping of this tool.
inline constexpr std::string_view kUnknownFlag = "unknown flag";

struct MkfsFlag {
    enum class Kind { kSwitch, kValue, kList };  // alone; one value; suboptions or features joined by commas
    Kind kind = Kind::kSwitch;
    bool last_only = false;
    std::vector<const Parameter*> parameters;
    std::vector<std::string> quiet_words, quiet_keys;  // list: known suboptions that are no parameters
};

// By flag with its dashes: "-d", "--csum".
std::map<std::string, MkfsFlag> mkfs_flags(const Knowledge& knowledge, const Filesystem& filesystem);

struct MkfsProgram {
    const Filesystem* filesystem = nullptr;  // null: not known, see `problem`
    std::vector<std::string> arguments;      // without the program; -t TYPE is left if it names a generation
    std::string problem;
};
// The parameter of `filesystem` that chooses among generations of one layout (ext2, ext3, ext4), or null.
const Parameter* generations_of(const Knowledge& knowledge, std::string_view filesystem);
// The filesystem that has this id, or this generation among its layouts; null if there is none.
const Filesystem* filesystem_of_type(const Knowledge& knowledge, std::string_view type);

// True if the tool makes one filesystem on several devices: it has a parameter that counts them.
bool takes_several_devices(const Knowledge& knowledge, std::string_view filesystem);

// True if the command says what it would make and makes nothing: FS.mkfs.dry_run.
bool only_shows(const ParsedCommand& command);

MkfsProgram mkfs_program(const Knowledge& knowledge, const std::vector<std::string>& argv);

}  // namespace fsadvise
