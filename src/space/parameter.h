// One knob of a filesystem (mkfs or mount) or of the block layer, as described in knowledge/filesystems/*/.
//
// Units: sizes are bytes everywhere inside the program; `Spelling::unit_bytes` converts when a command is written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "space/expression.h"
#include "space/value.h"

namespace fsadvise {

enum class Layer { kMkfs, kMount, kBlock };
enum class ValueType { kBool, kInteger, kSize, kReal, kEnum, kText };

// How a value becomes words of a command, and back.
//   mkfs forms: "value"      flag VALUE                     mkfs.ext4 -b 4096
//               "suboption"  flag KEY=VALUE, joined by ','  mkfs.xfs -d agcount=4
//               "feature"    flag KEY or ^KEY, joined       mkfs.ext4 -O ^has_journal
//               "switch"     flag alone when true           mkfs.btrfs -K
//   mount forms: "key"       KEY=VALUE                      commit=30
//                "words"     one word a value, see `words`  nobarrier
struct Spelling {
    std::string form;
    std::string flag;  // mkfs: "-d", "--csum"; empty for mount
    std::string key;
    std::vector<std::string> aliases;  // other accepted spellings of flag or key ("stripe-width")
    // form "words" (and bool suboptions): value text -> accepted words, the first one is written.
    // An empty list means "this value is written by saying nothing".
    std::map<std::string, std::vector<std::string>> words;
    std::int64_t unit_bytes = 1;   // integer written = value / unit_bytes
    std::string suffix;            // appended to the number ("m" with unit_bytes 1 MiB)
    std::string bool_style = "01"; // suboption of a bool: "01"
};

// Version window of one component ("kernel", "e2fsprogs", ...); empty string = not stated.
struct VersionWindow {
    std::string component;
    std::string introduced, safe, on_by_default, deprecated, removed;
    std::string distribution, distribution_version;  // override for this distribution only, else empty
    std::string note;
    std::string applies_to;  // value text the window speaks of ("false" for nobarrier), empty = the parameter
};

struct ConditionalValue {
    Expression when;  // empty = always
    Expression value; // an expression, so that defaults can depend on host and other parameters
};

struct Domain {
    std::vector<Value> values;          // enumeration; empty = range
    std::optional<Expression> minimum, maximum;  // inclusive
    bool power_of_two = false;
    std::optional<Expression> multiple_of;
    int maximum_length = 0;             // of a text in bytes; 0 = any
    std::string format;                 // of a text: "uuid" or any
    std::vector<Value> special;         // values outside the range with a meaning of their own (0 = default)
};

// Where the effective value is found after mkfs and mount.
struct ReadBack {
    std::string source;  // "dumpe2fs", "xfs_info", "btrfs-super", "dump.f2fs", "mountinfo", "ext4-options" (proc)
    std::string key;     // field name there
    std::int64_t unit_bytes = 1;
    std::map<std::string, std::string> map;  // text there -> value text
};

// What a remount does with a new value: "effective", "ignored" (reports success, changes nothing), "refused", or
// "blocks" (once it is set, every remount is refused).
struct RemountCase {
    Expression when;  // judged with the new values; empty = always
    std::string result;
};

struct Parameter {
    std::string id;  // "xfs.mkfs.agcount", permanent
    std::string filesystem;  // "xfs"; "block" for the block layer
    Layer layer = Layer::kMkfs;
    ValueType type = ValueType::kInteger;
    std::string title, meaning, helps, risk;
    Domain domain;
    std::vector<ConditionalValue> defaults;  // first whose `when` is true; none true = unknown default
    Expression active;                       // parameter exists only when this is true (conditional space)
    std::vector<VersionWindow> versions;
    Spelling spelling;
    std::optional<ReadBack> read_back;
    std::string change;  // "remount", "fresh-mount", "online", "offline", "reformat"
    std::string change_note;
    std::vector<RemountCase> remount;  // first that applies; none = effective if change is remount, else refused
    std::map<std::string, std::string> durability;  // value text (or "*") -> "relaxed" | "scratch"
    // Values tune tries besides the default; expressions, evaluated for host and device. Empty = not searched.
    std::vector<Expression> search;
    std::vector<std::string> sources;
    std::string origin;  // knowledge file
};

std::string to_text(Layer layer);
std::string to_text(ValueType type);

}  // namespace fsadvise
