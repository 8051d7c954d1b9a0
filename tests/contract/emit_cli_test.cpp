// What recommend --format writes is understood by the programs it is written for, and passes our own check.
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "base/text.h"
#include "output/emit/emit_plan.h"

#include "support/command.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using test::run_fsadvise;

namespace {

constexpr const char* kDevice = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4";

// Advice that differs in filesystem and options.
const std::vector<std::vector<std::string>>& requests() {
    static const std::vector<std::vector<std::string>> kRequests = {
        {"--workload", "postgres", "--media", "nvme", "--size", "1T"},
        {"--workload", "mail", "--media", "hdd", "--size", "4T", "--files", "40M", "--fs", "ext4"},
        {"--workload", "backup", "--raid", "6", "--disks", "10", "--chunk", "256k", "--size", "80T", "--fs",
         "xfs"},
        {"--workload", "container-images", "--require", "snapshots,compression", "--size", "500G"},
        {"--workload", "web-static", "--mount-point", "/srv/my data", "--size", "200G"}};
    return kRequests;
}

ProcessResult emitted(const std::vector<std::string>& request, std::string_view format,
                      const std::string& path) {
    std::vector<std::string> words = {"recommend", "--distro",        "debian12", "--cloud",
                                      "aws",       "--target-device", kDevice};
    words.insert(words.end(), request.begin(), request.end());
    words.insert(words.end(), {"--format", std::string(format), "-o", path, "--quiet"});
    return run_fsadvise(words);
}

std::vector<std::string> files_below(const std::string& path) {
    if (!std::filesystem::is_directory(path)) return {path};
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
        if (entry.is_regular_file()) files.push_back(entry.path().string());
    return files;
}

// Runs a consumer on every file of a format; says once if it is not installed.
void consume(std::string_view format, const std::string& program,
             const std::function<std::optional<std::vector<std::string>>(const std::string&)>& command_for) {
    SystemProcessRunner runner;
    if (runner.find(program).empty()) {
        MESSAGE("SKIPPED: " << std::string(format) << " is not read back: " << program
                            << " is not installed");
        return;
    }
    int run = 0;
    for (const auto& request : requests()) {
        const test::TemporaryFolder folder("emit");
        const std::string path = folder.path("out");
        if (emitted(request, format, path).exit_code != 0) continue;
        for (const std::string& file : files_below(path)) {
            const auto command = command_for(file);
            if (!command) continue;
            const auto result = runner.run({*command, {}});
            REQUIRE(result.has_value());
            CAPTURE(shell_join(*command));
            CAPTURE(result->output);
            CAPTURE(result->errors);
            CHECK(result->exit_code == 0);
            ++run;
        }
    }
    CHECK(run > 0);
}

}  // namespace

TEST_CASE("every format passes our own check, for every request that it can carry") {
    for (const auto& request : requests()) {
        for (const EmitFormat& format : emit_formats()) {
            CAPTURE(format.id);
            CAPTURE(join(request, " "));
            const test::TemporaryFolder folder("emit");
            const std::string path = folder.path("out");
            const auto result = emitted(request, format.id, path);
            CAPTURE(result.errors);
            if (result.exit_code == 4) continue;  // mke2fs for XFS and the like
            REQUIRE(result.exit_code == 0);
            // What is for programs that check does not read.
            if (format.id == "terraform" || format.id == "mke2fs" || format.id == "xfs-config" ||
                format.id == "tuned")
                continue;
            std::vector<std::string> words = {"check", "--distro", "debian12", "--fail-on", "warning"};
            for (const std::string& file : files_below(path))
                if (file.find("systemd-repart.service.d") == std::string::npos) words.push_back(file);
            const auto checked = run_fsadvise(words);
            CAPTURE(checked.output);
            CAPTURE(checked.errors);
            CHECK(checked.exit_code == 0);
        }
    }
}

TEST_CASE("mount units are named as systemd names them, and systemd-analyze accepts them") {
    consume(
        "systemd", "systemd-escape", [](const std::string& file) -> std::optional<std::vector<std::string>> {
            if (!file.ends_with(".mount")) return std::nullopt;
            const auto text = read_file(file);
            REQUIRE(text.has_value());
            const auto start = text->find("Where=") + 6;
            const std::string where = text->substr(start, text->find('\n', start) - start);
            const std::string name = std::filesystem::path(file).filename();
            return std::vector<std::string>{
                "sh", "-c", "[ \"$(systemd-escape -p --suffix=mount \"$1\")\" = \"$2\" ]", "sh", where, name};
        });
    consume("systemd", "systemd-analyze",
            [](const std::string& file) -> std::optional<std::vector<std::string>> {
                if (!file.ends_with(".mount")) return std::nullopt;
                return std::vector<std::string>{"systemd-analyze", "verify", file};
            });
}

TEST_CASE("findmnt verifies the fstab") {
    consume("fstab", "findmnt", [](const std::string& file) {
        // Label, directory and the kernel's filesystems are those of the target: only the syntax is judged
        // here.
        return std::optional(std::vector<std::string>{
            "sh", "-c", "findmnt --verify --verbose --tab-file \"$1\" 2>&1 | grep -q '0 parse errors'", "sh",
            file});
    });
}

TEST_CASE("mkfs.xfs reads its configuration file, mke2fs its usage type") {
    const test::TemporaryFolder folder("emit-mkfs");
    const std::string disk = folder.write("disk", "");
    std::filesystem::resize_file(disk, 1ull << 40);
    consume("xfs-config", "mkfs.xfs", [&](const std::string& file) {
        return std::optional(std::vector<std::string>{"mkfs.xfs", "-c", "options=" + file, "-N", disk});
    });
    consume("mke2fs", "mke2fs", [&](const std::string& file) {
        // The type stands beside those of the distribution, whose defaults go on to count.
        return std::optional(std::vector<std::string>{
            "sh", "-c",
            "cat /etc/mke2fs.conf \"$1\" >\"$1.whole\" && MKE2FS_CONFIG=\"$1.whole\" mke2fs -n -F -t ext4 -T "
            "fsadvise-mail \"$2\" 2>&1 | tee \"$1.out\" && ! grep -i 'profile\\|syntax\\|invalid' \"$1.out\"",
            "sh", file, disk});
    });
}

TEST_CASE("YAML formats are YAML, and the tools of their targets read them") {
    for (const char* format : {"cloud-init", "ansible", "butane", "kubernetes"}) {
        consume(format, "python3", [](const std::string& file) {
            return std::optional(std::vector<std::string>{
                "python3", "-c", "import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))", file});
        });
    }
    consume("cloud-init", "cloud-init", [](const std::string& file) {
        return std::optional(std::vector<std::string>{"cloud-init", "schema", "--config-file", file});
    });
    SystemProcessRunner runner;
    const auto collections =
        runner.run({{"env", "LC_ALL=C.UTF-8", "ansible-doc", "community.general.filesystem"}, {}});
    if (!collections || !collections->ok()) {
        MESSAGE("SKIPPED: ansible is not read back: the collection community.general is not installed");
        return;
    }
    consume("ansible", "ansible-playbook", [](const std::string& file) {
        return std::optional(std::vector<std::string>{"env", "LC_ALL=C.UTF-8", "ansible-playbook",
                                                      "--syntax-check", "-i", "localhost,", file});
    });
}

TEST_CASE("Ignition and Terraform get JSON of their shape") {
    const test::TemporaryFolder folder("emit-json");
    const std::string path = folder.path("out");
    REQUIRE(emitted(requests().front(), "ignition", path).exit_code == 0);
    const auto ignition = nlohmann::json::parse(*read_file(path));
    CHECK(ignition["ignition"]["version"] == "3.3.0");
    CHECK(ignition["storage"]["filesystems"][0]["device"] == kDevice);
    CHECK(ignition["storage"]["filesystems"][0]["wipeFilesystem"] == false);
    REQUIRE(emitted(requests().front(), "terraform", path).exit_code == 0);
    const auto answer = nlohmann::json::parse(*read_file(path));
    for (const auto& [key, value] : answer.items()) {
        CAPTURE(key);
        CHECK(value.is_string());
    }
    CHECK(nlohmann::json::parse(answer["mkfs_argv_json"].get<std::string>()).is_array());
}

TEST_CASE("--strict makes a loss an exit status, and several files need a folder") {
    const auto strict = run_fsadvise({"--workload", "backup", "--raid", "6", "--disks", "10", "--chunk",
                                      "256k", "--fs", "xfs", "--format", "fstab", "--strict"});
    CHECK(strict.exit_code == 1);
    CHECK(strict.errors.find("not carried") != std::string::npos);
    CHECK(strict.output.find("xfs") != std::string::npos);
    const test::TemporaryFolder folder("emit-folder");
    CHECK(run_fsadvise({"--workload", "mail", "--format", "systemd", "-o", folder.path("out")}).exit_code ==
          0);
    CHECK(files_below(folder.path("out")).size() >= 2);
    const std::string taken = folder.write("taken", "x");
    test::check_refusal({"--workload", "mail", "--format", "systemd", "--quiet", "-o", taken}, 4, {"taken"});
    test::check_refusal({"--workload", "mail", "--format", "kubernetes"}, 2, {"--csi-driver"});
    test::check_refusal({"--workload", "mail", "--format", "ansibel"}, 2, {"--format"});
    test::check_refusal({"--workload", "mail", "--format", "fstab", "--target-device", "sdb; rm"}, 2,
                        {"--target-device"});
}

TEST_CASE("a Terraform query on standard input is as good as options") {
    const auto answer =
        run_fsadvise({"recommend", "--format", "terraform", "--distro", "debian12"},
                     R"({"workload": "mail", "fs": "ext4", "mount_point": "/srv/mail", "media": ""})");
    CAPTURE(answer.errors);
    REQUIRE(answer.exit_code == 0);
    const auto document = nlohmann::json::parse(answer.output);
    CHECK(document["filesystem"] == "ext4");
    CHECK(document["mount_point"] == "/srv/mail");
    const auto refused = [](const char* query, const char* says) {
        const auto result = run_fsadvise({"recommend", "--format", "terraform"}, query);
        CAPTURE(query);
        CHECK(result.exit_code == 3);
        CHECK(result.output.empty());
        CHECK(result.errors.find(says) != std::string::npos);
    };
    refused("[1]", "no JSON object");
    refused(R"({"workload": 1})", "no string");
    refused(R"({"--workload": "mail"})", "no option");
    refused(R"({"output": "/etc/fstab"})", "no option");
}
