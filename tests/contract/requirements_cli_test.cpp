// Requirements and existing filesystems on the command line.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "support/command.h"

using fsadvise::test::run_fsadvise;

namespace {

const std::vector<std::string> kTarget = {"recommend", "--workload", "file-server", "--distro", "debian13",
                                          "--size",    "500G",       "--json"};

fsadvise::ProcessResult recommend(std::vector<std::string> more) {
    auto words = kTarget;
    words.insert(words.end(), more.begin(), more.end());
    return run_fsadvise(words);
}

std::string all_mkfs(const fsadvise::ProcessResult& result) {
    REQUIRE_MESSAGE(result.exit_code == 0, result.errors);
    std::string text;
    const auto advice = nlohmann::json::parse(result.output);
    for (const auto& item : advice.at("ranked")) {
        for (const auto& word : item.at("mkfs")) text += word.get<std::string>() + " ";
        text += "\n";
    }
    return text;
}

void check_refused(const std::vector<std::string>& more, const std::vector<std::string>& must_say) {
    const auto result = recommend(more);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 2);
    CHECK(result.output.empty());
    for (const auto& text : must_say) CHECK(result.errors.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("readers change the mkfs options") {
    CHECK(all_mkfs(recommend({})).find("nrext64=0") == std::string::npos);
    const auto kernel = all_mkfs(recommend({"--oldest-kernel", "5.4"}));
    CHECK(kernel.find("nrext64=0") != std::string::npos);
    CHECK(kernel.find("^orphan_file") != std::string::npos);
    CHECK(all_mkfs(recommend({"--boot-loader", "grub-2.06"})).find("^metadata_csum_seed") != std::string::npos);
    CHECK(all_mkfs(recommend({"--oldest-tools", "xfsprogs-5.4,e2fsprogs-1.45"})).find("bigtime=0") !=
          std::string::npos);
}

TEST_CASE("sizes and needs choose the filesystem") {
    CHECK(all_mkfs(recommend({"--max-file", "20T"})).find("mkfs.ext4") == std::string::npos);
    CHECK(all_mkfs(recommend({"--max-volume", "100T"})).find("mkfs.f2fs") == std::string::npos);
    CHECK(all_mkfs(recommend({"--require", "online-shrink"})).find("mkfs.xfs") == std::string::npos);
}

TEST_CASE("impossible requirements exit with 2 and name the pair") {
    check_refused({"--require", "snapshots,case-folding"},
                  {"'case-folding' and 'snapshots' exclude each other", "without 'snapshots'"});
    check_refused({"--require", "case-folding", "--oldest-kernel", "5.0"}, {"readable by kernel 5.0"});
    check_refused({"--require", "reflink", "--fs", "ext4"}, {"'reflink' and 'filesystem ext4'"});
}

TEST_CASE("words of the readers are checked") {
    check_refused({"--oldest-kernel", "new"}, {"--oldest-kernel"});
    check_refused({"--boot-loader", "grubb-2.06"}, {"did you mean 'grub'"});
    check_refused({"--boot-loader", "grub"}, {"has no version"});
    check_refused({"--oldest-tools", "e2fsprog-1.45"}, {"e2fsprogs"});
    check_refused({"--max-file", "huge"}, {"--max-file"});
    const auto unnamed = run_fsadvise({"recommend", "--workload", "file-server", "--kernel", "6.1", "--require",
                                       "vendor-support"});
    CHECK(unnamed.exit_code == 2);
    CHECK(unnamed.errors.find("--distro") != std::string::npos);
}

TEST_CASE("existing filesystems from a saved listing") {
    const std::string name = "/tmp/fsadvise-findmnt-" + std::to_string(::getpid()) + ".json";
    std::ofstream(name) << R"({"filesystems": [{"target": "/srv/data", "source": "/dev/sdq1", "fstype": "ext4",
                                "options": "rw,relatime"}]})";
    const std::vector<std::string> words = {"recommend", "--workload", "web-static", "--distro", "debian13",
                                            "--existing-from", name};
    const auto text = run_fsadvise(words);
    CHECK_MESSAGE(text.exit_code == 0, text.errors);
    CHECK(text.output.find("mount -o remount,noatime /srv/data") != std::string::npos);
    for (const char* format : {"json", "markdown"}) {
        auto more = words;
        more.insert(more.end(), {"--format", format});
        CHECK(run_fsadvise(more).exit_code == 0);
    }
    auto wrong = words;
    wrong.insert(wrong.end(), {"--format", "shell"});
    CHECK(run_fsadvise(wrong).exit_code == 2);
    std::ofstream(name) << "{";
    CHECK(run_fsadvise(words).exit_code == 3);
    ::unlink(name.c_str());
    CHECK(run_fsadvise(words).exit_code == 3);
    CHECK(run_fsadvise({"recommend", "--workload", "web-static", "--existing", "/proc"}).exit_code == 2);
}
