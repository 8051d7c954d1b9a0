// Dockerfiles: mkfs and mount commands in RUN, and images that format with tools newer than the nodes'
// kernels.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_script.h"
#include "base/text.h"
#include "space/fact_table.h"

namespace fsadvise {
namespace {

struct Instruction {
    int line = 0;
    std::string name, rest;  // rest keeps its line breaks, so that line numbers inside stay right
};

std::vector<Instruction> split_instructions(std::string_view text) {
    std::vector<Instruction> instructions;
    bool open = false;
    int number = 0;
    for (const auto& raw : split(text, '\n')) {
        ++number;
        const auto content = trim(raw);
        if (open) {
            auto& rest = instructions.back().rest;
            // A comment inside a continued instruction is dropped by the builder.
            rest += content.starts_with('#') ? "\\\n" : raw + "\n";
            open = content.starts_with('#') || content.empty() || content.ends_with('\\');
            continue;
        }
        if (content.empty() || content.starts_with('#')) continue;
        const auto blank = std::min(content.find_first_of(" \t"), content.size());
        Instruction next{number, lower(content.substr(0, blank)), std::string(content.substr(blank)) + "\n"};
        open = content.ends_with('\\');
        instructions.push_back(std::move(next));
    }
    return instructions;
}

// "docker.io/library/alpine:3.20@sha256:..." -> {"alpine", "3.20"}
std::pair<std::string, std::string> image_of(const std::string& from) {
    std::vector<std::string> words;
    for (const auto& word : split(std::string(trim(from)), ' ')) {
        if (!word.empty() && !word.starts_with("--")) words.push_back(word);
    }
    if (words.empty()) return {};
    auto image = words.front();
    image = image.substr(0, image.find('@'));
    image = image.substr(image.rfind('/') == std::string::npos ? 0 : image.rfind('/') + 1);
    const auto colon = image.find(':');
    if (colon == std::string::npos) return {image, ""};
    auto version = image.substr(colon + 1);
    version = version.substr(0, version.find_first_of("-_"));
    return {image.substr(0, colon), version};
}

const Distribution* distribution_of(const Knowledge& knowledge, const std::string& from) {
    const auto [name, tag] = image_of(from);
    const auto row_of = [&](std::string_view table, std::string_view column, const std::string& text) {
        const auto* found = knowledge.table(table);
        return found == nullptr ? nullptr : found->find(column, text);
    };
    const auto* known = row_of("image-names", "image", name);
    const auto id = known != nullptr ? std::string((*known)["distribution"]) : name;
    auto version = tag;
    if (const auto* code = row_of("image-tags", "tag", tag)) version = (*code)["version"];
    if (name.starts_with("ubi") && name.size() > 3) version = name.substr(3);
    return knowledge.distribution(id, version);
}

bool installs(const Knowledge& knowledge, const std::vector<std::string>& words) {
    const auto* managers = knowledge.table("package-managers");
    if (words.size() < 3 || managers == nullptr || managers->find("program", words[0]) == nullptr)
        return false;
    return std::ranges::any_of(words, [](const std::string& word) {
        return word == "add" || word == "install" || word == "in" || word.starts_with("-S");
    });
}

// mkfs of a package that neither the base image carries nor an earlier command installs. Only e2fsprogs is
// part of some base images. Source: contents of the images debian:12, ubuntu:24.04, alpine:3.20, fedora:40.
void check_tool_there(const LintInput& input, const std::vector<std::string>& words, int line,
                      const std::set<std::string>& installed, LintResult& result) {
    const auto program = words.front().substr(words.front().rfind('/') + 1);
    for (const auto& filesystem : input.knowledge.filesystems()) {
        if (program != filesystem.mkfs || filesystem.tool == "e2fsprogs" || installed.contains("*")) continue;
        if (installed.contains(filesystem.tool)) continue;
        auto item = input.checker().finding("image-tool-missing", Severity::kWarning, line, program);
        item.what = fmt::format("no command before installs {}, and the base image does not carry it",
                                filesystem.tool);
        item.consequence = "the build stops: command not found";
        item.fix = "install " + filesystem.tool + " first";
        item.ignore_if = "the tool is copied into the image";
        result.findings.push_back(std::move(item));
    }
}

// The tools of the image against the target's kernel: would a plain mkfs make what the kernel can mount?
void check_tools(const LintInput& input, const Distribution& image, const std::string& package, int line,
                 LintResult& result) {
    auto target = input.target;
    target.host.tools = image.tools;
    for (const auto& filesystem : input.knowledge.filesystems()) {
        if (filesystem.tool != package || !image.tools.contains(package)) continue;
        ++result.checked;
        LintResult found;
        const LintChecker checker(input.knowledge, target, input.file);
        VolumeLinter volumes(checker, found);
        volumes.format(line, {filesystem.mkfs, "DEVICE"});
        volumes.mount({line, filesystem.id, "", "DEVICE", "/mnt", "the mount fails"});
        for (auto& item : found.findings) {
            if (item.severity != Severity::kError) continue;
            // One finding a feature: they share the id, the subject tells them apart.
            item.subject = item.id.substr(item.id.find(':') + 1);
            item.id = "image-tools-too-new";
            item.what = fmt::format("{} {} of {} formats {} so by default: {}", package,
                                    image.tools.at(package), image.title, filesystem.title, item.what);
            item.consequence = fmt::format(
                "volumes formatted by this image do not mount on nodes with kernel {}", target.host.kernel);
            item.fix = filesystem.id == "xfs"
                           ? "pin the format: -c options=/usr/share/xfsprogs/mkfs/lts_KERNEL.conf, or use an "
                             "older image"
                           : "switch the feature off in the driver's mkfs options, or use an older image";
            item.ignore_if = "the driver passes such options, or no node has a kernel that old";
            result.findings.push_back(std::move(item));
        }
    }
}

bool recognises(std::string_view name, std::string_view text) {
    if (name.starts_with("Dockerfile") || name.ends_with(".Dockerfile") || name.ends_with(".dockerfile") ||
        name.starts_with("Containerfile")) {
        return true;
    }
    const auto instructions = split_instructions(text.substr(0, 4096));
    return !instructions.empty() && instructions.front().name == "from" && has_line_starting(text, "RUN ");
}

Result<void> check(const LintInput& input, LintResult& result) {
    const Distribution* image = nullptr;
    std::set<std::string> installed;  // packages of this stage; "*" = not known
    std::map<std::string, std::set<std::string>> stage_packages;
    std::string stage_name;
    std::map<std::string, const Distribution*> stages;  // by the name after AS
    std::optional<Finding> unknown;                     // of this stage, if it formats anything
    const auto formats_something = [&](const std::vector<std::string>& words) {
        if (words.empty()) return false;
        const auto program = words.front().substr(words.front().rfind('/') + 1);
        if (program.starts_with("mkfs") || program == "mke2fs" || program == "mount") return true;
        return installs(input.knowledge, words) &&
               std::ranges::any_of(input.knowledge.filesystems(), [&](const auto& filesystem) {
                   return std::ranges::find(words, filesystem.tool) != words.end();
               });
    };
    const auto instructions = split_instructions(input.text);
    for (const auto& instruction : instructions) {
        if (instruction.name == "from") {
            auto words = split(std::string(trim(instruction.rest)), ' ');
            std::erase_if(words,
                          [](const std::string& word) { return word.empty() || word.starts_with("--"); });
            const auto stage = words.empty() ? stages.end() : stages.find(lower(words.front()));
            image =
                stage != stages.end() ? stage->second : distribution_of(input.knowledge, instruction.rest);
            stage_packages[stage_name] = installed;
            stage_name = words.size() == 3 ? lower(words[2]) : std::string();
            installed =
                image == nullptr || words.empty() ? std::set<std::string>{"*"} : std::set<std::string>{};
            if (stage != stages.end()) installed = stage_packages[lower(words.front())];
            if (words.size() == 3) stages[lower(words[2])] = image;
            unknown.reset();
            if (image != nullptr) continue;
            auto item = input.checker().finding("image-unknown", Severity::kInfo, instruction.line,
                                                std::string(trim(instruction.rest)));
            item.what = "the tool versions of this image are not known";
            item.consequence = "mkfs commands are judged by the versions of the target";
            item.fix = "name the tools with --distro or --host";
            unknown = std::move(item);
        }
        if (instruction.name == "copy" || instruction.name == "add") installed.insert("*");
        if (instruction.name != "run" && instruction.name != "cmd" && instruction.name != "entrypoint")
            continue;
        auto target = input.target;
        if (image != nullptr) target.host.tools = image->tools;
        const LintChecker checker(input.knowledge, target, input.file);
        VolumeLinter volumes(checker, result);
        auto text = instruction.rest;
        // ["mkfs.xfs", "-f", "/dev/sdb"]: the same words without the brackets.
        if (trim(text).starts_with('['))
            std::ranges::replace_if(
                text, [](char c) { return c == '[' || c == ']' || c == ','; }, ' ');
        check_script(checker, text, instruction.line, volumes, result);
        for (const auto& command : split_shell(text)) {
            const auto words = strip_prefixes(command.words);
            if (unknown && formats_something(words)) {
                result.findings.push_back(*std::exchange(unknown, std::nullopt));
            }
            if (words.empty()) continue;
            check_tool_there(input, words, instruction.line + command.line - 1, installed, result);
            const auto manager = words.front().substr(words.front().rfind('/') + 1);
            // A script of unknown contents may install anything.
            static const std::set<std::string> kOpaque = {
                "sh", "bash", "make", "ansible-playbook", "dpkg", "rpm", "xargs", "cp", "tar", "git"};
            if (kOpaque.contains(manager) || manager.ends_with(".sh")) installed.insert("*");
            if (!installs(input.knowledge, words)) continue;
            for (const auto& word : words) {
                if (word.starts_with('-')) continue;
                installed.insert(has_placeholder(word) ? "*" : word.substr(0, word.find_first_of("=~")));
                if (word == "xfsprogs-extra") installed.insert("xfsprogs");
            }
            if (image == nullptr) continue;
            for (const auto& word : words) {
                const auto package =
                    word == "xfsprogs-extra" ? "xfsprogs" : word.substr(0, word.find_first_of("=~"));
                check_tools(input, *image, package, instruction.line + command.line - 1, result);
            }
        }
    }
    if (instructions.empty()) return fail(ErrorCode::kBadInput, "has no instruction", input.file);
    return {};
}

}  // namespace

LintFormat dockerfile_format() {
    return {"Dockerfile", recognises, check};
}

}  // namespace fsadvise
