// Golden files for every emitter. FSADVISE_UPDATE_GOLDEN=1 rewrites them; review the difference before
// committing.
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/fd.h"
#include "output/emit/emit_plan.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

// Built by hand, so that a golden file changes only when an emitter does.
Advice advice(const std::string& filesystem) {
    Advice made;
    made.request.workload = "postgres";
    made.request.host.device = BlockDevice{};
    made.request.host.device->path = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4";
    made.request.host.cloud = "aws";
    made.request.mount_point = "/srv/my data";
    made.workload_title = "PostgreSQL";
    made.knowledge_digest = "0123456789abcdef";
    Recommendation best;
    best.configuration.filesystem = best.commands.filesystem = filesystem;
    best.choices = {
        {"filesystem", filesystem, filesystem, "It won the benchmark.", "R-X-001", "moderate", {}},
        {filesystem + ".mount.atime",
         "noatime",
         std::string("noatime"),
         "Nobody asks\nfor read times.",
         "R-X-003",
         "weak",
         {}}};
    best.commands.mount_options = "noatime";
    if (filesystem == "xfs") {
        best.commands.mkfs = {"mkfs.xfs", "-d", "agcount=8,su=256k,sw=4", "-m", "reflink=0"};
        best.commands.mount_options = "noatime,logbsize=256k";
    } else if (filesystem == "ext4") {
        best.commands.mkfs = {"mkfs.ext4", "-E", "stride=64,stripe_width=256", "-I", "512", "-J", "size=512",
                              "-m",        "0"};
        best.commands.mount_options = "noatime,data=journal,errors=remount-ro,commit=30";
    } else {
        best.commands.mkfs = {"mkfs." + filesystem};
    }
    best.settings = {
        {"block.scheduler",
         std::string("none"),
         R"(ACTION=="add|change", SUBSYSTEM=="block", SYMLINK=="disk/by-id/wwn-0x5000c500a1b2c3d4", ATTR{queue/scheduler}="none")",
         "/etc/udev/rules.d/90-fsadvise.rules",
         "The disk sorts by itself.",
         "R-B-001",
         "weak",
         {}},
        {"vm.dirty_bytes",
         std::int64_t{1} << 30,
         "vm.dirty_bytes = 1073741824",
         "/etc/sysctl.d/60-fsadvise.conf",
         "Bounds what piles up.",
         "R-B-002",
         "weak",
         {}},
        {"block.fstrim",
         true,
         "systemctl enable --now fstrim.timer",
         "a command, once",
         "Weekly.",
         "R-B-003",
         "weak",
         {}}};
    best.warnings = {"Watch the log size."};
    made.ranked = {best};
    return made;
}

void check_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(FSADVISE_SOURCE_DIR) + "/tests/golden/expected/emit/" + name;
    if (std::getenv("FSADVISE_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        REQUIRE(write_file_atomically(path, text).has_value());
    }
    const auto expected = read_file(path);
    REQUIRE(expected.has_value());
    CHECK(text == *expected);
}

}  // namespace

TEST_CASE("every emitter writes what its golden file says, twice the same, within 5 ms") {
    for (const EmitFormat& format : emit_formats()) {
        for (const std::string filesystem : {"ext4", "xfs", "btrfs", "f2fs"}) {
            CAPTURE(format.id);
            CAPTURE(filesystem);
            const Advice made = advice(filesystem);
            const auto plan = emit_plan(made, knowledge(), "");
            REQUIRE(plan.has_value());
            const auto start = std::chrono::steady_clock::now();
            const auto emitted = format.emit(*plan);
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
            WARN(took.count() < 5.0);  // a busy machine may stop it; the benchmark says how long it takes
            if (!emitted) {
                CHECK(emitted.error().code == ErrorCode::kUnavailable);
                CHECK_FALSE(emitted.error().hint.empty());
                continue;
            }
            CHECK(joined(*format.emit(*plan)) == joined(*emitted));
            check_golden(fmt::format("{}-{}.txt", format.id, filesystem), joined(*emitted));
        }
    }
}

TEST_CASE("no emitter forces, wipes or overwrites") {
    for (const EmitFormat& format : emit_formats()) {
        for (const std::string filesystem : {"ext4", "xfs", "btrfs", "f2fs"}) {
            const auto emitted = format.emit(*emit_plan(advice(filesystem), knowledge(), ""));
            if (!emitted) continue;
            CAPTURE(format.id);
            for (const EmittedFile& file : emitted->files) {
                for (const char* word :
                     {"force: true", "overwrite: true", "wipe_filesystem: true", "wipeFilesystem\": true",
                      "\"-f\"", "\"-F\"", " -f ", " -F ", "wipefs -a", "disable_barriers"}) {
                    CAPTURE(word);
                    CHECK(file.content.find(word) == std::string::npos);
                }
            }
        }
    }
}

TEST_CASE("what a format cannot carry is listed") {
    const auto lost = [](const char* format, const char* filesystem) {
        const auto emitted = emit_format(format)->emit(*emit_plan(advice(filesystem), knowledge(), ""));
        REQUIRE(emitted.has_value());
        return fmt::format("{}", fmt::join(emitted->lost, "\n"));
    };
    CHECK(lost("fstab", "xfs").find("agcount=8") != std::string::npos);
    CHECK(lost("fstab", "xfs").find("vm.dirty_bytes") != std::string::npos);
    CHECK(lost("systemd", "f2fs").find("makes no f2fs") != std::string::npos);
    CHECK(lost("mke2fs", "ext4").find("-J size=512") != std::string::npos);
    CHECK(lost("mke2fs", "ext4").find("commit=30") != std::string::npos);
    CHECK(lost("mke2fs", "ext4").find("data=journal") == std::string::npos);
    CHECK(lost("kubernetes", "xfs").find("agcount=8") != std::string::npos);
    CHECK(lost("butane", "xfs").find("fstrim.timer") != std::string::npos);
    CHECK(lost("cloud-init", "xfs").empty());
    CHECK(emit_format("nothing") == nullptr);
}

TEST_CASE("a StorageClass asks for its driver") {
    Advice made = advice("ext4");
    made.request.host.cloud.clear();
    const auto& kubernetes = *emit_format("kubernetes");
    CHECK(kubernetes.emit(*emit_plan(made, knowledge(), "")).error().code == ErrorCode::kUsage);
    const auto ebs = kubernetes.emit(*emit_plan(made, knowledge(), "ebs.csi.aws.com"));
    REQUIRE(ebs.has_value());
    CHECK(joined(*ebs).find("inodeSize: \"512\"") != std::string::npos);
    const auto ceph = kubernetes.emit(*emit_plan(made, knowledge(), "rbd.csi.ceph.com"));
    REQUIRE(ceph.has_value());
    CHECK(joined(*ceph).find("mkfsOptions: \"-E stride=64,stripe_width=256 -I 512 -J size=512 -m 0\"") !=
          std::string::npos);
    CHECK(kubernetes.emit(*emit_plan(made, knowledge(), "csi.example.org"))->lost.size() == 4);
}
