#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/batch.h"
#include "base/text.h"

namespace {

using namespace fsadvise;
using nlohmann::json;

const Knowledge& knowledge() {
    static const KnowledgeDirectory kDirectory = *read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    static const Knowledge kKnowledge = *Knowledge::load(kDirectory.view());
    return kKnowledge;
}

Host debian() {
    Host host;
    host.kernel = "6.18.44";
    host.distribution = "debian";
    host.distribution_version = "12";
    host.page_size_bytes = 4096;
    return host;
}

json verdict(const std::string& row) {
    BatchCounts counts;
    const std::string text = judge_batch(knowledge(), debian(), row, "rows", counts);
    CHECK(counts.rows == 1);
    return json::parse(text);
}

}  // namespace

TEST_CASE("batch: refused, accepted and ignored") {
    CHECK(verdict(R"({"fs": "xfs", "size_mib": 512, "mount": "nobarrier"})")["mount"] == "refused");
    const json plain = verdict(R"({"fs": "xfs", "size_mib": 512, "mount": "noatime", "note": "x"})");
    CHECK(plain["mkfs"] == "ok");
    CHECK(plain["mount"] == "ok");
    CHECK(plain["effective"] == json{"noatime"});
    CHECK_FALSE(plain.contains("ignored_keys"));
    CHECK(verdict(R"({"fs": "xfs", "size_mib": 100})")["mkfs"] == "refused");
    CHECK(verdict(R"({"fs": "xfs", "size_mib": 512, "mount": null})")["mount"] == "not-tried");
}

TEST_CASE("batch: a remount is effective, ignored or refused") {
    const auto remount = [](const std::string& fs, const std::string& mount, const std::string& options) {
        return verdict(json{{"fs", fs}, {"size_mib", 600}, {"mount", mount}, {"remount", options}}.dump());
    };
    CHECK(remount("ext4", "", "commit=60")["remount"] == "ok");
    CHECK(remount("ext4", "", "commit=60")["changed"] == true);
    CHECK(remount("ext4", "commit=60", "commit=60")["changed"] == false);
    CHECK(remount("ext4", "", "data=journal")["remount"] == "refused");
    CHECK(remount("xfs", "", "logbsize=256k")["remount"] == "ignored");
    CHECK(remount("xfs", "", "largeio,noatime")["changed"] == true);
    CHECK(remount("xfs", "nobarrier", "noatime")["remount"] == "not-tried");
    CHECK(remount("f2fs", "noextent_cache", "noatime")["remount"] == "refused");
    // A subvolume is chosen by the first mount; a remount does not even look whether the name exists.
    CHECK(remount("btrfs", "", "subvol=/x")["remount"] == "ignored");
    CHECK(remount("btrfs", "subvol=/", "subvol=/x")["remount"] == "ignored");
    // What was just formatted has no subvolume /x: the first mount fails, and there is nothing to remount.
    CHECK(remount("btrfs", "subvol=/x", "subvol=/x")["remount"] == "not-tried");
    CHECK(remount("btrfs", "", "subvolid=5")["remount"] == "ok");
    CHECK(remount("btrfs", "", "subvol=/x,noatime")["changed"] == true);
}

TEST_CASE("batch: a list of names in a mount option has an end") {
    const auto mounted = [](int names) {
        std::string options = "compress_extension=e0";
        for (int i = 1; i < names; ++i) options += fmt::format(",compress_extension=e{}", i);
        return verdict(json{{"fs", "f2fs"},
                            {"size_mib", 256},
                            {"mkfs", "mkfs.f2fs -O extra_attr,compression"},
                            {"mount", options},
                            {"kernel", "6.1.192"},
                            {"has", {"compression"}}}
                           .dump())["mount"];
    };
    CHECK(mounted(16) == "ok");
    CHECK(mounted(17) == "refused");
}

TEST_CASE("batch: what makes no filesystem is not mounted") {
    const auto formatted = [](const std::string& mkfs) {
        return verdict(json{{"fs", "ext4"}, {"size_mib", 320}, {"mkfs", mkfs}}.dump());
    };
    CHECK(formatted("mkfs.ext4 -n")["mkfs"] == "ok");
    CHECK(formatted("mkfs.ext4 -n")["mount"] == "refused");
    CHECK(formatted("mkfs.ext4 -S")["mkfs"] == "refused");
    CHECK(formatted("mkfs.ext4 -F -S")["mkfs"] == "ok");
    CHECK(formatted("mkfs.ext4 -F -S")["mount"] == "refused");
}

TEST_CASE("batch: the version of the running kernel means what that kernel was built with") {
    Host host = debian();
    host.kernel = "6.18.44-cloud-amd64";
    host.kernel_features = {{"xfs_quota", false}};
    const auto mount = [&](const char* kernel) {
        const auto row =
            batch_row(knowledge(), host,
                      json{{"fs", "xfs"}, {"size_mib", 512u}, {"mount", "uquota"}, {"kernel", kernel}});
        REQUIRE_MESSAGE(row, (row ? "" : to_text(row.error())));
        return judge_row(knowledge(), *row).mount;
    };
    CHECK(mount("6.18.44") == BatchVerdict::Mount::kRefused);
    CHECK(mount("6.18.45") == BatchVerdict::Mount::kOk);
}

TEST_CASE("batch: a geometry is judged for an ordinary disk if no sector size is given") {
    const auto formatted = [](const std::string& fs, const std::string& mkfs) {
        return verdict(json{{"fs", fs}, {"size_mib", 320}, {"mkfs", mkfs}}.dump());
    };
    // Eight groups of 40 MiB have no room for a log of 64 MiB.
    CHECK(formatted("xfs", "mkfs.xfs -d su=64k,sw=4")["mkfs"] == "refused");
    CHECK(formatted("xfs", "mkfs.xfs -d agcount=16")["mkfs"] == "refused");
    CHECK(formatted("xfs", "mkfs.xfs")["mkfs"] == "ok");
    CHECK(formatted("ext4", "mkfs.ext4 -E resize=4G")["mkfs"] == "ok");
    CHECK(formatted("ext4", "mkfs.ext4 -E resize=100M")["mkfs"] == "refused");
    CHECK(formatted("ext4", "mkfs.ext4 -E resize=1000000")["mkfs"] == "ok");
    CHECK(formatted("ext4", "mkfs.ext4 -O none")["mount"] == "ok");
    CHECK(verdict(R"({"fs": "ext4", "mkfs": "mkfs.ext4 -O none", "mount": "commit=30"})")["mount"] ==
          "refused");
    CHECK(formatted("ext4", "mkfs.ext4 -n")["mount"] == "refused");
    CHECK(formatted("xfs", "mkfs.xfs -N")["mount"] == "refused");
    CHECK(formatted("ext4", "mkfs.ext4 /dev/other")["mkfs"] == "refused");
}

TEST_CASE("batch: of options that exclude each other the later one stays") {
    const auto mounted = [](const std::string& mount) {
        return verdict(json{{"fs", "btrfs"}, {"size_mib", 600}, {"mount", mount}}.dump());
    };
    CHECK(mounted("nodatacow,compress=zstd")["effective"] == json{"compress=zstd"});
    CHECK(mounted("compress=zstd,nodatacow")["effective"] == json{"nodatacow"});
    CHECK(mounted("compress-force=lzo,nodatacow")["effective"] == json{"nodatacow"});
    CHECK(mounted("compress-force=lzo,compress=zstd")["effective"] == json{"compress=zstd"});
    CHECK(mounted("compress=zstd,compress-force=lzo")["effective"] == json{"compress-force=lzo"});
    const auto later = [](const std::string& mount, const std::string& remount) {
        return verdict(
            json{{"fs", "btrfs"}, {"size_mib", 600}, {"mount", mount}, {"remount", remount}}.dump());
    };
    CHECK(later("compress=zstd", "nodatacow")["effective_after"] == json{"nodatacow"});
    CHECK(later("nodatacow", "compress=zstd")["effective_after"] == json{"compress=zstd"});
}

TEST_CASE("batch: what the kernel lacks is told or uncertain") {
    const std::string row = R"({"fs": "xfs", "size_mib": 512, "mount": "uquota")";
    CHECK(verdict(row + R"(, "lacks": ["xfs_quota"]})")["mount"] == "refused");
    CHECK(verdict(row + R"(, "has": ["xfs_quota"]})")["mount"] == "ok");
    CHECK(verdict(row + "}")["uncertain"] == json{"xfs.quota-not-built"});
    CHECK(verdict(R"({"fs": "btrfs", "size_mib": 512, "mount": "subvolid=9", "absent": ["9"]})")["mount"] ==
          "refused");
}

TEST_CASE("batch: malformed rows are reported with their line and the others go on") {
    BatchCounts counts;
    const std::string text = judge_batch(
        knowledge(), debian(),
        "{\"fs\": \"ext4\"}\n\nnot json\n{\"fs\": \"ext5\"}\n[1]\n{\"fs\": \"xfs\", \"mkfs\": 3}\n{\"fs\": "
        "\"xfs\", \"size_mib\": -1}\n{\"fs\": \"xfs\", \"lacks\": [\"luck\"]}\n{\"fs\": \"xfs\", \"sise\": "
        "1}",
        "rows", counts);
    CHECK(counts.rows == 8);
    CHECK(counts.malformed == 6);
    const auto lines = split(text, '\n');
    REQUIRE(lines.size() == 9);
    CHECK(json::parse(lines[1])["where"] == "rows:3");
    CHECK(json::parse(lines[2])["hint"].get<std::string>().find("ext4") != std::string::npos);
    CHECK(json::parse(lines[7])["ignored_keys"] == json{"sise"});
    CHECK(json::parse(lines[7])["mkfs"] == "ok");
}

TEST_CASE("batch: what a tool turns on by itself must suit the kernel") {
    const auto made_for = [](const std::string& fs, const std::string& kernel, const std::string& tool,
                             const std::string& version) {
        return verdict(
            json{{"fs", fs}, {"size_mib", 600}, {"kernel", kernel}, {"tools", {{tool, version}}}}.dump());
    };
    for (const char* kernel : {"3.10", "4.4"})
        CHECK(made_for("btrfs", kernel, "btrfs-progs", "6.2")["mount"] == "refused");
    CHECK(made_for("btrfs", "4.5", "btrfs-progs", "6.2")["mount"] == "ok");
    CHECK(made_for("btrfs", "4.4", "btrfs-progs", "5.10")["mount"] == "ok");
    CHECK(made_for("ext4", "2.6.18", "e2fsprogs", "1.42")["mount"] == "refused");
    CHECK(made_for("ext4", "2.6.32", "e2fsprogs", "1.42")["mount"] == "ok");
    const auto arch = [](const std::string& kernel) {
        return verdict(json{{"fs", "ext4"},
                            {"size_mib", 600},
                            {"distribution", "arch"},
                            {"kernel", kernel},
                            {"tools", {{"e2fsprogs", "1.47.1"}}}}
                           .dump());
    };
    CHECK(arch("4.2")["mount"] == "refused");
    CHECK(arch("4.4")["mount"] == "ok");
}

TEST_CASE("batch: no filesystem is made beyond its largest size") {
    const auto sized = [](const std::string& fs, const std::string& size) {
        return verdict(json{{"fs", fs}, {"size", size}}.dump());
    };
    CHECK(sized("ext4", "2E")["mkfs"] == "refused");
    CHECK(sized("ext4", "500P")["mkfs"] == "ok");
    CHECK(sized("xfs", "9E")["mkfs"] == "refused");
    CHECK(sized("xfs", "2E")["mkfs"] == "ok");
}

TEST_CASE("batch: Red Hat's xfsprogs 5.0 turns reflink on") {
    const auto mounted = [](const std::string& distribution) {
        return verdict(json{
            {"fs", "xfs"},
            {"size_mib", 512},
            {"distribution", distribution},
            {"distribution_version", "8"},
            {"kernel", "4.18"},
            {"tools", {{"xfsprogs", "5.0.0"}}},
            {"device", {{"dax", true}}},
            {"mount",
             "dax"}}.dump())["mount"];
    };
    CHECK(mounted("rhel") == "refused");
    CHECK(mounted("debian") == "ok");
}
