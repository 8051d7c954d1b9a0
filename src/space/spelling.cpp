#include "space/spelling.h"

#include "space/spelling_parts.h"

namespace fsadvise {

std::vector<std::string> Commands::mkfs_argv(const std::string& device) const {
    std::vector<std::string> argv = mkfs;
    argv.push_back(device);
    return argv;
}

std::vector<std::string> Commands::mount_argv(const std::string& device, const std::string& directory) const {
    std::vector<std::string> argv{"mount", "-t", filesystem};
    if (!mount_options.empty()) {
        argv.emplace_back("-o");
        argv.push_back(mount_options);
    }
    argv.push_back(device);
    argv.push_back(directory);
    return argv;
}

std::string Commands::fstab_line(const std::string& spec, const std::string& directory, int pass) const {
    // fstab(5): blanks inside a field are written as octal escapes.
    std::string field;
    for (const char letter : directory) {
        if (letter == ' ')
            field += "\\040";
        else if (letter == '\t')
            field += "\\011";
        else if (letter == '\\')
            field += "\\134";
        else
            field += letter;
    }
    std::string options = mount_options.empty() ? "defaults" : mount_options;
    // A data disk that is missing must not stop the boot; without the root there is none to stop.
    if (directory != "/") options += ",nofail";
    // fstab(5): what is checked at all is checked first if it is the root.
    const int own_pass = directory == "/" ? std::min(pass, 1) : pass;
    return spec + " " + field + " " + filesystem + " " + options + " 0 " + std::to_string(own_pass);
}

const std::vector<std::string>* listed_words(const Spelling& spelling, const Value& value) {
    const auto entry = spelling.words.find(to_text(value));
    return entry == spelling.words.end() ? nullptr : &entry->second;
}

Commands spell(const Knowledge& knowledge, const Configuration& configuration) {
    Commands commands;
    commands.filesystem = configuration.filesystem;
    const Filesystem* filesystem = knowledge.filesystem(configuration.filesystem);
    if (filesystem == nullptr) return commands;
    commands.mkfs.push_back(filesystem->mkfs);
    for (std::string& word : spell_mkfs(knowledge, configuration)) commands.mkfs.push_back(std::move(word));
    commands.mount_options = spell_mount(knowledge, configuration);
    return commands;
}

}  // namespace fsadvise
