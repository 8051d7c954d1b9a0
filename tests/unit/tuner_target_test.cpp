// Scratch targets, the part that needs no root: refusals before anything is touched, and the pure helpers.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/units.h"
#include "tuner/target/area_layout.h"
#include "tuner/target/area_target.h"
#include "tuner/target/device_use.h"
#include "tuner/target/kernel_log.h"
#include "tuner/target/kernel_partitions.h"
#include "tuner/target/scratch_file.h"
#include "tuner/target/target.h"
#include "tuner/target/work_directory.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = std::filesystem::temp_directory_path().string() + "/fsadvise-target.XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

Error refusal(const TargetRequest& request) {
    const auto checked = check_target(request);
    REQUIRE_FALSE(checked);
    // Opening must refuse for the same reason, and must not have run anything.
    FakeProcessRunner runner;
    const auto opened = open_target(request, runner);
    REQUIRE_FALSE(opened);
    CHECK(to_text(opened.error()) == to_text(checked.error()));
    CHECK(runner.requests.empty());
    return checked.error();
}

TargetRequest scratch(const std::string& file, std::uint64_t size_bytes) {
    TargetRequest request;
    request.scratch_file = file;
    request.size_bytes = size_bytes;
    return request;
}

TargetRequest device(const std::string& path, const std::string& erase) {
    TargetRequest request;
    request.device = path;
    request.erase = erase;
    return request;
}

// A machine with vda (root on vda1, swap on vda2), vdb below md0, vdc unused, vdd below loop0.
FakeFileReader machine() {
    FakeFileReader files;
    const auto disk = [&](const std::string& name, const std::string& number) {
        files.files["/sys/class/block/" + name + "/dev"] = number + "\n";
        files.links["/sys/dev/block/" + number] = "../../devices/virtual/block/" + name;
    };
    const auto partition = [&](const std::string& parent, const std::string& name, const std::string& number,
                               const std::string& index) {
        disk(name, number);
        files.links["/sys/class/block/" + name] = "../../devices/pci/block/" + parent + "/" + name;
        files.files["/sys/class/block/" + name + "/partition"] = index;
        files.files["/sys/class/block/" + parent + "/" + name + "/partition"] = index;
    };
    disk("vda", "254:0");
    partition("vda", "vda1", "254:1", "1");
    partition("vda", "vda2", "254:2", "2");
    partition("vda", "vda3", "254:3", "3");
    disk("vdb", "254:16");
    disk("md0", "9:0");
    disk("vdc", "254:32");
    disk("vdd", "254:48");
    disk("dm-0", "253:0");
    files.links["/dev/mapper/data"] = "../dm-0";
    files.files["/sys/class/block/vdb/holders/md0"] = "";
    files.files["/sys/block/loop0/loop/backing_file"] = "";
    files.files["/sys/class/block/loop0/loop/backing_file"] = "/dev/vdd\n";
    files.files["/proc/swaps"] = "Filename\tType\tSize\tUsed\tPriority\n/dev/vda2   partition\t1000\t0\t-2\n";
    files.files["/proc/self/mountinfo"] =
        "27 1 254:1 / / rw,relatime - ext4 /dev/root rw\n"
        "40 27 0:45 / /srv/my\\040data rw - btrfs /dev/mapper/data rw,subvol=/\n";
    return files;
}

}  // namespace

TEST_CASE("two equal areas of whole MiB, with a free MiB at both ends") {
    CHECK_FALSE(layout_areas(kMinimumTotalBytes - 1));
    const auto least = layout_areas(kMinimumTotalBytes);
    REQUIRE(least);
    CHECK(least->area_bytes == kMinimumAreaBytes);
    const std::uint64_t odd = 10 * kGiB + 12345;
    const auto layout = layout_areas(odd);
    REQUIRE(layout);
    CHECK(layout->area_bytes % kMiB == 0);
    CHECK(layout->offset_bytes(0) == kMiB);
    CHECK(layout->offset_bytes(1) == layout->offset_bytes(0) + layout->area_bytes);
    CHECK(layout->offset_bytes(1) + layout->area_bytes + kMiB <= odd);
    CHECK(layout->offset_bytes(1) + layout->area_bytes + 3 * kMiB > odd);
}

TEST_CASE("a device must be named twice, by the same words") {
    CHECK(refusal({}).code == ErrorCode::kUsage);
    const Error once = refusal(device("/dev/null", ""));
    CHECK(once.code == ErrorCode::kUsage);
    CHECK(once.hint == "add --erase /dev/null if all its data may be destroyed");
    CHECK(refusal(device("/dev/null", "/dev/zero")).code == ErrorCode::kUsage);
    TargetRequest both = device("/dev/null", "/dev/null");
    both.scratch_file = "/tmp/x";
    CHECK(refusal(both).code == ErrorCode::kUsage);
    TargetRequest erase = scratch("/tmp/x", kGiB);
    erase.erase = "/dev/null";
    CHECK(refusal(erase).code == ErrorCode::kUsage);
}

TEST_CASE("a path that is no block device is refused") {
    const TemporaryFolder folder;
    const std::string absent = folder.file("absent");
    const Error missing = refusal(device(absent, absent));
    CHECK(missing.code == ErrorCode::kUnavailable);
    CHECK(missing.message == "does not exist");
    CHECK(missing.context == absent);
    CHECK(refusal(device("/dev/null", "/dev/null")).message == "is not a block device");
    const std::string file = folder.file("file");
    std::ofstream(file) << "data";
    const Error regular = refusal(device(file, file));
    CHECK(regular.message == "is not a block device");
    CHECK(regular.hint == "a file is named with --scratch-file");
}

TEST_CASE("a scratch file needs a size, room and a folder") {
    const TemporaryFolder folder;
    const std::string path = folder.file("scratch");
    CHECK(refusal(scratch(path, 0)).message == "a scratch file needs a size");
    const Error small = refusal(scratch(path, 100 * kMiB));
    CHECK(small.code == ErrorCode::kUsage);
    CHECK(small.message == "100MiB is too small: two areas need at least 258MiB");
    const Error large = refusal(scratch(path, 1ull << 60));
    CHECK(large.code == ErrorCode::kUnavailable);
    CHECK(large.message.starts_with("not enough free space: "));
    CHECK(refusal(scratch(folder.file("no/scratch"), kGiB)).message == "the folder does not exist");
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("an existing file is refused unless it is a scratch file") {
    const TemporaryFolder folder;
    const std::string path = folder.file("precious");
    std::ofstream(path) << "precious data";
    const Error refused = refusal(scratch(path, kMinimumTotalBytes));
    CHECK(refused.code == ErrorCode::kUnavailable);
    CHECK(refused.message == "exists and is no scratch file of fsadvise");
    std::ifstream again(path);
    CHECK(std::string(std::istreambuf_iterator<char>(again), {}) == "precious data");

    // The marker counts in the first 4 KiB only.
    const std::string late = folder.file("late");
    std::ofstream(late) << std::string(kMarkerSearchBytes, 'x') << kScratchMarker;
    CHECK(refusal(scratch(late, kMinimumTotalBytes)).message == "exists and is no scratch file of fsadvise");

    // A link could lead anywhere.
    const std::string link = folder.file("link");
    std::filesystem::create_symlink("precious", link);
    CHECK(refusal(scratch(link, kMinimumTotalBytes)).message == "exists and cannot be opened");
    CHECK(refusal(scratch(folder.path(), kMinimumTotalBytes)).message.starts_with("exists and "));

    const std::string marked = folder.file("marked");
    std::ofstream(marked) << kScratchMarker;
    const auto checked = check_target(scratch(marked, kMinimumTotalBytes));
    if (::geteuid() == 0) {
        CHECK(checked.has_value());
    } else {
        CHECK(checked.error().message == "formatting and mounting need root");
    }
    CHECK(std::filesystem::exists(marked));
}

TEST_CASE("without root the answer names root, and nothing is made") {
    if (::geteuid() != 0) {
        MESSAGE("SKIPPED: changing to another user needs root");
        return;
    }
    const TemporaryFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::seteuid(65534) != 0) ::_exit(3);
        TargetRequest request = scratch(folder.file("scratch"), kMinimumTotalBytes);
        request.work_directory = folder.path();
        const auto checked = check_target(request);
        ::_exit(!checked && checked.error().message == "formatting and mounting need root" ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("every user of a device is named") {
    const FakeFileReader files = machine();
    const auto said = [&](const std::string& name) {
        const auto checked = check_device_unused(files, name, "/dev/" + name);
        return checked ? std::string() : checked.error().message;
    };
    CHECK(said("vda1") == "is mounted at /");
    CHECK(said("vda") == "vda1 is mounted at /");
    CHECK(said("vda2") == "is in use as swap");
    CHECK(said("vda3").empty());
    CHECK(said("vdb") == "is held by md0");
    CHECK(said("vdc").empty());
    CHECK(said("vdd") == "lies below the loop device loop0");
    CHECK(said("dm-0") == "is mounted at /srv/my data");
    CHECK(block_name_of_number(files, 254, 2) == "vda2");
    CHECK(block_name_of_number(files, 1, 3).empty());
}

TEST_CASE("without a mount table nothing counts as unmounted") {
    FakeFileReader files = machine();
    files.files.erase("/proc/self/mountinfo");
    CHECK_FALSE(check_device_unused(files, "vdc", "/dev/vdc"));
}

TEST_CASE("only partitions of exactly our layout count as leftovers") {
    FakeFileReader files = machine();
    const auto layout = layout_areas(4 * kGiB).value();
    CHECK(is_our_layout(files, "vdc", layout));  // none at all
    const auto add = [&](int number, std::uint64_t start, std::uint64_t size) {
        const std::string name = "vdc" + std::to_string(number);
        files.files["/sys/class/block/vdc/" + name + "/partition"] = std::to_string(number);
        files.files["/sys/class/block/" + name + "/partition"] = std::to_string(number);
        files.files["/sys/class/block/" + name + "/start"] = std::to_string(start / 512);
        files.files["/sys/class/block/" + name + "/size"] = std::to_string(size / 512);
    };
    add(1, layout.offset_bytes(0), layout.area_bytes);
    CHECK(is_our_layout(files, "vdc", layout));
    add(2, layout.offset_bytes(1), layout.area_bytes);
    CHECK(is_our_layout(files, "vdc", layout));
    add(2, layout.offset_bytes(1), layout.area_bytes - kMiB);
    CHECK_FALSE(is_our_layout(files, "vdc", layout));
    add(2, layout.offset_bytes(1), layout.area_bytes);
    add(3, 3 * kGiB, kMiB);
    CHECK_FALSE(is_our_layout(files, "vdc", layout));
}

TEST_CASE("the reason of a tool is its error line") {
    const auto reason = [](const std::string& errors) {
        ProcessResult result;
        result.exit_code = 1;
        result.errors = errors;
        return reason_of_tool(result);
    };
    CHECK(reason("mke2fs 1.47.0 (5-Feb-2023)\n\nBad option(s) specified: foo\n\nExtended options are\n") ==
          "Bad option(s) specified: foo");
    CHECK(reason("illegal value 1, value is too small\nUsage: mkfs.xfs\n\t-f\n") ==
          "illegal value 1, value is too small");
    CHECK(reason("WARNING: old\nsome note\nERROR: cannot do it\n") == "ERROR: cannot do it");
    CHECK(reason("") == "exit status 1");
}

TEST_CASE("a kernel log record is its message") {
    CHECK(kernel_message("3,339,5140900,-;XFS (loop0): bad\n SUBSYSTEM=block\n") == "XFS (loop0): bad");
    CHECK(kernel_message("garbage").empty());
}

TEST_CASE("abandoned work directories are swept, others are not") {
    const TemporaryFolder folder;
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    REQUIRE(::waitpid(gone, nullptr, 0) == gone);
    const std::string dead = folder.file("fsadvise." + std::to_string(gone) + ".abcdef");
    const std::string alive = folder.file("fsadvise." + std::to_string(::getppid()) + ".abcdef");
    const std::string full = folder.file("fsadvise." + std::to_string(gone) + ".ghijkl");
    const std::string foreign = folder.file("other.1.abcdef");
    for (const std::string& path : {dead + "/area0", alive, full, foreign})
        std::filesystem::create_directories(path);
    std::ofstream(full + "/file") << "x";
    {
        auto made = WorkDirectory::make(folder.path());
        REQUIRE(made);
        CHECK(std::filesystem::is_directory(made->path()));
        CHECK(std::filesystem::is_directory(made->folder("area0").value()));
        CHECK(made->folder("area0").has_value());
    }
    CHECK_FALSE(std::filesystem::exists(dead));
    CHECK(std::filesystem::exists(alive));
    CHECK(std::filesystem::exists(full + "/file"));
    CHECK(std::filesystem::exists(foreign));
    // Our own is gone as well.
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3);
}
