// --host, --kernel, --distro, --cores, --memory, --device, --size, --media: the machine that the answer is
// for.
#include <algorithm>
#include <cctype>
#include <map>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

const std::vector<std::string> kMedia = {"nvme", "ssd", "hdd", "cloud", "ram", "loop", "pmem"};

// What people call a distribution -> ID of its os-release.
std::string own_name(const std::string& name) {
    static const std::map<std::string, std::string> kNames = {{"amazonlinux", "amzn"},
                                                              {"amazon-linux", "amzn"},
                                                              {"amazon", "amzn"},
                                                              {"al", "amzn"},
                                                              {"oraclelinux", "ol"},
                                                              {"oracle", "ol"},
                                                              {"oracle-linux", "ol"},
                                                              {"redhat", "rhel"},
                                                              {"alma", "almalinux"},
                                                              {"rockylinux", "rocky"},
                                                              {"suse", "sles"},
                                                              {"sle", "sles"},
                                                              {"opensuse", "opensuse-leap"},
                                                              {"leap", "opensuse-leap"},
                                                              {"tumbleweed", "opensuse-tumbleweed"},
                                                              {"archlinux", "arch"}};
    const auto known = kNames.find(name);
    return known == kNames.end() ? name : known->second;
}

// "15sp5", "15 sp5" and "15-SP5" are what os-release calls 15.5.
std::string own_version(const std::string& text) {
    std::string version;
    for (const char letter : lower(text))
        if (letter != ' ' && letter != '-' && letter != '_') version += letter;
    if (const auto pack = version.find("sp"); pack != std::string::npos) version.replace(pack, 2, ".");
    return version;
}

// "rhel9", "rhel:9", "rhel-9.3", "debian 12" -> id and version.
std::pair<std::string, std::string> split_distribution(const std::string& text) {
    std::size_t letters = 0;
    while (letters < text.size() && std::isdigit(static_cast<unsigned char>(text[letters])) == 0) ++letters;
    std::string id = lower(text.substr(0, letters));
    while (!id.empty() && std::string_view(":- _").find(id.back()) != std::string_view::npos) id.pop_back();
    return {own_name(id), own_version(text.substr(letters))};
}

// Says what a version that is not exactly one of the known releases is taken for.
void warn_about_version(const Distribution& taken, const std::string& id, const std::string& version,
                        const Knowledge& knowledge) {
    std::vector<std::string> releases, finer;
    for (const Distribution& known : knowledge.distributions()) {
        if (known.id != id || known.version.empty()) continue;
        releases.push_back(known.version);
        if (!version.empty() && known.version.starts_with(version + ".")) finer.push_back(known.version);
    }
    if (taken.version.empty() && !releases.empty()) {
        log_warning("{} {}: the release is not known, so neither are its kernel and tools (known: {})", id,
                    version.empty() ? "without a version" : version, join(releases, ", "));
    } else if (!finer.empty()) {
        log_warning("{} {} is taken for its first release, with kernel {}; later ones differ: {}", id,
                    version, taken.kernel, join(finer, ", "));
    }
}

Result<void> describe_distribution(Host& host, const std::string& text, const Knowledge& knowledge) {
    const auto [id, version] = split_distribution(text);
    const Distribution* distribution = knowledge.distribution(id, version);
    if (distribution == nullptr) {
        std::vector<std::string> names;
        for (const Distribution& known : knowledge.distributions()) names.push_back(known.id + known.version);
        return fail(ErrorCode::kUsage, "unknown distribution '" + text + "'" + did_you_mean(text, names),
                    "--distro", "known: " + join(names, ", "));
    }
    if (host.kernel.empty()) warn_about_version(*distribution, id, version, knowledge);
    host.distribution = id;
    host.distribution_version = version;
    if (host.kernel.empty()) host.kernel = distribution->kernel;
    host.tools = distribution->tools;
    return {};
}

// Versions of the tools as the distribution ships them: asking the tools would run commands.
void assume_tools(Host& host, const Knowledge& knowledge) {
    if (!host.tools.empty()) return;
    if (const auto* distribution = knowledge.distribution(host.distribution, host.distribution_version)) {
        host.tools = distribution->tools;
    }
}

Result<void> describe_device(Host& host, const HostOptions& options) {
    if (!options.device.empty()) {
        FSADVISE_ASSIGN(host.device, probe_device(SystemFileReader(), options.device));
    }
    if (options.size.empty() && options.media.empty()) return {};
    if (!host.device) host.device = BlockDevice{};
    if (!options.size.empty()) {
        auto size = parse_size(options.size);
        if (!size || *size == 0) {
            return fail(ErrorCode::kUsage, size ? "a size of zero" : size.error().message, "--size",
                        "write for example 500G");
        }
        host.device->size_bytes = *size;
    }
    if (!options.media.empty()) {
        if (std::find(kMedia.begin(), kMedia.end(), options.media) == kMedia.end()) {
            return fail(ErrorCode::kUsage,
                        "unknown medium '" + options.media + "'" + did_you_mean(options.media, kMedia),
                        "--media", "known: " + join(kMedia, ", "));
        }
        host.device->media = options.media;
        if (options.media == "hdd") host.device->rotational = true;
        if (options.media == "nvme" || options.media == "ssd") host.device->rotational = false;
    }
    return {};
}

}  // namespace

void add_host_options(CLI::App& command, HostOptions& options, bool with_device) {
    command
        .add_option("--host", options.host_file,
                    "host facts from 'fsadvise probe --json' (default: this machine)")
        ->type_name("FILE");
    command.add_option("--kernel", options.kernel, "kernel that must mount it, e.g. 5.14")
        ->type_name("VERSION");
    command.add_option("--distro", options.distribution, "distribution it is for, e.g. rhel9, debian12")
        ->type_name("NAME");
    command.add_option("--cores", options.cores, "processor cores")
        ->check(CLI::Range(1, 65536))
        ->type_name("N");
    command.add_option("--memory", options.memory, "main memory, e.g. 16G")->type_name("SIZE");
    add_fact_options(command, options.facts);
    if (!with_device) return;
    command.add_option("--device", options.device, "block device to look at (only read)")
        ->type_name("DEVICE");
    command.add_option("--size", options.size, "size of the filesystem, e.g. 500G")->type_name("SIZE");
    command.add_option("--media", options.media, "nvme, ssd, hdd, cloud, ram, loop or pmem")
        ->type_name("KIND");
}

Result<Host> resolve_host(const HostOptions& options, const Knowledge& knowledge) {
    Host host;
    if (!options.host_file.empty()) {
        FSADVISE_ASSIGN(const std::string text, read_file(options.host_file));
        const auto document = nlohmann::json::parse(text, nullptr, false);
        if (document.is_discarded()) {
            return fail(ErrorCode::kBadInput, "is not JSON", options.host_file,
                        "make one with: fsadvise probe --json");
        }
        FSADVISE_ASSIGN(host, host_from_json(document, options.host_file));
    } else {
        host = probe_host(SystemFileReader());
    }
    if (!options.kernel.empty() || !options.distribution.empty()) {
        if (!options.kernel.empty() && !Version::parse(options.kernel).known()) {
            return fail(ErrorCode::kUsage, "'" + options.kernel + "' is not a kernel version", "--kernel",
                        "write for example 5.14");
        }
        // Another target: what this machine's kernel was built with and has modules for says nothing about
        // it.
        if (options.distribution.empty()) assume_tools(host, knowledge);
        host.kernel = options.kernel;
        host.filesystems.reset();
        host.kernel_features.clear();
        host.source = "described";
        if (options.distribution.empty()) {
            // Another kernel boots the same system, so its tools format; of that kernel no vendor's backports
            // are known.
            host.distribution.clear();
            host.distribution_version.clear();
        } else {
            host.tools.clear();
            FSADVISE_TRY(describe_distribution(host, options.distribution, knowledge));
        }
    }
    assume_tools(host, knowledge);
    if (options.cores) host.cores = options.cores;
    if (!options.memory.empty()) {
        auto memory = parse_size(options.memory);
        if (!memory) return fail(ErrorCode::kUsage, memory.error().message, "--memory", memory.error().hint);
        host.memory_bytes = *memory;
    }
    FSADVISE_TRY(describe_device(host, options));
    FSADVISE_TRY(describe_facts(host, options.facts));
    return host;
}

}  // namespace fsadvise::cli
