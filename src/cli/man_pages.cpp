#include "cli/man_pages.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

// A dash is a hyphen to roff and a dot or quote at the start of a line a request.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c == '\n' ? ' ' : c;
    }
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string page_name(const std::string& path) {
    std::string name = "fsadvise-" + path;
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::string in_capitals(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string options_of(const CommandNode& node) {
    std::string out;
    for (const auto& option : node.options) {
        out += ".TP\n.B " + roff(join(option.names, ", ")) + "\n" +
               roff(option.description.empty() ? "see " + node.path : option.description) + "\n";
        constexpr std::size_t kMostChoices = 16;
        if (!option.choices.empty() && option.choices.size() <= kMostChoices)
            out += "One of: " + roff(join(option.choices, ", ")) + ".\n";
    }
    return out;
}

}  // namespace

std::vector<ManPage> man_pages(const std::vector<CommandNode>& tree) {
    std::vector<ManPage> pages;
    for (const CommandNode& node : tree) {
        if (node.path.empty()) continue;
        const std::string name = page_name(node.path);
        std::string text = fmt::format(".TH {} 1 \"\" \"fsadvise\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                                       in_capitals(name), roff(name), roff(node.description));
        text += ".SH SYNOPSIS\n.B fsadvise " + roff(node.path) + "\n.RI [ options ]";
        text += node.subcommands.empty() ? (node.takes_files ? " ...\n" : "\n") : "\n.I subcommand\n";
        if (!node.subcommands.empty()) {
            text += ".SH SUBCOMMANDS\n";
            for (const std::string& sub : node.subcommands) {
                const auto found = std::ranges::find(tree, node.path + " " + sub, &CommandNode::path);
                text += ".TP\n.BR " + roff(page_name(node.path + " " + sub)) + " (1)\n" +
                        roff(found == tree.end() ? "" : found->description) + "\n";
            }
        }
        if (!node.options.empty()) text += ".SH OPTIONS\n" + options_of(node);
        text +=
            ".SH EXIT STATUS\n0 done, 1 findings or losses, 2 usage, 3 bad input, 4 impossible on this "
            "machine, 5 the run failed, 130 and 143 "
            "stopped by a signal; see\n.BR fsadvise (1).\n.SH SEE ALSO\n.BR fsadvise (1)\n";
        pages.push_back({name + ".1", std::move(text)});
    }
    return pages;
}

void add_man_pages(CLI::App& app, Invocation& invocation) {
    CLI::App* command =
        app.add_subcommand("man-pages", "write a manual page of every command into a folder")->group("");
    auto folder = std::make_shared<std::string>();
    command->add_option("folder", *folder, "an existing folder")->required()->type_name("DIR");
    command->callback([folder, &app, &invocation] {
        invocation.action = [folder, &app]() -> Outcome {
            for (const ManPage& page : man_pages(command_tree(app, {})))
                FSADVISE_TRY(
                    write_file_atomically((std::filesystem::path(*folder) / page.name).string(), page.text));
            return 0;
        };
    });
}

}  // namespace fsadvise::cli
