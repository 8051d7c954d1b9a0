#include "tuner/verify/verify.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "tuner/target/area_target.h"
#include "tuner/target/loop_device.h"
#include "tuner/target/mount_namespace.h"

namespace fsadvise::tuner {
namespace {

constexpr const char* kMemory = "/dev/shm";
constexpr std::uint64_t kRoomBytes = 1 * kGiB;  // what formats write at most; the file is sparse
constexpr int kReportVersion = 1;

// A file without a name: whatever happens, nothing of it stays.
Result<std::shared_ptr<Fd>> open_scratch(const std::string& wanted) {
    const std::string folder = !wanted.empty() ? wanted : ::access(kMemory, W_OK) == 0 ? kMemory : "/var/tmp";
    struct statvfs space {};
    if (::statvfs(folder.c_str(), &space) != 0)
        return fail(ErrorCode::kUnavailable, "cannot use the folder: " + errno_text(errno), folder,
                    "name another --work-dir");
    if (space.f_bavail * space.f_frsize < kRoomBytes)
        return fail(ErrorCode::kUnavailable, "less than 1 GiB is free", folder, "name another --work-dir");
    auto file = Fd::open(folder, O_TMPFILE | O_RDWR | O_EXCL, 0600);
    if (!file)
        return fail(ErrorCode::kUnavailable, "cannot make a scratch file: " + file.error().message, folder,
                    "name another --work-dir");
    return std::make_shared<Fd>(std::move(*file));
}

// One loop device at a time over the scratch file, as large as the case needs.
class VerifyGround {
  public:
    VerifyGround(std::shared_ptr<Fd> file, std::string work_directory, ProcessRunner& runner)
        : file_(std::move(file)), work_directory_(std::move(work_directory)), runner_(runner) {}

    Result<Target*> of_size(std::uint64_t size_bytes) {
        if (target_ && target_->area_bytes() == size_bytes) return target_.get();
        target_.reset();
        if (::ftruncate(file_->get(), 0) != 0 ||
            ::ftruncate(file_->get(), static_cast<off_t>(size_bytes)) != 0)
            return fail(ErrorCode::kUnavailable, "cannot size the scratch file: " + errno_text(errno));
        FSADVISE_ASSIGN(LoopDevice loop, LoopDevice::attach(file_->get(), "fsadvise-verify", 0, size_bytes));
        FSADVISE_ASSIGN(WorkDirectory directory, WorkDirectory::make(work_directory_));
        Ground ground;
        ground.owner = file_;
        ground.area_bytes = size_bytes;
        ground.areas.push_back({loop.path(), loop.release_descriptor()});
        target_ = std::make_unique<AreaTarget>(std::move(ground), std::move(directory), runner_);
        return target_.get();
    }

  private:
    std::shared_ptr<Fd> file_;
    std::string work_directory_;
    ProcessRunner& runner_;
    std::unique_ptr<AreaTarget> target_;
};

Result<VerifyOutcome> try_case(const Knowledge& knowledge, const VerifyCase& tried, Target& target,
                               ProcessRunner& runner) {
    VerifyOutcome outcome;
    const Filesystem& filesystem = *knowledge.filesystem(tried.configuration.filesystem);
    std::vector<std::string> flags = filesystem.mkfs_quiet;
    // mke2fs -F also switches its own checks off, and the area is empty anyway.
    if (filesystem.id != "ext4")
        flags.insert(flags.end(), filesystem.mkfs_overwrite.begin(), filesystem.mkfs_overwrite.end());
    const Commands commands = spell(knowledge, tried.configuration);
    const auto formatted = target.format(0, commands, flags);
    if (!formatted) {
        if (formatted.error().code != ErrorCode::kRunFailed) return tl::unexpected(formatted.error());
        outcome.error = formatted.error().message;
        return outcome;
    }
    outcome.formats = true;
    const auto mounted = target.mount(0, commands);
    if (!mounted) {
        if (mounted.error().code != ErrorCode::kRunFailed) return tl::unexpected(mounted.error());
        outcome.error = mounted.error().message;
        return outcome;
    }
    outcome.mounts = true;
    auto read = read_back(knowledge, tried.configuration, target.area_device(0), (*mounted)->directory(),
                          runner, SystemFileReader());
    if (!read) return tl::unexpected(read.error());
    outcome.read_back = std::move(*read);
    return outcome;
}

std::string now_utc() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// Why a filesystem cannot be tried here, or nothing.
std::string obstacle(const Knowledge& knowledge, const Host& host, const std::string& id,
                     ProcessRunner& runner) {
    const Filesystem* filesystem = knowledge.filesystem(id);
    if (filesystem == nullptr) return "unknown filesystem";
    if (runner.find(filesystem->mkfs).empty()) return filesystem->mkfs + " is not installed";
    if (host.filesystems && !host.filesystems->contains(id)) return "the running kernel has no " + id;
    return {};
}

}  // namespace

Result<VerifyReport> verify(const Knowledge& knowledge, const VerifyOptions& options, ProcessRunner& runner) {
    if (::geteuid() != 0)
        return fail(ErrorCode::kUnavailable, "formatting and mounting need root", "knowledge verify",
                    "run it with sudo");
    const auto start = std::chrono::steady_clock::now();
    VerifyReport report;
    report.date = now_utc();
    report.host = probe_host(SystemFileReader());
    report.host.tools.clear();
    probe_tools(report.host, runner);
    const Request machine = verify_request(report.host, 0);

    std::vector<VerifyCase> cases;
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        const auto& wanted = options.filesystems;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), filesystem.id) == wanted.end())
            continue;
        if (const auto why = obstacle(knowledge, report.host, filesystem.id, runner); !why.empty()) {
            report.skipped.push_back({filesystem.id, why});
            continue;
        }
        auto own = verify_cases(knowledge, machine, filesystem.id, report.skipped);
        std::move(own.begin(), own.end(), std::back_inserter(cases));
    }
    if (options.every > 1) {
        std::size_t index = 0;
        std::erase_if(cases, [&](const VerifyCase&) { return index++ % options.every != 0; });
    }
    // Cases of one size share a loop device.
    std::stable_sort(cases.begin(), cases.end(),
                     [](const VerifyCase& a, const VerifyCase& b) { return a.size_bytes < b.size_bytes; });

    FSADVISE_ASSIGN(auto file, open_scratch(options.work_directory));
    FSADVISE_TRY(enter_private_mount_namespace());
    VerifyGround ground(std::move(file), options.work_directory, runner);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (interrupted() != 0)
            return fail(ErrorCode::kInterrupted,
                        fmt::format("stopped after {} of {} trials", i, cases.size()), "knowledge verify",
                        "everything is released; start it again");
        if (options.progress) options.progress(i, cases.size(), cases[i]);
        FSADVISE_ASSIGN(Target* const target, ground.of_size(cases[i].size_bytes));
        FSADVISE_ASSIGN(const VerifyOutcome outcome, try_case(knowledge, cases[i], *target, runner));
        report.results.push_back(judge_case(knowledge, machine, cases[i], outcome));
    }
    report.elapsed_ns = (std::chrono::steady_clock::now() - start).count();
    return report;
}

nlohmann::json to_json(const VerifyReport& report) {
    auto results = nlohmann::json::array();
    for (const VerifyResult& item : report.results) {
        nlohmann::json row = {{"kind", item.tried.kind},
                              {"subject", item.tried.subject},
                              {"filesystem", item.tried.configuration.filesystem},
                              {"size_bytes", item.tried.size_bytes},
                              {"configuration", to_json(item.tried.configuration)},
                              {"command", item.command},
                              {"predicted", item.predicted},
                              {"happened", item.happened},
                              {"agrees", item.disagreements.empty()}};
        if (!item.reason.empty()) row["reason"] = item.reason;
        if (!item.disagreements.empty()) row["disagreements"] = item.disagreements;
        results.push_back(std::move(row));
    }
    auto skipped = nlohmann::json::array();
    for (const VerifySkip& item : report.skipped)
        skipped.push_back({{"subject", item.subject}, {"why", item.why}});
    return {{"schema_version", kReportVersion},
            {"kind", "verification"},
            {"date", report.date},
            {"kernel", report.host.kernel},
            {"architecture", report.host.architecture},
            {"tools", report.host.tools},
            {"tried", report.results.size()},
            {"disagree", report.disagreeing()},
            {"elapsed_s", static_cast<double>(report.elapsed_ns) / 1e9},
            {"results", std::move(results)},
            {"skipped", std::move(skipped)}};
}

}  // namespace fsadvise::tuner
