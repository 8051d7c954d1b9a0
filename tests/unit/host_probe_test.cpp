// Host facts from captured procfs, sysfs and /etc.
#include <doctest/doctest.h>
#include <elf.h>

#include "host/host.h"

using namespace fsadvise;

namespace {

FakeFileReader debian_machine() {
    FakeFileReader files;
    files.files["/proc/sys/kernel/osrelease"] = "6.1.0-25-amd64\n";
    files.files["/proc/sys/kernel/arch"] = "x86_64\n";
    files.files["/etc/os-release"] =
        "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian "
        "GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n";
    files.files["/sys/devices/system/cpu/online"] = "0-5,8,10-11\n";
    files.files["/proc/meminfo"] = "MemTotal:       16384000 kB\nMemFree:         1000 kB\n";
    files.files["/proc/filesystems"] = "nodev\tsysfs\nnodev\ttmpfs\n\text4\n\text2\n";
    files.files["/lib/modules/6.1.0-25-amd64/modules.builtin"] = "kernel/fs/squashfs/squashfs.ko\n";
    files.files["/lib/modules/6.1.0-25-amd64/modules.dep"] =
        "kernel/fs/xfs/xfs.ko: kernel/lib/libcrc32c.ko\nkernel/fs/btrfs/btrfs.ko.zst:\n"
        "kernel/fs/nls/nls_utf8.ko:\nkernel/fs/nfs/blocklayout/blocklayoutdriver.ko:\nkernel/net/ipv4/"
        "ipv4.ko:\n";
    return files;
}

}  // namespace

TEST_CASE("a described machine is read in full") {
    const Host host = probe_host(debian_machine());
    CHECK(host.kernel == "6.1.0-25-amd64");
    CHECK(host.architecture == "x86_64");
    CHECK(host.distribution == "debian");
    CHECK(host.distribution_version == "12");
    CHECK(host.cores == 9);
    CHECK(host.memory_bytes == 16384000ull * 1024);
    CHECK(host.page_size_bytes == 4096);
    REQUIRE(host.filesystems);
    CHECK(*host.filesystems == std::set<std::string>{"ext2", "ext4", "squashfs", "xfs", "btrfs"});
    CHECK(host.source == "probed");
    CHECK(host.tools.empty());
    CHECK_FALSE(host.device);
}

TEST_CASE("an empty machine is unknown, not zero") {
    const Host host = probe_host(FakeFileReader());
    CHECK(host.kernel.empty());
    CHECK(host.architecture.empty());
    CHECK(host.distribution.empty());
    CHECK_FALSE(host.cores);
    CHECK_FALSE(host.memory_bytes);
    CHECK_FALSE(host.page_size_bytes);
    CHECK_FALSE(host.filesystems);
}

TEST_CASE("older kernels and other distributions") {
    FakeFileReader files = debian_machine();
    files.files.erase("/proc/sys/kernel/arch");
    files.files.erase("/sys/devices/system/cpu/online");
    files.files.erase("/etc/os-release");
    files.files["/usr/lib/os-release"] = "ID='rhel'\n# VERSION_ID=7\nVERSION_ID='9.4'\n";
    SUBCASE("x86") {
        files.files["/proc/cpuinfo"] =
            "processor\t: 0\nflags\t\t: fpu lm constant_tsc\n\nprocessor\t: 1\nflags\t\t: fpu lm\n";
        const Host host = probe_host(files);
        CHECK(host.architecture == "x86_64");
        CHECK(host.cores == 2);
        CHECK(host.distribution == "rhel");
        CHECK(host.distribution_version == "9.4");
    }
    SUBCASE("arm, whose page size is not guessed") {
        files.files["/proc/cpuinfo"] = "processor\t: 0\nCPU architecture: 8\n";
        const Host host = probe_host(files);
        CHECK(host.architecture == "aarch64");
        CHECK_FALSE(host.page_size_bytes);
    }
}

TEST_CASE("the page size comes from the auxiliary vector") {
    FakeFileReader files;
    files.files["/proc/sys/kernel/arch"] = "aarch64\n";
    const Elf64_auxv_t vector[] = {{AT_HWCAP, {1}}, {AT_PAGESZ, {65536}}, {AT_NULL, {0}}};
    files.files["/proc/self/auxv"] = std::string(reinterpret_cast<const char*>(vector), sizeof vector);
    CHECK(probe_host(files).page_size_bytes == 65536);
    files.files["/proc/self/auxv"] = "short";
    CHECK_FALSE(probe_host(files).page_size_bytes);
}

TEST_CASE("malformed numbers are unknown") {
    FakeFileReader files;
    for (const char* list : {"", "0-", "a-b", "3-1", "0-1-2"}) {
        files.files["/sys/devices/system/cpu/online"] = list;
        CHECK_FALSE(probe_host(files).cores);
    }
    files.files["/proc/meminfo"] = "MemTotal: lots kB\n";
    CHECK_FALSE(probe_host(files).memory_bytes);
}

TEST_CASE("this machine can be read") {
    const Host host = probe_host(SystemFileReader());
    CHECK_FALSE(host.kernel.empty());
    CHECK(host.cores.value_or(0) > 0);
    CHECK(host.memory_bytes.value_or(0) > 0);
    CHECK(host.page_size_bytes.value_or(0) >= 4096);
    CHECK(host.filesystems.has_value());
}

TEST_CASE("tool versions, each in its own words") {
    FakeProcessRunner runner;
    runner.reply = [](const ProcessRequest& request) -> Result<ProcessResult> {
        const std::string& program = request.argv.front();
        ProcessResult result;
        if (program == "mkfs.ext4") {
            result.errors = "mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n";
        } else if (program == "mkfs.xfs") {
            result.output = "mkfs.xfs version 6.1.0\n";
        } else if (program == "mkfs.btrfs") {
            result.output = "mkfs.btrfs, part of btrfs-progs v6.2\n";
        } else if (program == "mount") {
            result.output = "mount from util-linux 2.38.1 (libmount 2.38.1: selinux, btrfs)\n";
        } else {
            return fail(ErrorCode::kUnavailable, "program not found", program);
        }
        return result;
    };
    Host host;
    probe_tools(host, runner);
    CHECK(host.tools == std::map<std::string, std::string>{{"e2fsprogs", "1.47.0"},
                                                           {"xfsprogs", "6.1.0"},
                                                           {"btrfs-progs", "6.2"},
                                                           {"util-linux", "2.38.1"}});
}

TEST_CASE("a tool that says nothing useful is absent") {
    FakeProcessRunner runner;
    runner.reply = [](const ProcessRequest&) -> Result<ProcessResult> {
        ProcessResult result;
        result.exit_code = 1;
        result.errors = "unrecognized option, see version 3 . or v .5\n";
        return result;
    };
    Host host;
    probe_tools(host, runner);
    CHECK(host.tools.empty());
}
