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

bool has_value(const Parameter& parameter, std::string_view word) {
    return std::any_of(parameter.domain.values.begin(), parameter.domain.values.end(),
                       [&](const Value& value) { return equal(value, Value{std::string(word)}); });
}

// What mke2fs makes if no type is named: the oldest generation, and with -j the next one. Source: mke2fs(8).
std::string type_by_default(const Knowledge& knowledge, const Filesystem& filesystem,
                            const std::vector<std::string>& arguments) {
    const Parameter* generations = generations_of(knowledge, filesystem.id);
    if (generations == nullptr || generations->domain.values.size() < 2) return {};
    const auto& values = generations->domain.values;
    const bool journal = std::find(arguments.begin(), arguments.end(), "-j") != arguments.end();
    return to_text(values[values.size() - (journal ? 2 : 1)]);
}

// Puts the generation back as an option, where it is not the filesystem's own name.
void name_generation(const Knowledge& knowledge, const std::string& type, MkfsProgram& program) {
    if (program.filesystem == nullptr || type == program.filesystem->id) return;
    const Parameter* generations = generations_of(knowledge, program.filesystem->id);
    program.arguments.insert(program.arguments.begin(), {generations->spelling.flag, type});
}

}  // namespace

const Parameter* generations_of(const Knowledge& knowledge, std::string_view filesystem) {
    const Parameter* parameter = knowledge.parameter(std::string(filesystem) + ".mkfs.type");
    return parameter != nullptr && parameter->type == ValueType::kEnum ? parameter : nullptr;
}

const Filesystem* filesystem_of_type(const Knowledge& knowledge, std::string_view type) {
    if (const Filesystem* filesystem = knowledge.filesystem(type)) return filesystem;
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        const Parameter* generations = generations_of(knowledge, filesystem.id);
        if (generations != nullptr && has_value(*generations, type)) return &filesystem;
    }
    return nullptr;
}

bool takes_several_devices(const Knowledge& knowledge, std::string_view filesystem) {
    const Parameter* count = knowledge.parameter(std::string(filesystem) + ".mkfs.devices");
    return count != nullptr && count->type == ValueType::kInteger;
}

bool only_shows(const ParsedCommand& command) {
    return std::any_of(command.words.begin(), command.words.end(), [](const ParsedWord& word) {
        return !word.bad_value && word.parameter.ends_with(".mkfs.dry_run") && equal(word.value, Value{true});
    });
}

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
    if (name.starts_with("mkfs.")) {  // mkfs.ext3
        const std::string type = name.substr(name.find('.') + 1);
        program.filesystem = filesystem_of_type(knowledge, type);
        name_generation(knowledge, type, program);
        if (program.filesystem != nullptr) return program;
    }
    bool several = name == "mkfs";  // the front end of util-linux, mkfs(8)
    const Filesystem* own = nullptr;
    for (const Filesystem& filesystem : knowledge.filesystems())
        if (std::find(filesystem.mkfs_aliases.begin(), filesystem.mkfs_aliases.end(), name) !=
            filesystem.mkfs_aliases.end()) {
            several = true;
            own = &filesystem;
        }
    if (!several) {
        program.problem = fmt::format("{} is no program that makes a known filesystem", name);
        return program;
    }
    std::string type = take_type(program.arguments);
    if (type.empty() && own != nullptr) type = type_by_default(knowledge, *own, program.arguments);
    program.filesystem = filesystem_of_type(knowledge, type);
    name_generation(knowledge, type, program);
    if (type.empty())
        program.problem = fmt::format("{} without -t TYPE makes a filesystem that is not known here", name);
    else if (program.filesystem == nullptr)
        program.problem = fmt::format("filesystem {} is not known here", type);
    return program;
}

}  // namespace fsadvise
