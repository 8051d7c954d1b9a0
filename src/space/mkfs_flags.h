// Internal: what every flag of one mkfs program means, and the program that an argv names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "space/knowledge.h"

namespace fsadvise {

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
    std::vector<std::string> arguments;      // without the program and its -t TYPE
    std::string problem;
};
MkfsProgram mkfs_program(const Knowledge& knowledge, const std::vector<std::string>& argv);

}  // namespace fsadvise
