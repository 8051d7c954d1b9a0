// A target that is named: what is known of this machine's kernel does not leak into it, and what is required
// is met or refused, never dropped.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/temporary_folder.h"

using fsadvise::test::run_fsadvise;

namespace {

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A machine whose kernel was built without much.
const char* const kBareHost = R"({"kernel": "6.18.44", "distribution": "debian", "distribution_version": "12",
    "filesystems": ["ext4", "xfs", "btrfs"], "tools": {"e2fsprogs": "1.47.0", "xfsprogs": "6.1.0", "btrfs-progs": "6.2"},
    "kernel_features": {"quota": false, "xfs_quota": false, "unicode": false, "xfs_v4": false, "dax": false}})";

std::string recommended(std::vector<std::string> words) {
    words.insert(words.begin(), "recommend");
    const auto result = run_fsadvise(words);
    CHECK_MESSAGE(result.exit_code == 0, result.errors);
    return result.output;
}

void check_refused(std::vector<std::string> words, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "recommend");
    const auto result = run_fsadvise(words);
    CAPTURE(result.output);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 2);
    for (const auto& part : parts) CHECK_MESSAGE(says(result.errors, part), part);
}

std::string commands_of(const std::string& text) {
    const auto begin = text.find("Commands"), end = text.find("\n\n", begin);
    return begin == std::string::npos ? text : text.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("check: what this kernel was built without says nothing about a target that is named") {
    const fsadvise::test::TemporaryFolder folder("targets");
    const auto host = folder.write("host.json", kBareHost);
    const auto table = folder.write("fstab", "UUID=1 /a xfs pquota 0 0\n");
    CHECK(says(run_fsadvise({"check", "--host", host, table}).output, "xfs.quota-not-built"));
    for (const std::vector<std::string>& target :
         {std::vector<std::string>{"--distro", "rhel9"}, {"--kernel", "5.14"}}) {
        std::vector<std::string> words{"check", "--host", host, table};
        words.insert(words.end(), target.begin(), target.end());
        const auto result = run_fsadvise(words);
        CHECK_MESSAGE(result.exit_code == 0, result.output);
        CHECK_FALSE(says(result.output, "not-built"));
    }
    const auto script = folder.write("v4.sh", "mkfs.xfs -m crc=0 /dev/vg/a\nmount /dev/vg/a /a\n");
    const auto upgrade =
        run_fsadvise({"check", "--host", host, script, "--distro", "rhel8", "--upgrade-to", "rhel10"});
    CHECK_MESSAGE(upgrade.exit_code == 1, upgrade.output);
}

TEST_CASE("check: a kernel told alone mounts what the tools of the system make") {
    const fsadvise::test::TemporaryFolder folder("targets");
    const auto host = folder.write("host.json", kBareHost);
    const auto script = folder.write("a.sh", "mkfs.xfs /dev/vg/a\nmount /dev/vg/a /x\n");
    const auto old = run_fsadvise({"check", "--host", host, script, "--kernel", "5.4"});
    CHECK(says(old.output, "xfs.bigtime-kernel"));
    CHECK(says(old.output, "does not mount"));
    CHECK(says(run_fsadvise({"check", "--host", host, script, "--kernel", "6.1"}).output,
               "formats and mounts"));
    const auto first_log = folder.write("l.sh", "mkfs.xfs -l version=1 /dev/vg/a\n");
    CHECK(run_fsadvise({"check", "--host", host, first_log, "--kernel", "5.14"}).exit_code == 1);
    // The advice for such a kernel turns off what it cannot mount.
    const auto advice =
        recommended({"--host", host, "--kernel", "5.4", "--workload", "postgres", "--fs", "xfs"});
    CHECK(says(commands_of(advice), "bigtime=0"));
}

TEST_CASE("recommend: a requirement is met or refused") {
    const fsadvise::test::TemporaryFolder folder("targets");
    const auto host = folder.write("host.json", kBareHost);
    const std::vector<std::string> quotas{"--host",           host,        "--workload",
                                          "container-images", "--require", "project-quotas"};
    check_refused(quotas, {"project-quotas", "CONFIG_XFS_QUOTA", "CONFIG_QUOTA"});
    auto elsewhere = quotas;
    elsewhere.insert(elsewhere.end(), {"--distro", "rhel9"});
    CHECK(says(commands_of(recommended(elsewhere)), "prjquota"));
    elsewhere.back() = "ubuntu24.04";
    elsewhere.insert(elsewhere.end(), {"--fs", "ext4"});
    CHECK(says(commands_of(recommended(elsewhere)), "project"));

    CHECK(says(commands_of(recommended(
                   {"--workload", "file-server", "--require", "case-folding", "--distro", "ubuntu24.04"})),
               "casefold"));
    const auto dax = commands_of(recommended({"--workload", "vm-images", "--require", "dax", "--media",
                                              "pmem", "--distro", "rhel9", "--fs", "xfs"}));
    CHECK(says(dax, "reflink=0"));
    CHECK(says(dax, "dax"));
    CHECK_FALSE(says(dax, "dax="));  // kernels before 5.8 know the short word only

    const std::vector<std::string> squeezed{"--workload", "backup", "--require", "snapshots,compression",
                                            "--distro"};
    for (const auto& [release, option] :
         {std::pair("sles15", "compress=lzo"), {"sles15.5", "compress=zstd:1"}}) {
        auto words = squeezed;
        words.emplace_back(release);
        const auto text = recommended(words);
        CHECK_MESSAGE(says(commands_of(text), option), text);
        CHECK_FALSE(says(text, "- Btrfs compress,"));
    }
    check_refused({"--workload", "backup", "--require", "vendor-support", "--distro", "rhel9", "--fs", "ext4",
                   "--size", "60T", "--max-volume", "100T"},
                  {"vendor-support", "50 TiB"});
}

TEST_CASE("recommend: a requirement that the target excludes is named") {
    check_refused({"--workload", "backup", "--require", "snapshots", "--distro", "rhel9"},
                  {"'snapshots'", "rhel 9"});
    check_refused({"--workload", "backup", "--require", "reflink,online-shrink", "--distro", "rhel9"},
                  {"'online-shrink'", "rhel 9"});
    check_refused({"--workload", "backup", "--size", "256M", "--fs", "xfs"}, {"filesystem xfs", "256MiB"});
}

TEST_CASE("recommend --existing: the directory must exist, and the options fit what is required") {
    check_refused({"--workload", "web-static", "--existing", "/nonexistent"}, {"/nonexistent", "--existing"});

    const fsadvise::test::TemporaryFolder folder("targets");
    const auto listing = folder.write(
        "findmnt.json", R"({"filesystems": [{"target": "/data", "source": "/dev/sdq1", "fstype": "xfs",
                            "options": "rw,relatime,attr2,inode64,logbufs=8,logbsize=32k,noquota"}]})");
    const auto advice = recommended({"--existing-from", listing, "--existing", "/data", "--workload",
                                     "container-images", "--require", "project-quotas", "--distro", "rhel9"});
    CHECK(says(advice, "prjquota"));
    for (const char* word : {"noquota", "attr2", "inode64", "logbufs=8"}) {
        CAPTURE(word);
        const auto options = advice.substr(advice.find("options: "));
        CHECK_FALSE(says(options.substr(0, options.find('\n')), word));
    }
}

TEST_CASE("recommend: words, counts and geometry are understood or refused") {
    const std::vector<std::string> mail{"--workload", "mail", "--fs", "ext4", "--distro", "debian12"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), mail.begin(), mail.end());
        return more;
    };
    CHECK(says(recommended(with({"--size", "1T", "--files", "200M"})), "-i 4096"));
    CHECK(says(commands_of(recommended(with({"--files", "900000000", "--mean-file", "300", "--size", "4T"}))),
               "-i 4096"));
    CHECK(says(recommended(with({"--files", "900000000", "--mean-file", "3k", "--size", "200G"})),
               "more than the volume holds"));
    check_refused(with({"--files", "many"}), {"'many'", "20M"});
    check_refused(with({"--files", "-3"}), {"--files"});
    CHECK(says(recommended({"--workload", "backup", "--distro", "debian13", "--require", "checksums"}),
               "mkfs.btrfs"));
    CHECK(says(recommended({"--workload", "backup", "--distro", "rhel9", "--require", "offline-shrink"}),
               "mkfs.ext4"));
    check_refused(with({"--raid", "6", "--disks", "8", "--chunk", "63k"}), {"63k", "4 KiB"});
    check_refused(with({"--raid", "6", "--disks", "2"}), {"raid6", "at least 4"});
}

TEST_CASE("distributions go by the names that people use") {
    for (const char* name :
         {"amazonlinux2", "amzn2023", "ol8", "opensuse15.5", "centos7", "sles15 sp5", "sles15sp2"}) {
        CAPTURE(name);
        const auto advice = run_fsadvise({"recommend", "--workload", "postgres", "--json", "--distro", name});
        CHECK_MESSAGE(advice.exit_code == 0, advice.errors);
        CHECK_MESSAGE(advice.errors.empty(), advice.errors);
        CHECK_FALSE(
            nlohmann::json::parse(advice.output).at("request").at("host").value("kernel", "").empty());
    }
    const auto first = run_fsadvise({"recommend", "--workload", "postgres", "--distro", "sles15"});
    CHECK(says(first.errors, "4.12"));
    CHECK(says(first.errors, "15.5"));
    CHECK(says(run_fsadvise({"recommend", "--workload", "postgres", "--distro", "debian7"}).errors,
               "not known"));
}

TEST_CASE("a loader is not given what it cannot read, and other loads not the words of a mail server") {
    CHECK(says(commands_of(recommended({"--workload", "root", "--fs", "ext4", "--distro", "debian12",
                                        "--boot-loader", "syslinux-6.03"})),
               "^64bit"));
    const auto git = recommended({"--workload", "git", "--distro", "debian12"});
    CHECK_FALSE(says(git, "mail server"));
    CHECK(says(git, "drops flushes"));
    CHECK(says(recommended({"--workload", "postgres", "--distro", "debian12"}), ",nofail 0"));
}

TEST_CASE("check is told the size, the medium and the tools of the target") {
    const fsadvise::test::TemporaryFolder folder("targets");
    const auto script =
        folder.write("a.sh", "mkfs.ext4 -O ^64bit /dev/vg/a\nmkfs.xfs -i nrext64=1 /dev/vg/b\n");
    const auto checked = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"check", script, "--distro", "debian12"});
        return run_fsadvise(more);
    };
    const auto plain = checked({"--tools", "xfsprogs-6.1"});
    CHECK_MESSAGE(plain.exit_code == 0, plain.output);
    CHECK(checked({"--size", "20T"}).exit_code == 1);
    CHECK(checked({"--tools", "xfsprogs-5.10"}).exit_code == 1);
    CHECK(checked({"--media", "pmem"}).exit_code == 0);
    const auto wrong = checked({"--tools", "xfsprog-5.10"});
    CHECK(wrong.exit_code == 2);
    CHECK(says(wrong.errors, "did you mean 'xfsprogs'"));
}

TEST_CASE("check: a default that depends on who made the filesystem is not claimed for an fstab") {
    const fsadvise::test::TemporaryFolder folder("targets");
    const auto table = folder.write("fstab", "UUID=1 /a btrfs space_cache=v2 0 0\n");
    CHECK_FALSE(says(run_fsadvise({"check", table, "--kernel", "5.4"}).output, "is the default"));
    const auto pass = folder.write("fstab2", "UUID=1 /a f2fs noatime 0 2\nUUID=2 /b xfs noatime 0 2\n");
    const auto result = run_fsadvise({"check", pass, "--kernel", "6.1"}).output;
    CHECK(says(result, "fsck.xfs does nothing"));
    CHECK_FALSE(says(result, "fsck.f2fs does nothing"));
}
