// What streams do: places, blocks, forcing, pace, namespace operations.
#include <fstream>

#include "unit/tuner_engine_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using namespace fsadvise::testing;

namespace {

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("stream: block sizes, read share and working set") {
    if (no_ring_here()) return;
    const RamFolder folder;
    const Load load = load_of(R"({"file_sets": [{"name": "data", "size": "8Mi"}], "streams": [
      {"name": "s", "file_set": "data", "working_set": 0.25, "steps": [{"operation": "read-write", "read_share": 0.8,
        "blocks": [{"block": "4Ki", "share": 0.5}, {"block": "12Ki", "share": 0.5}]}]}]})");
    must_lay_out(load, folder.path);
    const std::string before = content(folder.path + "/data/f00000000");
    const SideResult result = must_run(load, folder.path, 0.2);
    REQUIRE(result.operations > 1000);
    const auto read = static_cast<double>(result.read_bytes),
               written = static_cast<double>(result.written_bytes);
    CHECK((read + written) / static_cast<double>(result.operations) == doctest::Approx(8192).epsilon(0.05));
    CHECK(read / (read + written) == doctest::Approx(0.8).epsilon(0.05));
    const std::string after = content(folder.path + "/data/f00000000");
    CHECK(after.size() == before.size());
    CHECK(after.substr(2 << 20) == before.substr(2 << 20));
    CHECK(after.substr(0, 2 << 20) != before.substr(0, 2 << 20));
}

TEST_CASE("stream: the sync policy forces after every N writes, or with each") {
    if (no_ring_here()) return;
    const RamFolder folder;
    const std::string head =
        R"({"file_sets": [{"name": "data", "size": "1Mi"}, {"name": "many", "files": 1100,
      "size": "4Ki"}], "streams": [{"name": "s", "depth": 2, "file_set": ")";
    const std::string tail = R"(, "steps": [{"operation": "write"}]}]})";
    for (const std::string set : {"data", "many"}) {
        CAPTURE(set);
        const Load every = load_of(head + set + R"(", "sync": {"mode": "fdatasync", "every": 5})" + tail);
        must_lay_out(every, folder.path);
        const SideResult result = must_run(every, folder.path, 0.2);
        REQUIRE(result.operations > 100);
        CHECK(static_cast<double>(result.sync_latency.count()) ==
              doctest::Approx(static_cast<double>(result.operations) / 5).epsilon(0.1));
        for (const std::string mode : {"o-dsync", "o-sync"}) {
            const SideResult forced = must_run(
                load_of(head + set + R"(", "sync": {"mode": ")" + mode + "\"}" + tail), folder.path, 0.1);
            CHECK(forced.operations > 10);
            CHECK(forced.sync_latency.count() == 0);
        }
    }
}

TEST_CASE("stream: a rate limit in operations and in bytes") {
    if (no_ring_here()) return;
    const RamFolder folder;
    const auto run = [&](const std::string& rate) {
        const Load load =
            load_of(R"({"file_sets": [{"name": "data", "size": "1Mi"}], "streams": [{"name": "s",
          "threads": 2, "depth": 3, "file_set": "data", "rate": )" +
                    rate + R"(, "steps": [{"operation": "write", "block": "8Ki"}]}]})");
        must_lay_out(load, folder.path);
        return must_run(load, folder.path, 0.6);
    };
    CHECK(keeps_rate(run(R"({"operations": 500})").rate(), 500));
    CHECK(keeps_rate(run(R"({"operations": 500, "open_loop": true})").rate(), 500));
    CHECK(keeps_rate(run(R"({"operations": 1000, "arrivals": "exponential"})").rate(), 1000));
    CHECK(keeps_rate(run(R"({"bytes": "4Mi"})").rate(), 512));
}

TEST_CASE("stream: an open loop counts the time that a loop had to wait for its turn") {
    if (no_ring_here()) return;
    const RamFolder folder;
    // Each loop waits for a tick of 50 a second; 200 a second are to begin.
    const auto p50_seconds = [&](bool open) {
        const Load load = load_of(std::string(R"({"file_sets": [{"name": "data", "size": "1Mi"}], "streams": [
          {"name": "s", "file_set": "data", "rate": {"operations": 200, "open_loop": )") +
                                  (open ? "true" : "false") + R"(}, "steps": [{"operation": "read"},
            {"operation": "wait", "signal": "tick"}]},
          {"name": "t", "file_set": "data", "counts": false, "rate": {"operations": 50}, "steps": [
            {"operation": "read"}, {"operation": "signal", "signal": "tick"}]}]})");
        must_lay_out(load, folder.path);
        const SideResult result = must_run(load, folder.path, 1.0);
        CHECK(keeps_rate(result.rate(), 50));
        return static_cast<double>(result.latency.percentile(0.5)) * 1e-9;
    };
    CHECK(p50_seconds(false) < 0.1);
    // Half way through the run a loop ends that should have begun three quarters of half a second earlier.
    CHECK(p50_seconds(true) > 0.2);
}

TEST_CASE("stream: think times are constant or exponential around their mean") {
    if (no_ring_here()) return;
    const RamFolder folder;
    for (const std::string distribution : {"constant", "exponential"}) {
        CAPTURE(distribution);
        const Load load =
            load_of(R"({"file_sets": [{"name": "data", "size": "1Mi"}], "streams": [{"name": "s",
          "depth": 8, "file_set": "data", "steps": [{"operation": "read"}, {"operation": "think",
          "think_ns": 5000000, "distribution": ")" +
                    distribution + "\"}]}]}");
        must_lay_out(load, folder.path);
        CHECK(keeps_rate(must_run(load, folder.path, 0.8).rate(), 1600));
    }
}

TEST_CASE("stream: links, directories, space operations and trees; all names are removed again") {
    if (no_ring_here()) return;
    const RamFolder folder;
    for (const int depth : {1, 4}) {
        CAPTURE(depth);
        const Load load = load_of(R"({"file_sets": [
          {"name": "tree", "files": 200, "size_min": "1Ki", "size_max": "16Ki", "fan_out": 3, "tree_depth": 2},
          {"name": "big", "files": 2, "size": "1Mi"}, {"name": "many", "files": 1200, "size": "8Ki"}],
          "streams": [{"name": "s", "file_set": "tree", "depth": )" +
                                  std::to_string(depth) + R"(, "steps": [
            {"operation": "create"}, {"operation": "link"}, {"operation": "symlink"}, {"operation": "readlink"},
            {"operation": "mkdir"}, {"operation": "rmdir"}, {"operation": "rename"}, {"operation": "stat"},
            {"operation": "list"}, {"operation": "unlink", "repeat": 2},
            {"operation": "truncate", "file_set": "big"}, {"operation": "fallocate", "file_set": "big"},
            {"operation": "punch-hole", "file_set": "big"}, {"operation": "punch-hole", "file_set": "many"},
            {"operation": "read-write", "file_set": "many"}]}]})");
        must_lay_out(load, folder.path);
        const auto before = names_below(folder.path);
        CHECK(before.contains("tree/n0002/d00008/f00000199"));
        const SideResult result = must_run(load, folder.path, 0.3);
        CHECK(result.operations > 20);
        CHECK(names_below(folder.path) == before);
    }
}

TEST_CASE("stream: names that are kept are bounded by the set") {
    if (no_ring_here()) return;
    const RamFolder folder;
    const Load load =
        load_of(R"({"file_sets": [{"name": "journal", "files": 8, "size": "4Ki", "fill": false, "keep": 0}],
      "streams": [{"name": "s", "file_set": "journal", "steps": [{"operation": "create"}, {"operation": "symlink"},
        {"operation": "mkdir"}, {"operation": "unlink"}]}]})");
    must_lay_out(load, folder.path);
    EngineOptions options = short_run(5);
    int polls = 0;
    options.stop = [&polls] { return ++polls > 6; };  // a stopped run leaves its files
    const auto result = run_single(load, folder.path, options);
    REQUIRE(result.has_value());
    CHECK(result->operations > 100);
    std::map<char, int> letters;
    for (const auto& [name, size] : names_below(folder.path + "/journal")) ++letters[name[0]];
    CHECK(letters['c'] == 0);
    CHECK(letters['s'] == 1);  // the symlink and the directory make room for the next one
    CHECK(letters['k'] == 1);
}
