// --oldest-kernel, --boot-loader, --oldest-tools, --max-file, --max-volume: what must read the result, and how large
// it must become.
#include <cctype>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "space/component_version.h"

namespace fsadvise::cli {
namespace {

// "grub-2.06", "grub 2.06", "grub:2.06" -> name and version.
std::pair<std::string, std::string> name_and_version(const std::string& text) {
    std::size_t digit = text.find_first_of("0123456789");
    while (digit != std::string::npos && digit > 0 &&
           std::string_view("- :").find(text[digit - 1]) == std::string_view::npos) {
        digit = text.find_first_of("0123456789", digit + 1);  // "e2fsprogs": the digit is part of the name
    }
    if (digit == std::string::npos || digit == 0) return {lower(text), {}};
    return {lower(text.substr(0, digit - 1)), text.substr(digit)};
}

Result<void> add_reader(Requirements& requirements, const std::string& text, const std::string& option,
                        const std::vector<std::string>& known) {
    const auto [name, version] = name_and_version(text);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        return fail(ErrorCode::kUsage, "unknown word '" + name + "'" + did_you_mean(name, known), option,
                    "known: " + join(known, ", "));
    }
    if (!Version::parse(version).known()) {
        return fail(ErrorCode::kUsage, "'" + text + "' has no version", option, "write for example " + name + "-2.06");
    }
    requirements.readers[name] = version;
    return {};
}

Result<void> read_size(std::optional<std::uint64_t>& out, const std::string& text, const std::string& option) {
    if (text.empty()) return {};
    const auto size = parse_size(text);
    if (!size || *size == 0) {
        return fail(ErrorCode::kUsage, size ? "a size of zero" : size.error().message, option,
                    "write for example 20T");
    }
    out = *size;
    return {};
}

}  // namespace

void add_reader_options(CLI::App& command, ReaderOptions& options) {
    command.add_option("--oldest-kernel", options.kernel, "oldest kernel that must mount it, e.g. 5.4")
        ->type_name("VERSION");
    command.add_option("--boot-loader", options.boot_loader, "boot loader that must read it, e.g. grub-2.06")
        ->type_name("NAME-VERSION");
    command
        .add_option("--oldest-tools", options.tools,
                    "oldest repair tools that must handle it, e.g. e2fsprogs-1.45,xfsprogs-5.10")
        ->delimiter(',')
        ->type_name("LIST");
    command.add_option("--max-file", options.largest_file, "largest file it must hold, e.g. 20T")
        ->type_name("SIZE");
    command.add_option("--max-volume", options.largest_volume, "size it must be able to grow to, e.g. 100T")
        ->type_name("SIZE");
}

Result<void> resolve_readers(const ReaderOptions& options, const Knowledge& knowledge, Requirements& requirements) {
    if (!options.kernel.empty()) {
        if (!Version::parse(options.kernel).known()) {
            return fail(ErrorCode::kUsage, "'" + options.kernel + "' is not a kernel version", "--oldest-kernel",
                        "write for example 5.4");
        }
        requirements.readers["kernel"] = options.kernel;
    }
    std::vector<std::string> tools;
    for (const Filesystem& filesystem : knowledge.filesystems()) tools.push_back(filesystem.tool);
    if (!options.boot_loader.empty()) {
        FSADVISE_TRY(add_reader(requirements, options.boot_loader, "--boot-loader", boot_loaders()));
    }
    for (const std::string& tool : options.tools) {
        FSADVISE_TRY(add_reader(requirements, tool, "--oldest-tools", tools));
    }
    FSADVISE_TRY(read_size(requirements.largest_file_bytes, options.largest_file, "--max-file"));
    FSADVISE_TRY(read_size(requirements.largest_volume_bytes, options.largest_volume, "--max-volume"));
    return {};
}

Result<void> check_vendor(const Requirements& requirements, const Host& host, const Knowledge& knowledge) {
    if (!requirements.needs.contains("vendor-support")) return {};
    if (knowledge.distribution(host.distribution, host.distribution_version) != nullptr) return {};
    return fail(ErrorCode::kUsage, "vendor-support of which vendor?", "--require",
                "name the target, e.g. --distro rhel9, sles15 or ubuntu24.04");
}

}  // namespace fsadvise::cli
