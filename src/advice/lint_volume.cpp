#include "advice/lint_volume.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "space/mkfs_flags.h"

namespace fsadvise {
namespace {

// The label that a command gives, as fstab names it: mke2fs, mkfs.xfs and mkfs.btrfs -L, mkfs.f2fs -l.
void add_label(const std::vector<std::string>& argv, const std::string& filesystem,
               std::vector<std::string>& names) {
    const std::string flag = filesystem == "f2fs" ? "-l" : "-L";
    for (std::size_t i = 1; i + 1 < argv.size(); ++i) {
        if (argv[i] == flag) names.push_back("LABEL=" + argv[i + 1]);
    }
}

// Whether the kernel mounts what `format` makes as `type`: an older generation is also taken by the drivers
// of those before the current one that are not newer than it. Source: measured, Linux 6.18.44.
bool mounts_as(const Knowledge& knowledge, const ParsedCommand& format, const std::string& type) {
    if (type == format.filesystem) return true;
    const auto* generations = generations_of(knowledge, format.filesystem);
    const auto* known = filesystem_of_type(knowledge, type);
    if (generations == nullptr || known == nullptr || known->id != format.filesystem) return false;
    std::string made = format.filesystem;
    for (const auto& word : format.words) {
        if (word.parameter == generations->id) made = to_text(word.value);
    }
    const auto age = [&](const std::string& name) {
        const auto& values = generations->domain.values;
        return std::ranges::find_if(values, [&](const Value& value) { return to_text(value) == name; }) -
               values.begin();
    };
    return age(made) > 0 && age(made) <= age(type);
}

}  // namespace

bool VolumeLinter::format(int line, const std::vector<std::string>& argv,
                          const std::vector<std::string>& names) {
    auto command = parse_mkfs(checker_.knowledge(), argv);
    if (command.filesystem.empty() || checker_.knowledge().filesystem(command.filesystem) == nullptr) {
        return false;
    }
    if (command.devices.empty() && command.words.empty() && names.empty()) return false;  // mkfs.xfs -V
    ++result_.checked;
    Formatted entry{line, argv, names, std::move(command), {}};
    entry.names.insert(entry.names.end(), entry.command.devices.begin(), entry.command.devices.end());
    add_label(argv, entry.command.filesystem, entry.names);
    entry.verdict = checker_.check_mkfs(entry.command, Place{line, "the mount fails"}, result_);
    formatted_.push_back(std::move(entry));
    return true;
}

// The last format of the device; a new one starts a new pair.
const VolumeLinter::Formatted* VolumeLinter::format_of(const std::string& device) const {
    if (device.empty()) return nullptr;
    const auto found = std::find_if(formatted_.rbegin(), formatted_.rend(), [&](const Formatted& entry) {
        return std::ranges::find(entry.names, device) != entry.names.end();
    });
    return found == formatted_.rend() ? nullptr : &*found;
}

void VolumeLinter::mount(MountRequest request) {
    const auto words = split(request.options, ',');
    const auto option = [&](std::string_view name) { return std::ranges::find(words, name) != words.end(); };
    if (option("bind") || option("rbind")) return;
    if (option("remount")) {
        const auto earlier = mounted_.find(request.directory);
        if (earlier != mounted_.end()) {
            if (request.type.empty()) request.type = earlier->second.filesystem;
            if (request.device.empty()) request.device = earlier->second.device;
        }
    }
    const auto* format = format_of(request.device);
    if (format != nullptr && !request.type.empty() && request.type != "auto" &&
        !mounts_as(checker_.knowledge(), format->command, request.type)) {
        wrong_type(request, *format);
        return;
    }
    const auto* known = filesystem_of_type(checker_.knowledge(), request.type);
    const auto filesystem = format != nullptr  ? format->command.filesystem
                            : known != nullptr ? known->id
                                               : std::string();
    if (checker_.knowledge().filesystem(filesystem) == nullptr) return;
    ++result_.checked;
    if (format == nullptr && filesystem != request.type) {
        // A generation of which only the words are known.
        checker_.check_words(filesystem, Layer::kMount,
                             parse_mount_options(checker_.knowledge(), filesystem, request.options),
                             Place{request.line, request.consequence}, result_);
        mounted_[request.directory] = {filesystem, request.device};
        return;
    }
    const auto parsed = parse_mount_options(checker_.knowledge(), filesystem, request.options);
    const auto verdict =
        checker_.check_mount(filesystem, format != nullptr ? &format->command : nullptr, parsed,
                             Place{request.line, request.consequence, request.directory}, result_);
    if (format != nullptr) {
        const bool formats = format->verdict.formats && verdict.formats;
        result_.pairs.push_back({format->line, request.line, format->argv, filesystem, request.options,
                                 request.device, formats,
                                 formats && format->verdict.mounts && verdict.mounts});
    }
    mounted_[request.directory] = {filesystem, request.device};
}

void VolumeLinter::wrong_type(const MountRequest& request, const Formatted& format) {
    auto item = checker_.finding("mount-wrong-type", Severity::kError, request.line, request.type);
    item.what = fmt::format("{} is formatted as {} in line {} and mounted as {}", request.device,
                            format.command.filesystem, format.line, request.type);
    item.consequence = request.consequence;
    item.fix = "mount it with -t " + format.command.filesystem;
    item.sources = {"mount(8), -t", "measured: Linux 6.18.44"};
    result_.findings.push_back(std::move(item));
    result_.pairs.push_back({format.line, request.line, format.argv, format.command.filesystem,
                             request.options, request.device, format.verdict.formats, false});
}

std::string VolumeLinter::filesystem_at(const std::string& path) const {
    std::string best;
    std::size_t length = 0;
    for (const auto& [directory, mounted] : mounted_) {
        const bool inside = path == directory || directory == "/" || path.starts_with(directory + "/");
        if (inside && !directory.empty() && directory.size() >= length) {
            best = mounted.filesystem;
            length = directory.size();
        }
    }
    return best;
}

}  // namespace fsadvise
