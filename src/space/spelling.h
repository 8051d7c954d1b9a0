// Configurations as command words, and command words as configurations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/configuration.h"
#include "space/knowledge.h"

namespace fsadvise {

struct Commands {
    std::vector<std::string> mkfs;   // argv without device and without any force flag: {"mkfs.xfs","-d","agcount=4"}
    std::string mount_options;       // "noatime,logbsize=256k" or "" for defaults
    std::string filesystem;          // for mount -t
    [[nodiscard]] std::vector<std::string> mkfs_argv(const std::string& device) const;
    [[nodiscard]] std::vector<std::string> mount_argv(const std::string& device, const std::string& directory) const;
    [[nodiscard]] std::string fstab_line(const std::string& spec, const std::string& directory, int pass) const;
};

// Options that share a flag are joined (mke2fs keeps only the last of two -E). Order is by flag, then key.
Commands spell(const Knowledge& knowledge, const Configuration& configuration);

// One word of a command that was understood or not.
struct ParsedWord {
    std::string text;          // as written: "nobarrier", "-d agcount=4"
    std::string parameter;     // id, or empty if no parameter of this filesystem has this spelling
    Value value{};             // meaningful if parameter is set
    bool bad_value = false;    // spelling known, value malformed
    std::string belongs_to;    // unknown word: other filesystem that knows it, or ""
    bool generic = false;      // eaten by mount(8)/VFS (nofail, x-systemd.*, ro) or housekeeping of mkfs (-L, -q)
    bool dropped = false;      // without effect: a later repetition of its flag replaces it (mke2fs -E)
    std::string note;          // "trailing unit not accepted here"
};

struct ParsedCommand {
    std::string filesystem;        // "" if the program is not a known mkfs
    std::vector<ParsedWord> words;
    std::vector<std::string> devices;  // positional words
    std::string problem;           // e.g. "option -d needs a value"
};

// argv[0] may be mkfs.xfs, mkfs -t xfs, mke2fs, with or without a path.
ParsedCommand parse_mkfs(const Knowledge& knowledge, const std::vector<std::string>& argv);
std::vector<ParsedWord> parse_mount_options(const Knowledge& knowledge, std::string_view filesystem,
                                            std::string_view options);
// The configuration meant by words: later words win (as the kernel does), unknown ones are left out.
Configuration configuration_of(std::string_view filesystem, const std::vector<ParsedWord>& mkfs_words,
                               const std::vector<ParsedWord>& mount_words);

// Sets the parameter FS.mkfs.devices, where the knowledge has one, to the number of devices that the command names.
void add_device_count(const Knowledge& knowledge, const ParsedCommand& mkfs, Configuration& configuration);

}  // namespace fsadvise
