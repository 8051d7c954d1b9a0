// What a capture makes of what it saw.
#include <doctest/doctest.h>
#include <fcntl.h>

#include "tuner/capture/watchers.h"

#include "support/temporary_folder.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

bool has(const std::vector<std::string>& list, const std::string& part) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& item) { return item.find(part) != std::string::npos; });
}

const Step* find(const Load& load, const std::string& operation) {
    for (const Step& step : load.streams[0].steps) {
        if (step.operation == operation) return &step;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("counters of a device: old kernels lack the last columns") {
    const std::string text =
        "   8       0 sda 10 1 80 5 20 2 160 6 0 7 11 3 0 24 1 9 4\n   8       1 sda1 1 0 8 1 1 0 8 1 0 1 "
        "2\n 8 2 sda2 1 x 8 1 1 0 8 1 0 1 2\n";
    const auto disk = parse_diskstats(text, "sda");
    REQUIRE(disk.has_value());
    CHECK(disk->reads == 10);
    CHECK(disk->write_sectors == 160);
    CHECK(disk->busy_ms == 7);
    CHECK(disk->weighted_ms == 11);
    CHECK(disk->discard_sectors == 24);
    CHECK(disk->flushes == 9);
    CHECK(disk->flush_ms == 4);
    const auto old = parse_diskstats(text, "sda1");
    REQUIRE(old.has_value());
    CHECK_FALSE(old->flushes.has_value());
    CHECK_FALSE(parse_diskstats(text, "sda2").has_value());
    CHECK_FALSE(parse_diskstats(text, "sdb").has_value());
    CHECK(difference(*disk, *old).reads == 9);
    CHECK(difference(*old, *disk).reads == 0);
    CHECK_FALSE(difference(*disk, *old).flushes.has_value());
}

TEST_CASE("descriptors and counters of processes below a path") {
    FakeFileReader files;
    const auto process = [&](const std::string& calls, const std::string& position) {
        files.files["/p/7/io"] = "rchar: 0\nwchar: " + calls + "000\nsyscr: 0\nsyscw: " + calls +
                                 "\nread_bytes: 0\nwrite_bytes: 4096\n";
        files.files["/p/7/comm"] = "db\n";
        files.links["/p/7/fd/3"] = "/data/t/a";
        files.files["/p/7/fdinfo/3"] = "pos:\t" + position + "\nflags:\t0140002\nmnt_id:\t1\n";
        files.links["/p/7/fd/4"] = "/database/other";
        files.files["/p/7/fdinfo/4"] = "pos:\t0\nflags:\t02\n";
    };
    process("100", "0");
    CaptureFacts facts;
    ProcessScan scan(files, "/data/", "/p");
    scan.look(facts);
    process("160", "8192");
    scan.look(facts);
    CHECK(facts.open.paths == std::set<std::string>{"/data/t/a"});
    CHECK(facts.open.writable == 1);
    CHECK(facts.open.moved_bytes == 8192);
    REQUIRE(facts.processes.contains(7));
    CHECK(facts.processes.at(7).name == "db");
    CHECK(facts.processes.at(7).write_calls == 60);
    CHECK(facts.processes.at(7).written_chars == 60'000);
    CHECK(parse_fdinfo("pos:\t5\nflags:\t0140002\n").flags == 0140002);
}

TEST_CASE("a walk counts files on its filesystem and stops at its limits") {
    const test::TemporaryFolder folder("walk");
    for (int d = 0; d < 4; ++d) {
        std::filesystem::create_directories(folder.path("d" + std::to_string(d)));
        for (int i = 0; i < 5; ++i)
            (void)folder.write("d" + std::to_string(d) + "/f" + std::to_string(i), std::string(100, 'x'));
    }
    std::filesystem::create_symlink("d0", folder.path("link"));
    const auto all = walk(folder.path(""), std::chrono::seconds(10));
    CHECK(all.files == 20);
    CHECK(all.directories == 5);
    CHECK(all.bytes == 2000);
    CHECK(all.complete);
    const auto some = walk(folder.path(""), std::chrono::seconds(10), 10);
    CHECK_FALSE(some.complete);
    CHECK(some.files < 20);
}

TEST_CASE("a direct synced writer is told from the device, a buffered one from its calls") {
    CaptureFacts facts;
    facts.path = "/data";
    facts.device = "sda";
    facts.filesystem = "ext4";
    facts.seconds = 10;
    facts.disk = DiskCounters{};
    facts.disk->writes = 1000;
    facts.disk->write_sectors = 16000;
    facts.disk->flushes = 500;
    facts.disk->flush_ms = 100;
    facts.disk->busy_ms = 5000;
    facts.disk->weighted_ms = 10000;
    facts.open.paths = {"/data/a"};
    facts.open.bytes = 64u << 20;
    facts.open.readable = facts.open.writable = facts.open.direct = 1;
    ProcessUse use;
    use.name = "db";
    use.write_calls = 10;
    use.written_chars = 10;
    facts.processes[7] = use;
    const auto direct = document_of(facts, "");
    REQUIRE(direct.has_value());
    CHECK(direct->id == "data");
    CHECK(direct->mount_point == "/data");
    CHECK(direct->load.streams[0].direct);
    CHECK(direct->load.streams[0].depth == 2);
    REQUIRE(find(direct->load, "write") != nullptr);
    CHECK(find(direct->load, "write")->block_bytes == 8192);
    CHECK_FALSE(find(direct->load, "write")->sequential);
    CHECK(find(direct->load, "write")->repeat == 2);
    CHECK(find(direct->load, "fdatasync") != nullptr);
    CHECK(has(direct->notes, "not seen: positions"));
    CHECK(has(direct->notes, "no notifications"));

    facts.open.direct = 0;
    facts.open.append = 1;
    facts.processes[7].write_calls = 4000;
    facts.processes[7].written_chars = 4000 * 512;
    facts.disk->flushes.reset();
    const auto buffered = document_of(facts, "mine");
    REQUIRE(buffered.has_value());
    CHECK(buffered->id == "mine");
    CHECK_FALSE(buffered->load.streams[0].direct);
    REQUIRE(find(buffered->load, "append") != nullptr);
    CHECK(find(buffered->load, "append")->block_bytes == 512);
    CHECK(find(buffered->load, "fdatasync") == nullptr);
    CHECK(buffered->load.flush_in_window);
    CHECK(has(buffered->notes, "not seen: flushes"));

    CaptureFacts nothing;
    nothing.device = "sda";
    nothing.disk = DiskCounters{};
    const auto empty = document_of(nothing, "");
    REQUIRE_FALSE(empty.has_value());
    CHECK(empty.error().code == ErrorCode::kUnavailable);
}

TEST_CASE("files made and removed are carried in proportion to the transfers") {
    CaptureFacts facts;
    facts.path = "/data";
    facts.seconds = 10;
    facts.open.paths = {"/data/a"};
    facts.open.bytes = 1u << 20;
    facts.open.writable = 1;
    ProcessUse use;
    use.write_calls = 1000;
    use.written_chars = 4096 * 1000;
    facts.processes[7] = use;
    facts.events = FileEvents{};
    facts.events->names = true;
    facts.events->creates = 250;
    facts.events->renames = 125;
    facts.tree = TreeFacts{2, 1, 8192, {4096, 4096}, true};
    const auto document = document_of(facts, "");
    REQUIRE(document.has_value());
    REQUIRE(find(document->load, "create") != nullptr);
    CHECK(find(document->load, "create")->probability == doctest::Approx(0.25));
    CHECK(find(document->load, "create")->file_set == "tree");
    CHECK(find(document->load, "rename")->probability == doctest::Approx(0.125));
    CHECK(find(document->load, "unlink") != nullptr);
    CHECK(document->mean_file_bytes == 4096);
}
