#include "cli/completion.h"

#include <algorithm>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

// "F:{text,json}" of a parser's option as {"text", "json"}.
std::vector<std::string> choices_of(const std::string& type) {
    const auto from = type.find('{'), to = type.find('}');
    if (from == std::string::npos || to == std::string::npos || to < from) return {};
    return split(type.substr(from + 1, to - from - 1), ',');
}

CommandNode::Option option_of(const CLI::Option& option, const std::vector<std::string>& workloads) {
    CommandNode::Option made;
    for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
    made.description = option.get_description();
    made.takes_value = option.get_expected_max() > 0;
    const std::string type = option.get_type_name();
    made.choices = choices_of(type);
    if (std::ranges::find(made.names, "--workload") != made.names.end()) made.choices = workloads;
    static const std::set<std::string> kFiles = {"FILE", "DIR", "DEV", "PATH", "TABLE", "STUDY", "ROWS"};
    for (const std::string& word : split(type.substr(0, type.find(':')), '|'))
        made.is_file |= kFiles.count(word) > 0;
    return made;
}

void walk(const CLI::App& command, const std::string& path, const std::vector<std::string>& workloads,
          std::vector<CommandNode>& tree) {
    CommandNode node;
    node.path = path;
    node.description = command.get_description();
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) node.takes_files = true;
        if (!option->get_lnames().empty() || !option->get_snames().empty())
            node.options.push_back(option_of(*option, workloads));
    }
    const auto subcommands = command.get_subcommands({});
    for (const CLI::App* sub : subcommands) node.subcommands.push_back(sub->get_name());
    tree.push_back(std::move(node));
    for (const CLI::App* sub : subcommands)
        walk(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), workloads, tree);
}

std::vector<std::string> all_names(const CommandNode& node) {
    std::vector<std::string> names;
    for (const auto& option : node.options)
        names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

// `fsadvise --workload W` is short for `fsadvise recommend --workload W`.
const CommandNode& options_node(const std::vector<CommandNode>& tree, const CommandNode& node) {
    if (!node.path.empty()) return node;
    const auto found = std::ranges::find(tree, "recommend", &CommandNode::path);
    return found == tree.end() ? node : *found;
}

// In single quotes for sh and zsh.
std::string quoted(std::string text) {
    for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 4))
        text.replace(at, 1, "'\\''");
    return "'" + text + "'";
}

std::string fish_quoted(std::string text) {
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] == '\'' || text[at] == '\\') text.insert(at++, "\\");
    return "'" + text + "'";
}

}  // namespace

std::vector<CommandNode> command_tree(const CLI::App& app, const std::vector<std::string>& workloads) {
    std::vector<CommandNode> tree;
    walk(app, "", workloads, tree);
    return tree;
}

std::string bash_completion(const std::vector<CommandNode>& tree) {
    std::string paths, values, words;
    for (const CommandNode& node : tree) {
        if (!node.path.empty()) paths += (paths.empty() ? "" : " | ") + quoted(node.path);
        const CommandNode& with = options_node(tree, node);
        for (const auto& option : with.options) {
            if (!option.takes_value) continue;
            std::vector<std::string> patterns;
            for (const std::string& name : option.names) patterns.push_back(quoted(node.path + " " + name));
            const std::string action = !option.choices.empty()
                                           ? fmt::format("words={}", quoted(join(option.choices, " ")))
                                       : option.is_file ? "files=1"
                                                        : "return";
            values += fmt::format("    {}) {};;\n", join(patterns, " | "), action);
        }
        auto names = all_names(node);
        if (&with != &node)
            for (const std::string& name : all_names(with))
                if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        words += fmt::format("    {}) commands={}; options={}; files={};;\n", quoted(node.path),
                             quoted(join(node.subcommands, " ")), quoted(join(names, " ")),
                             node.takes_files ? 1 : 0);
    }
    return "# Completion of fsadvise for bash; made by: fsadvise completion bash\n"
           "_fsadvise() {\n"
           "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= words= "
           "commands= options= files=0 i\n"
           "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "    case \"${path:+$path }${COMP_WORDS[i]}\" in\n"
           "    " +
           paths +
           ") path=\"${path:+$path }${COMP_WORDS[i]}\";;\n"
           "    esac\n"
           "  done\n"
           "  COMPREPLY=()\n"
           "  if ((COMP_CWORD > 1)); then\n"
           "    case \"$path $previous\" in\n" +
           values +
           "    esac\n"
           "  fi\n"
           "  if [ -z \"$words\" ] && [ \"$files\" = 0 ]; then\n"
           "    case $path in\n" +
           words +
           "    esac\n"
           "    case $current in\n"
           "    -*) words=$options; files=0;;\n"
           "    *) words=$commands;;\n"
           "    esac\n"
           "  fi\n"
           "  local prefix= last=$current\n"
           "  case $current in *,*) prefix=${current%,*},; last=${current##*,};; esac\n"
           "  local word\n"
           "  for word in $words; do\n"
           "    case $word in \"$last\"*) COMPREPLY+=(\"$prefix$word\");; esac\n"
           "  done\n"
           "  if [ \"$files\" = 1 ] && [ -z \"$words\" ]; then\n"
           "    local name\n"
           "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$current\")\n"
           "    compopt -o filenames 2>/dev/null\n"
           "  fi\n"
           "}\n"
           "complete -F _fsadvise fsadvise\n";
}

std::string zsh_completion(const std::vector<CommandNode>& tree) {
    std::string cases;
    for (const CommandNode& node : tree) {
        const CommandNode& with = options_node(tree, node);
        std::string entries;
        for (const std::string& sub : node.subcommands) {
            const auto found =
                std::ranges::find(tree, node.path.empty() ? sub : node.path + " " + sub, &CommandNode::path);
            entries += " " + quoted(sub + ":" + (found == tree.end() ? "" : found->description));
        }
        std::string options, values;
        for (const auto& option : with.options) {
            for (const std::string& name : option.names)
                options += " " + quoted(name + ":" + option.description);
            if (!option.takes_value) continue;
            const std::string action = !option.choices.empty() ? "compadd -q -- " + join(option.choices, " ")
                                       : option.is_file        ? "_files"
                                                               : "true";
            values += fmt::format("      {}) {}; return;;\n", join(option.names, "|"), action);
        }
        cases += fmt::format(
            "  {})\n    case $words[CURRENT-1] in\n{}    esac\n    commands=({}) options=({}) files={};;\n",
            quoted(node.path), values, entries, options, node.takes_files ? 1 : 0);
    }
    std::vector<std::string> paths;
    for (const CommandNode& node : tree)
        if (!node.path.empty()) paths.push_back(quoted(node.path));
    return "#compdef fsadvise\n# Completion of fsadvise for zsh; made by: fsadvise completion zsh\n"
           "_fsadvise() {\n"
           "  local at='' word files=0\n  local -a commands options\n  local i\n"
           "  for ((i = 2; i < CURRENT; ++i)); do\n    word=\"${at:+$at }$words[i]\"\n    case $word in\n    "
           "(" +
           join(paths, "|") +
           ") at=$word;;\n    esac\n  done\n"
           "  case $at in\n" +
           cases +
           "  esac\n"
           "  if [[ $words[CURRENT] == -* ]]; then _describe option options; return; fi\n"
           "  (( $#commands )) && _describe command commands\n"
           "  [[ $files == 1 ]] && _files\n"
           "}\n"
           "compdef _fsadvise fsadvise\n";
}

std::string fish_completion(const std::vector<CommandNode>& tree) {
    std::string out =
        "# Completion of fsadvise for fish; made by: fsadvise completion fish\n"
        "function __fsadvise_at --description 'the subcommand so far is the argument'\n"
        "    set -l path\n    for word in (commandline -opc)[2..]\n        string match -q -- '-*' $word; "
        "and continue\n"
        "        if contains -- (string join ' ' $path $word) $__fsadvise_paths\n            set path $path "
        "$word\n        end\n    end\n"
        "    test (string join ' ' $path) = \"$argv\"\nend\n";
    std::vector<std::string> paths;
    for (const CommandNode& node : tree)
        if (!node.path.empty()) paths.push_back(fish_quoted(node.path));
    out += "set -g __fsadvise_paths " + join(paths, " ") + "\ncomplete -c fsadvise -f\n";
    for (const CommandNode& node : tree) {
        const std::string here = fmt::format("complete -c fsadvise -n \"__fsadvise_at {}\"", node.path);
        for (const std::string& sub : node.subcommands) {
            const auto found =
                std::ranges::find(tree, node.path.empty() ? sub : node.path + " " + sub, &CommandNode::path);
            out += fmt::format("{} -a {} -d {}\n", here, sub,
                               fish_quoted(found == tree.end() ? "" : found->description));
        }
        if (node.takes_files) out += here + " -F\n";
        for (const auto& option : options_node(tree, node).options) {
            out += here;
            for (const std::string& name : option.names)
                out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (option.takes_value) out += option.choices.empty() && option.is_file ? " -r -F" : " -x";
            if (!option.choices.empty()) out += " -a " + fish_quoted(join(option.choices, " "));
            out += " -d " + fish_quoted(option.description) + "\n";
        }
    }
    return out;
}

void add_completion(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand(
        "completion",
        "print a completion script: fsadvise completion bash > /etc/bash_completion.d/fsadvise");
    auto shell = std::make_shared<std::string>();
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL");
    add_common(*command, invocation.common);
    command->callback([shell, &app, &invocation] {
        invocation.action = [shell, &app, &invocation]() -> Outcome {
            FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(invocation.common));
            const auto tree = command_tree(app, loaded.knowledge.workload_names());
            FSADVISE_TRY(emit(invocation.common, *shell == "bash"  ? bash_completion(tree)
                                                 : *shell == "zsh" ? zsh_completion(tree)
                                                                   : fish_completion(tree)));
            return 0;
        };
    });
}

}  // namespace fsadvise::cli
