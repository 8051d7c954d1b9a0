// Keys and figures of each file format, with a sample that is remarked on and one that is not.
#include <algorithm>

#include <doctest/doctest.h>

#include "advice/lint.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

LintResult must_lint(const std::string& name, const std::string& text, const Host& host) {
    LintTarget target;
    target.host = host;
    auto result = lint(knowledge(), target, text, name);
    if (!result) FAIL(to_text(result.error()));
    return *result;
}

Host linux_host() {
    Host host;
    host.kernel = "6.12";
    host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    return host;
}

bool says(const std::string& id, const std::string& name, const std::string& text) {
    const auto result = must_lint(name, text, linux_host());
    return std::ranges::any_of(result.findings, [&](const Finding& item) { return item.id == id; });
}

}  // namespace

TEST_CASE("fstab: directories, their order, one type a filesystem") {
    CHECK(says("fstab-duplicate-directory", "fstab",
               "UUID=1 /a/ ext4 noatime 0 2\nUUID=2 /a ext4 noatime 0 2\n"));
    CHECK_FALSE(says("fstab-duplicate-directory", "fstab",
                     "UUID=1 /a ext4 noatime 0 2\nUUID=2 /ab ext4 noatime 0 2\n"));
    CHECK(says("fstab-order", "fstab", "UUID=1 /b/c ext4 noatime 0 2\nUUID=2 /b ext4 noatime 0 2\n"));
    CHECK(says("fstab-order", "fstab", "UUID=1 /b ext4 noatime 0 2\nUUID=2 / ext4 noatime 0 1\n"));
    CHECK_FALSE(says("fstab-order", "fstab", "UUID=1 /b ext4 noatime 0 2\nUUID=2 /b/c ext4 noatime 0 2\n"));
    CHECK_FALSE(says("fstab-order", "fstab", "UUID=1 /bb ext4 noatime 0 2\nUUID=2 /b ext4 noatime 0 2\n"));
    CHECK(says("fstab-directory", "fstab", "UUID=1 data ext4 noatime 0 2\n"));
    CHECK_FALSE(says("fstab-directory", "fstab", "UUID=1 none swap sw 0 0\nUUID=2 /d ext4 noatime 0 2\n"));
    CHECK(says("fstab-two-types", "fstab", "UUID=1 /a ext4 noatime 0 2\nUUID=1 /b xfs noatime 0 0\n"));
    CHECK_FALSE(says("fstab-two-types", "fstab", "UUID=1 /a ext4 noauto 0 2\nUUID=1 /b ext3 noauto 0 0\n"));
    CHECK_FALSE(
        says("fstab-two-types", "fstab", "/dev/vg/a /a ext4 noauto 0 2\n/dev/vg/a /b xfs noauto 0 0\n"));
}

TEST_CASE("a target without the filesystem: mkfs is of no use either") {
    auto host = linux_host();
    host.filesystems = std::set<std::string>{"ext4", "xfs"};
    const auto result = must_lint("a.sh", "mkfs.btrfs /dev/d\nmkfs.xfs /dev/e\n", host);
    CHECK(std::ranges::count(result.findings, "filesystem-unavailable", &Finding::id) == 1);
}

TEST_CASE("a misspelt type is found in every format") {
    const auto* id = "fstab-unknown-type";
    CHECK(says(id, "a.ks", "part /data --fstype=ext5 --size=1000\n"));
    CHECK_FALSE(
        says(id, "a.ks", "part /data --fstype=vfat --size=1000\npart /x --fstype=ext4 --size=1000\n"));
    CHECK(says(id, "user-data", "#cloud-config\nfs_setup:\n- device: /dev/vg/a\n  filesystem: ext5\n"));
    CHECK_FALSE(says(id, "user-data", "#cloud-config\nfs_setup:\n- device: /dev/vg/a\n  filesystem: ext3\n"));
    const std::string storage =
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: a\nprovisioner: "
        "ebs.csi.aws.com\nparameters:\n  csi.storage.k8s.io/fstype: ";
    CHECK(says(id, "sc.yaml", storage + "XFS\n"));
    CHECK_FALSE(says(id, "sc.yaml", storage + "xfs\n"));
    CHECK(says("k8s-mount-options-joined", "sc.yaml",
               storage + "xfs\nmountOptions: [\"noatime nobarrier\"]\n"));
    CHECK_FALSE(
        says("k8s-mount-options-joined", "sc.yaml", storage + "xfs\nmountOptions: [noatime, nodev]\n"));
}

TEST_CASE("cloud-init: lists that are none, labels that are too long") {
    CHECK(says("cloud-init-not-list", "user-data", "#cloud-config\nmounts: {a: b}\n"));
    CHECK(says("cloud-init-not-list", "user-data", "#cloud-config\nfs_setup: 5\n"));
    CHECK_FALSE(says("cloud-init-not-list", "user-data",
                     "#cloud-config\nmounts:\n- [/dev/vg/a, /a, xfs]\nruncmd:\n"));
    const std::string setup = "#cloud-config\nfs_setup:\n- device: /dev/vg/a\n  filesystem: xfs\n  label: ";
    CHECK(says("mkfs-refuses:xfs.mkfs.label.domain", "user-data", setup + "averylonglabel\n"));
    CHECK_FALSE(says("mkfs-refuses:xfs.mkfs.label.domain", "user-data", setup + "data\n"));
}

TEST_CASE("Ignition and Butane: formats, paths, joined words") {
    const std::string start =
        "variant: fcos\nversion: 1.5.0\nstorage:\n  filesystems:\n  - device: /dev/vg/a\n"
        "    with_mount_unit: true\n    format: ";
    CHECK(says("ignition-format", "a.bu", start + "zfs\n"));
    CHECK_FALSE(says("ignition-format", "a.bu", start + "xfs\n"));
    CHECK(says("ignition-path", "a.bu", start + "xfs\n    path: var/a\n"));
    CHECK_FALSE(says("ignition-path", "a.bu", start + "xfs\n    path: /var/a\n"));
    CHECK(says("ignition-joined-words", "a.bu", start + "xfs\n    options: [\"-d su=64k,sw=4\"]\n"));
    CHECK_FALSE(
        says("ignition-joined-words", "a.bu", start + "xfs\n    options: [\"-d\", \"su=64k,sw=4\"]\n"));
}

TEST_CASE("repart sizes, Ansible states, packages of an image, fio engines and blocks") {
    const std::string part = "[Partition]\nType=linux-generic\nFormat=ext4\n";
    CHECK(says("repart-bad-size", "a.conf", part + "SizeMinBytes=10G\nSizeMaxBytes=5G\n"));
    CHECK(says("repart-bad-size", "a.conf", part + "SizeMinBytes=10X\n"));
    CHECK_FALSE(says("repart-bad-size", "a.conf", part + "SizeMinBytes=5G\nSizeMaxBytes=10G\n"));
    const std::string task =
        "- hosts: all\n  tasks:\n  - mount:\n      path: /a\n      src: UUID=1\n      fstype: xfs\n"
        "      state: ";
    CHECK(says("ansible-state", "a.yml", task + "mountd\n"));
    CHECK_FALSE(says("ansible-state", "a.yml", task + "ephemeral\n"));
    CHECK_FALSE(says("ansible-state", "a.yml", task + "\"{{ wanted }}\"\n"));
    CHECK(says("image-tool-missing", "Dockerfile",
               "FROM debian:12\nRUN apt-get install -y e2fsprogs\nRUN mkfs.xfs /i\n"));
    CHECK_FALSE(says("image-tool-missing", "Dockerfile",
                     "FROM debian:12\nRUN apt-get update && apt-get install -y xfsprogs\nRUN mkfs.xfs /i\n"));
    CHECK_FALSE(
        says("image-tool-missing", "Dockerfile",
             "FROM debian:12 AS base\nRUN apt-get install -y xfsprogs\nFROM base\nRUN mkfs.xfs /i\n"));
    CHECK_FALSE(says("image-tool-missing", "Dockerfile", "FROM golang:1\nRUN mkfs.xfs /i\n"));
    CHECK_FALSE(
        says("image-tool-missing", "Dockerfile", "FROM debian:12\nCOPY tools /usr/sbin\nRUN mkfs.xfs /i\n"));
    const std::string job = "[j]\nrw=randwrite\ndirect=1\nsize=10g\ndirectory=/data\n";
    CHECK(says("fio-engine", "a.fio", job + "ioengine=libiao\n"));
    CHECK_FALSE(says("fio-engine", "a.fio", job + "ioengine=libaio\n"));
    CHECK(says("fio-unaligned", "a.fio", job + "bs=1000\n"));
    CHECK_FALSE(says("fio-unaligned", "a.fio", job + "bs=512\n"));
    CHECK_FALSE(says("fio-unaligned", "a.fio", "[j]\nrw=randwrite\nsize=10g\ndirectory=/data\nbs=1000\n"));
}

TEST_CASE("tune2fs and xfs_admin are judged, and what they change is remembered") {
    CHECK(says("mkfs-option-unknown", "a.sh", "tune2fs -O extnt /dev/vg/a\n"));
    CHECK(says("mkfs-option-unknown", "a.sh", "xfs_admin -O reflnk=1 /dev/vg/a\n"));
    CHECK(says("tune-refused", "a.sh", "tune2fs -m 80 /dev/vg/a\n"));
    CHECK(says("tune-refused", "a.sh", "tune2fs -I 128 /dev/vg/a\n"));
    for (const std::string line : {"tune2fs -m 1 -O ^has_journal /dev/vg/a", "tune2fs -I 256 /dev/vg/a",
                                   "xfs_admin -O bigtime=1,nrext64=1 /dev/vg/a", "tune2fs -l /dev/vg/a",
                                   "tune2fs -L data -m $M /dev/vg/a"}) {
        CAPTURE(line);
        CHECK(must_lint("a.sh", line + "\n", linux_host()).findings.empty());
        CHECK(must_lint("a.sh", line + "\n", linux_host()).checked == 1);
    }
    for (const std::string line :
         {"tune2fs -O bigalloc /dev/vg/a", "tune2fs -O ^extents /dev/vg/a", "tune2fs -O ^64bit /dev/vg/a",
          "tune2fs -o noatime /dev/vg/a", "tune2fs -o journal_data_writback /dev/vg/a",
          "tune2fs -E lazy_itable_init=1 /dev/vg/a", "tune2fs -E stride /dev/vg/a",
          "tune2fs -E force_fsck=1 /dev/vg/a", "tune2fs -e remount /dev/vg/a", "tune2fs -U foo /dev/vg/a",
          "tune2fs -I 300 /dev/vg/a", "tune2fs -Q userquota /dev/vg/a", "xfs_admin -O reflink=1 /dev/vg/a",
          "xfs_admin -O bigtime=0 /dev/vg/a", "xfs_admin -O inobtcount /dev/vg/a",
          "xfs_admin -U foo /dev/vg/a"}) {
        CAPTURE(line);
        const auto result = must_lint("a.sh", line + "\n", linux_host());
        REQUIRE(result.findings.size() == 1);
        CHECK(result.findings[0].id == "tune-refused");
        CHECK(result.findings[0].severity == Severity::kError);
    }
    // Refused only where the feature is in use, which the command does not show.
    CHECK(must_lint("a.sh", "tune2fs -O ^flex_bg /dev/vg/a\n", linux_host()).findings.at(0).severity ==
          Severity::kWarning);
    for (const std::string line :
         {"tune2fs -o ^acl,journal_data_ordered /dev/vg/a", "tune2fs -U random /dev/vg/a",
          "tune2fs -E stride=16,stripe_width=64,^test_fs /dev/vg/a", "tune2fs -e panic -c 20 -i 1d /dev/vg/a",
          "tune2fs -Q ^usrquota,prjquota /dev/vg/a", "xfs_admin -U generate /dev/vg/a",
          "xfs_admin -L -- /dev/vg/a", "xfs_admin -U 12345678-1234-1234-1234-123456789abc /dev/vg/a",
          "tune2fs -O read-only /dev/vg/a"}) {
        CAPTURE(line);
        CHECK(must_lint("a.sh", line + "\n", linux_host()).findings.empty());
    }
    CHECK(says("label-cut", "a.sh", "tune2fs -L seventeen-letters /dev/vg/a\n"));
    CHECK(says("label-cut", "a.sh", "xfs_admin -L thirteenchars /dev/vg/a\n"));
    CHECK_FALSE(says("label-cut", "a.sh", "xfs_admin -L twelve-chars /dev/vg/a\n"));
    const std::string off = "tune2fs -O ^has_journal /dev/vg/a\n";
    CHECK(says("mount-refuses:ext4.data-needs-journal", "a.sh",
               off + "mount -t ext4 -o data=ordered /dev/vg/a /a\n"));
    CHECK_FALSE(says("mount-refuses:ext4.data-needs-journal", "a.sh",
                     off + "mount -t ext4 -o data=ordered /dev/vg/b /a\n"));
}

TEST_CASE("an alias inside the node that it stands for is an error with its line") {
    for (const std::string text : {"#cloud-config\na: &x [*x]\n", "#cloud-config\na: &x {b: {c: *x}}\n",
                                   "#cloud-config\na: &x\n  - b: *x\n"}) {
        CAPTURE(text);
        const auto result = lint(knowledge(), {linux_host(), ""}, text, "user-data");
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::kBadInput);
        CHECK(result.error().message.find("it would never end") != std::string::npos);
        CHECK(result.error().context.find("user-data:") != std::string::npos);
    }
    CHECK(lint(knowledge(), {linux_host(), ""}, "#cloud-config\na: &x [1]\nb: [*x, *x]\n", "user-data"));
}

TEST_CASE("a pair for a target of unknown versions is called uncertain") {
    const std::string pair = "mkfs.xfs /dev/vg/a\nmount /dev/vg/a /a\n";
    CHECK_FALSE(says("target-unknown", "a.sh", pair));
    Host unknown;
    unknown.distribution = "rhel";
    unknown.distribution_version = "99";
    const auto result = must_lint("a.sh", pair, unknown);
    CHECK(std::ranges::find(result.findings, "target-unknown", &Finding::id) != result.findings.end());
}

TEST_CASE("a value that is none of many is answered with the names, not with every level") {
    const auto result = must_lint("fstab", "UUID=1 /a btrfs compress=gzip 0 0\n", linux_host());
    REQUIRE(!result.findings.empty());
    CHECK(result.findings[0].what.find("zlib, lzo, zstd") != std::string::npos);
    CHECK(result.findings[0].what.find("zstd:9") == std::string::npos);
}
