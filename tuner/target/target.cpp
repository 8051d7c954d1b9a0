#include "tuner/target/target.h"

#include <unistd.h>

#include "tuner/target/area_target.h"
#include "tuner/target/device_ground.h"
#include "tuner/target/mount_namespace.h"
#include "tuner/target/scratch_file.h"

namespace fsadvise::tuner {

namespace {

Result<void> check_request(const TargetRequest& request, const FileReader& files) {
    if (request.scratch_file.empty() == request.device.empty()) {
        return fail(
            ErrorCode::kUsage,
            request.device.empty() ? "nothing to measure on" : "a scratch file and a device are named", {},
            "name one: --scratch-file FILE --size SIZE, or --device DEVICE --erase DEVICE");
    }
    if (request.device.empty()) {
        if (!request.erase.empty()) {
            return fail(ErrorCode::kUsage, "--erase goes with --device, not with a scratch file",
                        request.erase);
        }
        FSADVISE_TRY(check_scratch_file(request, files));
    } else {
        FSADVISE_TRY(check_device(request, files));
    }
    FSADVISE_TRY(check_work_directory(request.work_directory));
    if (::geteuid() != 0) {
        return fail(ErrorCode::kUnavailable, "formatting and mounting need root", {}, "run it with sudo");
    }
    return {};
}

}  // namespace

Result<void> check_target(const TargetRequest& request) {
    return check_request(request, SystemFileReader());
}

Result<std::unique_ptr<Target>> open_target(const TargetRequest& request, ProcessRunner& runner) {
    const SystemFileReader files;
    FSADVISE_TRY(check_request(request, files));
    FSADVISE_TRY(enter_private_mount_namespace());
    FSADVISE_ASSIGN(WorkDirectory work_directory, WorkDirectory::make(request.work_directory));
    FSADVISE_ASSIGN(Ground ground,
                    request.device.empty() ? open_scratch_file(request, files) : open_device(request, files));
    return std::make_unique<AreaTarget>(std::move(ground), std::move(work_directory), runner);
}

}  // namespace fsadvise::tuner
