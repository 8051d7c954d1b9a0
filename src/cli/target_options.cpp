// --scratch-file, --size, --device, --erase, --work-dir: where tune and bench may format, and the host as it
// is there.
#include "cli/target_options.h"

#include <CLI/CLI.hpp>

#include "base/units.h"
#include "cli/command.h"

namespace fsadvise::cli {

void add_target_options(CLI::App& command, TargetOptions& options) {
    auto& target = options.target;
    command.add_option("--scratch-file", target.scratch_file, "measure on a loop device over this new file")
        ->type_name("FILE");
    command.add_option("--size", options.size, "size of the scratch file, e.g. 4G")->type_name("SIZE");
    command.add_option("--device", target.device, "measure on this device: everything on it is lost")
        ->type_name("DEVICE");
    command.add_option("--erase", target.erase, "the same device again")->type_name("DEVICE");
    command.add_flag("--overwrite-signature", target.overwrite_signature,
                     "erase even if a filesystem is found on it");
    command.add_option("--work-dir", target.work_directory, "where mount points are made")->type_name("DIR");
}

Result<void> parse_target_size(TargetOptions& options) {
    if (options.size.empty()) return {};
    const auto size = parse_size(options.size);
    if (!size) return fail(ErrorCode::kUsage, size.error().message, "--size", size.error().hint);
    options.target.size_bytes = *size;
    return {};
}

Result<void> check_target_words(const TargetOptions& options, const std::string& command) {
    const auto& target = options.target;
    if (target.scratch_file.empty() == target.device.empty()) {
        return fail(ErrorCode::kUsage, "name one place to measure on", command,
                    "--scratch-file FILE --size 4G, or --device /dev/X --erase /dev/X");
    }
    if (!target.scratch_file.empty() && target.size_bytes == 0) {
        return fail(ErrorCode::kUsage, "no size given for the scratch file", "--scratch-file",
                    "add for example --size 4G");
    }
    return {};
}

Result<Host> measuring_host(const HostOptions& options, const tuner::TargetRequest& target,
                            const Knowledge& knowledge, ProcessRunner& runner) {
    FSADVISE_ASSIGN(Host host, resolve_host(options, knowledge));
    host.tools.clear();
    probe_tools(host, runner);
    if (!target.device.empty()) {
        // A device that cannot be looked at is refused with a better message by the target's own checks.
        if (auto device = probe_device(SystemFileReader(), target.device)) host.device = *device;
        if (host.device && host.device->size_bytes) host.device->size_bytes = *host.device->size_bytes / 2;
    } else {
        host.device = BlockDevice{};
        host.device->media = "loop";
    }
    return host;
}

}  // namespace fsadvise::cli
