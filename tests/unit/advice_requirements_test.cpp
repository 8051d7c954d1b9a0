// What the user insists on changes the answer, or is refused with the words that exclude each other.
#include <algorithm>

#include <doctest/doctest.h>

#include "advice/advise.h"
#include "base/units.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = [] {
        auto loaded = Knowledge::load(embedded_knowledge());
        if (!loaded) FAIL(to_text(loaded.error()));
        return *loaded;
    }();
    return kLoaded;
}

const RuleNetwork& network() {
    static const RuleNetwork kNetwork = [] {
        auto built = RuleNetwork::build(knowledge());
        if (!built) FAIL(to_text(built.error()));
        return *built;
    }();
    return kNetwork;
}

// A target on which every filesystem works.
Request request_of(const std::string& workload = "file-server") {
    Request request;
    request.workload = workload;
    request.host.kernel = "6.12";
    request.host.cores = 4;
    request.host.tools = {
        {"e2fsprogs", "1.47.2"}, {"xfsprogs", "6.13.0"}, {"btrfs-progs", "6.14"}, {"f2fs-tools", "1.16.0"}};
    request.host.device.emplace().size_bytes = std::uint64_t{500} << 30U;
    return request;
}

Advice must(const Request& request) {
    auto advice = advise(knowledge(), network(), request);
    if (!advice) FAIL(to_text(advice.error()));
    return *advice;
}

std::vector<std::string> filesystems(const Advice& advice) {
    std::vector<std::string> ids;
    for (const auto& item : advice.ranked) ids.push_back(item.configuration.filesystem);
    std::sort(ids.begin(), ids.end());
    return ids;
}

const Recommendation& of(const Advice& advice, const std::string& filesystem) {
    for (const auto& item : advice.ranked)
        if (item.configuration.filesystem == filesystem) return item;
    FAIL("not ranked: " << filesystem);
    return advice.ranked.front();
}

std::string mkfs_text(const Recommendation& item) {
    std::string text;
    for (const auto& word : item.commands.mkfs) text += word + " ";
    return text;
}

std::string refusal(const Request& request) {
    const auto advice = advise(knowledge(), network(), request);
    REQUIRE_FALSE(advice);
    CHECK(advice.error().code == ErrorCode::kUsage);
    return advice.error().message;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("every requirement keeps just the filesystems that have it") {
    const std::map<std::string, Names> expected = {{"snapshots", {"btrfs"}},
                                                   {"compression", {"btrfs", "f2fs"}},
                                                   {"data-checksums", {"btrfs"}},
                                                   {"shrink", {"btrfs", "ext4"}},
                                                   {"online-shrink", {"btrfs"}},
                                                   {"project-quotas", {"ext4", "f2fs", "xfs"}},
                                                   {"reflink", {"btrfs", "xfs"}},
                                                   {"case-folding", {"ext4", "f2fs"}},
                                                   {"dax", {"ext4", "xfs"}},
                                                   {"encryption", {"ext4", "f2fs"}}};
    for (const auto& [need, who] : expected) {
        CAPTURE(need);
        auto request = request_of();
        request.requirements.needs = {need};
        CHECK(filesystems(must(request)) == who);
    }
}

TEST_CASE("every pair of requirements is answered by what offers both, or named with the reasons") {
    std::map<std::string, Names> by_need;
    Names needs;
    for (const auto& [need, answer] : knowledge().filesystem("xfs")->capabilities) needs.push_back(need);
    for (const auto& need : needs) {
        auto request = request_of();
        request.requirements.needs = {need};
        by_need[need] = filesystems(must(request));
    }
    std::size_t impossible = 0;
    for (std::size_t a = 0; a < needs.size(); ++a) {
        for (std::size_t b = a + 1; b < needs.size(); ++b) {
            CAPTURE(needs[a]);
            CAPTURE(needs[b]);
            Names both;
            std::set_intersection(by_need[needs[a]].begin(), by_need[needs[a]].end(), by_need[needs[b]].begin(),
                                  by_need[needs[b]].end(), std::back_inserter(both));
            auto request = request_of();
            request.requirements.needs = {needs[a], needs[b]};
            if (!both.empty()) {
                CHECK(filesystems(must(request)) == both);
                continue;
            }
            ++impossible;
            const auto advice = advise(knowledge(), network(), request);
            REQUIRE_FALSE(advice);
            CHECK(advice.error().code == ErrorCode::kUsage);
            const auto& text = advice.error().message;
            CHECK(says(text, "'" + std::min(needs[a], needs[b]) + "' and '" + std::max(needs[a], needs[b]) +
                                 "' exclude each other"));
            for (const auto& filesystem : knowledge().filesystems()) CHECK(says(text, filesystem.id + ": "));
            CHECK(says(advice.error().hint, "without '" + needs[a] + "'"));
            CHECK(says(advice.error().hint, "without '" + needs[b] + "'"));
        }
    }
    CHECK(impossible > 10);
}

TEST_CASE("three requirements of which no two collide are all named") {
    auto request = request_of();
    request.requirements.needs = {"shrink", "reflink"};
    request.requirements.filesystems = {"ext4", "xfs"};
    const auto text = refusal(request);
    CHECK(says(text, "'reflink', 'shrink' and 'filesystem ext4 or xfs' exclude each other"));
}

TEST_CASE("the oldest kernel switches off what newer tools switch on by themselves") {
    auto request = request_of();
    request.requirements.filesystems = {"xfs"};
    CHECK_FALSE(says(mkfs_text(of(must(request), "xfs")), "nrext64=0"));
    request.requirements.readers = {{"kernel", "5.4"}};
    const auto advice = must(request);
    const auto text = mkfs_text(of(advice, "xfs"));
    CHECK(says(text, "nrext64=0"));
    CHECK(says(text, "bigtime=0"));
    CHECK(says(text, "inobtcount=0"));
    CHECK_FALSE(says(text, "reflink=0"));
    CHECK_FALSE(says(text, "rmapbt=0"));

    // A tool that does not know the word does not switch the feature on either.
    request.host.tools["xfsprogs"] = "5.10.0";
    CHECK_FALSE(says(mkfs_text(of(must(request), "xfs")), "nrext64"));
}

TEST_CASE("ext4 for a kernel before orphan_file") {
    auto request = request_of();
    request.host.distribution = "debian";
    request.host.distribution_version = "13";
    request.requirements.filesystems = {"ext4"};
    request.requirements.readers = {{"kernel", "5.10"}};
    const auto text = mkfs_text(of(must(request), "ext4"));
    CHECK(says(text, "^orphan_file"));
    CHECK_FALSE(says(text, "^metadata_csum_seed"));
    request.requirements.readers = {{"kernel", "6.1"}};
    CHECK_FALSE(says(mkfs_text(of(must(request), "ext4")), "^orphan_file"));
}

TEST_CASE("the boot loader switches off what it does not read, and excludes what it cannot read at all") {
    auto request = request_of();
    request.host.distribution = "debian";
    request.host.distribution_version = "13";
    request.requirements.readers = {{"grub", "2.06"}};
    const auto advice = must(request);
    CHECK(says(mkfs_text(of(advice, "ext4")), "^metadata_csum_seed"));
    CHECK(says(mkfs_text(of(advice, "xfs")), "bigtime=0"));
    request.requirements.readers = {{"u-boot", "2024.01"}};
    CHECK(filesystems(must(request)) == Names{"btrfs", "ext4"});
    request.requirements.readers = {{"systemd-boot", "255"}};
    CHECK(says(refusal(request), "readable by systemd-boot 255"));
}

TEST_CASE("a requirement that the oldest reader cannot read names both") {
    auto request = request_of();
    request.requirements.needs = {"case-folding"};
    request.requirements.readers = {{"kernel", "5.0"}};
    const auto text = refusal(request);
    CHECK(says(text, "'case-folding'"));
    CHECK(says(text, "'readable by kernel 5.0'"));
    CHECK(says(text, "5.2"));
    request.requirements.needs = {"reflink", "dax"};
    request.requirements.readers = {{"kernel", "5.15"}};
    CHECK(says(refusal(request), "kernel 6.0 or newer"));
}

TEST_CASE("the target's own kernel may be the one that is too old") {
    auto request = request_of();
    request.host.kernel = "5.0";
    request.requirements.needs = {"case-folding"};
    const auto advice = advise(knowledge(), network(), request);
    REQUIRE_FALSE(advice);
    CHECK(advice.error().code == ErrorCode::kUsage);
    CHECK(says(advice.error().message, "case-folding"));
}

TEST_CASE("the oldest repair tool") {
    auto request = request_of();
    request.requirements.filesystems = {"xfs"};
    request.requirements.readers = {{"xfsprogs", "5.4"}};
    const auto text = mkfs_text(of(must(request), "xfs"));
    CHECK(says(text, "bigtime=0"));
    CHECK(says(text, "nrext64=0"));
}

TEST_CASE("largest file and volume") {
    auto request = request_of();
    request.requirements.largest_file_bytes = std::uint64_t{20} << 40U;
    CHECK(filesystems(must(request)) == Names{"btrfs", "xfs"});
    request.requirements.largest_file_bytes.reset();
    request.requirements.largest_volume_bytes = std::uint64_t{100} << 40U;
    CHECK(filesystems(must(request)) == Names{"btrfs", "ext4", "xfs"});
    request.requirements.largest_file_bytes = std::uint64_t{20} << 40U;
    request.requirements.needs = {"case-folding"};
    const auto text = refusal(request);
    CHECK(says(text, "'case-folding' and 'files of 20"));
}

TEST_CASE("vendor support follows the vendor's list") {
    auto request = request_of();
    request.requirements.needs = {"vendor-support"};
    const std::map<std::string, std::pair<std::string, std::string>> vendors = {
        {"rhel", {"9", "xfs"}}, {"sles", {"15", "btrfs"}}, {"ubuntu", {"24.04", "ext4"}}};
    for (const auto& [vendor, facts] : vendors) {
        CAPTURE(vendor);
        request.host.distribution = vendor;
        request.host.distribution_version = facts.first;
        request.host.kernel.clear();
        request.host.tools.clear();
        const auto names = filesystems(must(request));
        CHECK(std::find(names.begin(), names.end(), facts.second) != names.end());
        const bool btrfs = std::find(names.begin(), names.end(), "btrfs") != names.end();
        CHECK(btrfs == (vendor != "rhel"));
    }
    request.host.distribution = "rhel";
    request.host.distribution_version = "9";
    request.requirements.needs = {"vendor-support", "snapshots"};
    CHECK(says(refusal(request), "'snapshots' and 'vendor-support' exclude each other"));
}

TEST_CASE("Btrfs RAID 5 and 6 are never advised, and lower durability only when asked for") {
    for (const auto& workload : knowledge().workloads()) {
        CAPTURE(workload.id);
        for (const char* level : {"", "raid5", "raid6"}) {
            auto request = request_of(workload.id);
            request.requirements.filesystems = {"btrfs"};
            request.host.device->raid_level = level;
            const auto text = mkfs_text(of(must(request), "btrfs"));
            CHECK_FALSE(says(text, "raid5"));
            CHECK_FALSE(says(text, "raid6"));
        }
        for (const auto& item : must(request_of(workload.id)).ranked) {
            for (const auto& [id, value] : item.configuration.values) {
                const auto& classes = knowledge().parameter(id)->durability;
                CHECK_FALSE(classes.contains(to_text(value)));
            }
        }
    }
}

TEST_CASE("block layer settings are shown as lines and are no part of the configuration") {
    auto request = request_of("postgres");
    request.host.memory_bytes = std::uint64_t{64} << 30U;
    request.host.device->media = "hdd";
    request.host.device->path = "/dev/sdq";
    const auto advice = must(request);
    const auto& best = advice.ranked.front();
    std::string lines;
    for (const auto& setting : best.settings) lines += setting.line + "\n";
    CHECK(says(lines, "KERNEL==\"sdq\", ATTR{queue/scheduler}=\"mq-deadline\""));
    CHECK(says(lines, "vm.dirty_background_bytes = 268435456"));
    for (const auto& [id, value] : best.configuration.values) CHECK_FALSE(id.starts_with("block."));
    for (const auto& choice : best.choices) CHECK_FALSE(choice.parameter.starts_with("block."));
}
