#include "advice/lint_volume.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "base/text.h"
#include "space/component_version.h"
#include "space/fact_table.h"
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

// "ext3" for what mkfs.ext3 makes; else the filesystem's own name.
std::string generation(const Knowledge& knowledge, const ParsedCommand& format) {
    const auto* generations = generations_of(knowledge, format.filesystem);
    std::string made = format.filesystem;
    for (const auto& word : format.words) {
        if (generations != nullptr && word.parameter == generations->id) made = to_text(word.value);
    }
    return made;
}

// A release that is not known brings neither a kernel nor tools: what they refuse cannot be told.
bool kernel_known(const LintChecker& checker) {
    return !component_version(checker.knowledge(), checker.request().host, "kernel").empty();
}

// Whether the kernel mounts what `format` makes as `type`: an older generation is also taken by the drivers
// of those before the current one that are not newer than it. Source: measured, Linux 6.18.44.
bool mounts_as(const Knowledge& knowledge, const ParsedCommand& format, const std::string& type) {
    if (type == format.filesystem) return true;
    const auto* generations = generations_of(knowledge, format.filesystem);
    const auto* known = filesystem_of_type(knowledge, type);
    if (generations == nullptr || known == nullptr || known->id != format.filesystem) return false;
    const auto made = generation(knowledge, format);
    const auto age = [&](const std::string& name) {
        const auto& values = generations->domain.values;
        return std::ranges::find_if(values, [&](const Value& value) { return to_text(value) == name; }) -
               values.begin();
    };
    return age(made) > 0 && age(made) <= age(type);
}

// mkfs.xfs -V, mkfs.xfs --help
bool asks_only(const std::vector<std::string>& argv) {
    return argv.size() == 2 && (argv[1] == "--help" || argv[1] == "--version" || argv[1] == "-V" ||
                                argv[1] == "-h" || argv[1] == "-?");
}

// Two arms of one block: never both.
bool exclusive(const Branch& a, const Branch& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i].first != b[i].first) return false;
        if (a[i].second != b[i].second) return true;
    }
    return false;
}

// $1 of one function is not $1 of another.
bool is_argument(const std::string& device) {
    const auto name = device.find_first_not_of("${");
    return device.starts_with('$') && name != std::string::npos &&
           (std::isdigit(static_cast<unsigned char>(device[name])) != 0 || device[name] == '@' ||
            device[name] == '*');
}

}  // namespace

bool VolumeLinter::format(int line, const std::vector<std::string>& argv,
                          const std::vector<std::string>& names) {
    auto command = parse_mkfs(checker_.knowledge(), argv);
    if (command.filesystem.empty() || checker_.knowledge().filesystem(command.filesystem) == nullptr) {
        return false;
    }
    if (command.devices.empty() && names.empty() && (command.words.empty() || asks_only(argv))) return false;
    ++result_.checked;
    Formatted entry{line, argv, names, std::move(command), {}, branch_};
    entry.names.insert(entry.names.end(), entry.command.devices.begin(), entry.command.devices.end());
    add_label(argv, entry.command.filesystem, entry.names);
    entry.verdict = checker_.check_mkfs(entry.command, Place{line, "the mount fails"}, result_);
    // What was there before stays.
    if (only_shows(entry.command)) return true;
    formatted_.push_back(std::move(entry));
    return true;
}

void VolumeLinter::tune(const Tuning& tuning) {
    for (const auto& device : tuning.devices) {
        for (const auto& word : tuning.words) {
            if (!word.parameter.empty() && !word.bad_value && equal(word.value, Value{false}))
                tuned_[device].push_back(word);
        }
    }
}

const VolumeLinter::Formatted* VolumeLinter::format_of(const std::string& device) const {
    const auto all = formats_of(device);
    return all.empty() ? nullptr : all.front();
}

std::vector<const VolumeLinter::Formatted*> VolumeLinter::formats_of(const std::string& device) const {
    std::vector<const Formatted*> found;
    if (device.empty()) return found;
    for (auto entry = formatted_.rbegin(); entry != formatted_.rend(); ++entry) {
        if (std::ranges::find(entry->names, device) == entry->names.end()) continue;
        if (exclusive(entry->branch, branch_)) continue;
        // A later format that is no alternative of this one has replaced it.
        const bool replaced = std::ranges::any_of(
            found, [&](const Formatted* later) { return !exclusive(entry->branch, later->branch); });
        if (!replaced) found.push_back(&*entry);
    }
    return found;
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
    const auto candidates = formats_of(request.device);
    const auto* format = candidates.empty() ? nullptr : candidates.front();
    const auto several = std::ranges::any_of(candidates, [&](const Formatted* other) {
        return other->command.filesystem != format->command.filesystem;
    });
    if (has_placeholder(request.type)) request.type.clear();
    if (request.type == "auto") request.type.clear();
    if (several && request.type.empty()) {
        // Which of them was made is known at run time only.
        ++result_.checked;
        return;
    }
    if (format != nullptr && !request.type.empty()) {
        const auto suits = std::ranges::find_if(candidates, [&](const Formatted* other) {
            return mounts_as(checker_.knowledge(), other->command, request.type);
        });
        if (suits != candidates.end()) {
            format = *suits;
        } else if (is_argument(request.device)) {
            format = nullptr;
        } else {
            wrong_type(request, *format);
            return;
        }
    }
    const auto* known = filesystem_of_type(checker_.knowledge(), request.type);
    auto filesystem = format != nullptr  ? format->command.filesystem
                      : known != nullptr ? known->id
                                         : std::string();
    // A remount names no type, but only one filesystem may have such a word.
    if (filesystem.empty() && option("remount")) {
        for (const auto& word : words)
            if (const auto* row = ignored_by_remount({}, word)) filesystem = (*row)["filesystem"];
        request.type = filesystem;
    }
    if (checker_.knowledge().filesystem(filesystem) == nullptr) return;
    ++result_.checked;
    if (format == nullptr && filesystem != request.type) {
        // A generation of which only the words are known.
        check_older_type(checker_, request.type, request.options,
                         Place{request.line, request.consequence, request.directory}, result_);
        mounted_[request.directory] = {filesystem, request.device, request.options};
        return;
    }
    auto parsed = parse_mount_options(checker_.knowledge(), filesystem, request.options);
    if (const auto tuned = tuned_.find(request.device); tuned != tuned_.end()) {
        for (const auto& word : tuned->second) {
            if (word.parameter.starts_with(filesystem + ".")) parsed.insert(parsed.begin(), word);
        }
    }
    const auto before = result_.findings.size();
    const Place place{request.line, request.consequence, request.directory};
    // mount(8) takes the type that it finds on the device.
    const auto type = request.type.empty() && format != nullptr
                          ? generation(checker_.knowledge(), format->command)
                          : request.type;
    const bool refused = drop_refused_by_type(checker_, type, parsed, place, result_);
    auto verdict = checker_.check_mount(filesystem, format != nullptr ? &format->command : nullptr, parsed,
                                        place, result_);
    if (refused) verdict.mounts = false;
    if (option("remount")) {
        // To state the default is the way back to it.
        std::erase_if(result_.findings, [&](const Finding& item) {
            return item.id == "default-value" &&
                   static_cast<std::size_t>(&item - result_.findings.data()) >= before;
        });
        remount(request, filesystem, parsed);
        return;
    }
    const bool lacks_subvolume = format != nullptr && missing_subvolume(request, *format);
    if (format != nullptr && !has_placeholder(request.options)) {
        const bool formats = format->verdict.formats && verdict.formats;
        result_.pairs.push_back({format->line, request.line, format->argv, filesystem, request.options,
                                 request.device, formats,
                                 formats && format->verdict.mounts && verdict.mounts && !lacks_subvolume});
        if (!kernel_known(checker_)) target_unknown(request);
    }
    mounted_[request.directory] = {filesystem, request.device, request.options};
}

const FactRow* VolumeLinter::ignored_by_remount(std::string_view filesystem, const std::string& word) const {
    const auto* table = checker_.knowledge().table("remount-ignores");
    if (table == nullptr) return nullptr;
    for (const auto& row : table->rows) {
        if (word.starts_with(row["word"]) && (filesystem.empty() || row["filesystem"] == filesystem))
            return &row;
    }
    return nullptr;
}

// What was not said at the first mount and cannot be changed later.
void VolumeLinter::remount(const MountRequest& request, const std::string& filesystem,
                           const std::vector<ParsedWord>& words) {
    const auto& knowledge = checker_.knowledge();
    const auto earlier = mounted_.find(request.directory);
    const bool known = earlier != mounted_.end() && !has_placeholder(earlier->second.options);
    const auto had = known ? split(earlier->second.options, ',') : std::vector<std::string>();
    for (const auto& word : words) {
        const auto* row = ignored_by_remount(filesystem, word.text);
        if (row == nullptr || std::ranges::find(had, word.text) != had.end()) continue;
        auto item = checker_.finding("remount-ignored", Severity::kWarning, request.line, word.text);
        item.what = fmt::format("'{}' is not heeded by a remount: what is mounted at {} stays", word.text,
                                request.directory);
        item.consequence = "the remount succeeds and changes nothing";
        item.fix = "unmount and mount again with it";
        item.ignore_if = "it only repeats how it is mounted";
        item.sources = knowledge.table("remount-ignores")->sources;
        result_.findings.push_back(std::move(item));
    }
    const auto first = known ? parse_mount_options(knowledge, filesystem, earlier->second.options)
                             : std::vector<ParsedWord>();
    const auto present = configuration_of(filesystem, {}, first);
    auto wanted = present;
    for (const auto& [id, value] : configuration_of(filesystem, {}, words).values) wanted.values[id] = value;
    const Context before(knowledge, checker_.request(), present),
        after(knowledge, checker_.request(), wanted);
    for (const auto& word : words) {
        const auto* parameter = knowledge.parameter(word.parameter);
        if (parameter == nullptr || word.bad_value) continue;
        const auto value = before.lookup(word.parameter);
        if (value && equal(*value, word.value)) continue;
        const auto outcome = remount_result(*parameter, after);
        if (outcome != "refused" && outcome != "ignored") continue;
        const bool refused = outcome == "refused";
        auto item = checker_.finding(refused ? "remount-refused" : "remount-ignored",
                                     refused && known ? Severity::kError : Severity::kWarning, request.line,
                                     word.text);
        item.what = fmt::format("'{}' cannot be changed by a remount{}", word.text,
                                known ? "" : ", unless it is mounted so already");
        item.consequence = refused ? "the remount fails" : "the remount succeeds and changes nothing";
        item.fix = "give it at the first mount: unmount and mount again";
        item.ignore_if = known ? "" : "the filesystem is mounted with it already";
        item.sources = parameter->sources;
        result_.findings.push_back(std::move(item));
    }
}

// A fresh filesystem has its top level and nothing else.
bool VolumeLinter::missing_subvolume(const MountRequest& request, const Formatted& format) {
    if (subvolumes_made_ || format.command.filesystem != "btrfs") return false;
    if (std::ranges::find_if(format.argv, [](const std::string& word) {
            return word.starts_with("--rootdir") || word.starts_with("-r") || word.starts_with("--subvol");
        }) != format.argv.end())
        return false;
    for (const auto& word : split(request.options, ',')) {
        if (!word.starts_with("subvol=") && !word.starts_with("subvolid=")) continue;
        const auto name = word.substr(word.find('=') + 1);
        if (name.empty() || name == "/" || name == "0" || name == "5" || has_placeholder(name)) continue;
        auto item = checker_.finding("mount-subvolume-missing", Severity::kError, request.line, word);
        item.what = fmt::format("{} was formatted in line {}, and nothing has made the subvolume {} since",
                                request.device, format.line, name);
        item.consequence = request.consequence;
        item.fix = "mount without it, run btrfs subvolume create, then mount the subvolume";
        item.ignore_if = "a program that this file calls makes the subvolume";
        item.sources = {"btrfs(5), subvol=",
                        "mkfs.btrfs(8): a new filesystem has the top level subvolume only"};
        result_.findings.push_back(std::move(item));
        return true;
    }
    return false;
}

void VolumeLinter::target_unknown(const MountRequest& request) {
    auto item = checker_.finding("target-unknown", Severity::kInfo, request.line, request.device);
    item.what = "of the target neither the kernel nor the tools are known";
    item.consequence = "what only some versions refuse is not found: the verdict on this pair is uncertain";
    item.fix = "name the release, or the kernel and the tools: --distro, --kernel, --tools, --host";
    item.sources = {"fsadvise: no version, no verdict on versions"};
    result_.findings.push_back(std::move(item));
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
