#include "space/mkfs_flags.h"

#include <algorithm>

#include <fmt/format.h>

namespace fsadvise {
namespace {

using Kind = MkfsFlag::Kind;

void add_parameter(std::map<std::string, MkfsFlag>& flags, const Parameter& parameter) {
    const Spelling& spelling = parameter.spelling;
    const Kind kind = spelling.form == "value"    ? Kind::kValue
                      : spelling.form == "switch" ? Kind::kSwitch
                                                  : Kind::kList;
    std::vector<std::string> names;
    if (!spelling.flag.empty()) names.push_back(spelling.flag);
    for (const std::string& alias : spelling.aliases)
        if (alias.starts_with('-')) names.push_back(alias);
    if (kind == Kind::kSwitch)
        for (const auto& [text, words] : spelling.words)
            names.insert(names.end(), words.begin(), words.end());
    for (const std::string& name : names) {
        MkfsFlag& flag = flags[name];
        flag.kind = kind;
        if (std::find(flag.parameters.begin(), flag.parameters.end(), &parameter) == flag.parameters.end())
            flag.parameters.push_back(&parameter);
    }
}

// "-L" is a flag of its own, "-E offset" a suboption of a list flag.
void add_housekeeping(std::map<std::string, MkfsFlag>& flags, const std::string& name, Kind kind) {
    const auto blank = name.find(' ');
    if (blank == std::string::npos) {
        flags.emplace(name, MkfsFlag{kind, false, {}, {}, {}});
        return;
    }
    MkfsFlag& flag =
        flags.emplace(name.substr(0, blank), MkfsFlag{Kind::kList, false, {}, {}, {}}).first->second;
    flag.kind = Kind::kList;
    (kind == Kind::kSwitch ? flag.quiet_words : flag.quiet_keys).push_back(name.substr(blank + 1));
}

std::string base_name(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

// Takes "-t xfs", "-txfs", "--type xfs" or "--type=xfs" out of the arguments.
std::string take_type(std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string word = arguments[i];
        const auto place = arguments.begin() + static_cast<std::ptrdiff_t>(i);
        if ((word == "-t" || word == "--type") && i + 1 < arguments.size()) {
            std::string type = arguments[i + 1];
            arguments.erase(place, place + 2);
            return type;
        }
        const std::size_t prefix = word.starts_with("--type=")                 ? 7
                                   : word.starts_with("-t") && word.size() > 2 ? 2
                                                                               : 0;
        if (prefix > 0) {
            arguments.erase(place);
            return word.substr(prefix);
        }
    }
    return {};
}

}  // namespace

std::map<std::string, MkfsFlag> mkfs_flags(const Knowledge& knowledge, const Filesystem& filesystem) {
    std::map<std::string, MkfsFlag> flags;
    for (const Parameter* parameter : knowledge.parameters_of(filesystem.id, Layer::kMkfs))
        add_parameter(flags, *parameter);
    for (const std::string& name : filesystem.switches) add_housekeeping(flags, name, Kind::kSwitch);
    for (const std::string& name : filesystem.value_flags) add_housekeeping(flags, name, Kind::kValue);
    for (const auto* list : {&filesystem.mkfs_quiet, &filesystem.mkfs_overwrite})
        for (const std::string& name : *list)
            if (name.starts_with('-')) flags.emplace(name, MkfsFlag{});
    for (const std::string& name : filesystem.last_only_flags)
        if (const auto flag = flags.find(name); flag != flags.end()) flag->second.last_only = true;
    return flags;
}

MkfsProgram mkfs_program(const Knowledge& knowledge, const std::vector<std::string>& argv) {
    MkfsProgram program;
    if (argv.empty()) {
        program.problem = "no program";
        return program;
    }
    program.arguments.assign(argv.begin() + 1, argv.end());
    const std::string name = base_name(argv[0]);
    for (const Filesystem& filesystem : knowledge.filesystems())
        if (filesystem.mkfs == name) {
            program.filesystem = &filesystem;
            return program;
        }
    bool several = name == "mkfs";  // the front end of util-linux, mkfs(8)
    for (const Filesystem& filesystem : knowledge.filesystems())
        several = several || std::find(filesystem.mkfs_aliases.begin(), filesystem.mkfs_aliases.end(),
                                       name) != filesystem.mkfs_aliases.end();
    if (!several) {
        program.problem = fmt::format("{} is no program that makes a known filesystem", name);
        return program;
    }
    const std::string type = take_type(program.arguments);
    program.filesystem = knowledge.filesystem(type);
    if (type.empty())
        program.problem = fmt::format("{} without -t TYPE makes a filesystem that is not known here", name);
    else if (program.filesystem == nullptr)
        program.problem = fmt::format("filesystem {} is not known here", type);
    return program;
}

}  // namespace fsadvise
