// The language of loads: keys, contradictions, distributions, names. What the engine makes of it is tested in
// tuner_stream_test.cpp and tuner_coordination_test.cpp.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tuner/engine/payload.h"
#include "tuner/engine/plan.h"
#include "tuner/workload/phases.h"
#include "tuner/workload/workload.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

const char* const kFull = R"({
  "objective": "p99-latency", "counting_phase": "run",
  "file_sets": [
    {"name": "data", "files": 8, "size": "1Mi", "duplicates": 0.5},
    {"name": "wal", "files": 2, "size": "1Mi"},
    {"name": "tree", "files": 1000, "sizes": [{"size": "4Ki", "share": 0.75}, {"size": "64Ki", "share": 0.25}],
     "fan_out": 4, "tree_depth": 3, "keep": 2},
    {"name": "home", "files": 2000, "size_median": "4Ki", "size_sigma": 1.5}],
  "streams": [
    {"name": "mixed", "file_set": "data", "working_set": 0.5, "hot_spot": {"accesses": 0.9, "blocks": 0.1},
     "sync": {"mode": "fdatasync", "every": 4}, "rate": {"operations": 100, "open_loop": true, "arrivals": "exponential"},
     "steps": [{"operation": "read-write", "read_share": 0.7,
                "blocks": [{"block": "4Ki", "share": 0.5}, {"block": "16Ki", "share": 0.5}]},
               {"operation": "commit", "file_set": "wal", "block": "8Ki", "record": 600, "sync": "fsync"},
               {"operation": "wait", "signal": "go"},
               {"operation": "think", "think_ns": 1000, "distribution": "exponential"}]},
    {"name": "ticker", "file_set": "tree", "counts": false, "rate": {"bytes": "1Mi"},
     "steps": [{"operation": "create"}, {"operation": "unlink"}, {"operation": "signal", "signal": "go"}]}],
  "phases": [{"name": "run", "streams": ["mixed", "ticker"]},
             {"name": "after", "seconds": 0.5, "operations": 10, "streams": ["ticker"]}]})";

Load full() {
    const auto load = load_from_json(kFull, "test");
    REQUIRE_MESSAGE(load.has_value(), (load ? "" : to_text(load.error())));
    return *load;
}

// Where and why the document is refused after one change.
std::string refusal(const std::string& pointer, const nlohmann::json& value) {
    auto document = nlohmann::json::parse(kFull);
    document[nlohmann::json::json_pointer(pointer)] = value;
    const auto load = load_from_json(document.dump(), "test");
    if (load) return "accepted";
    CHECK(load.error().code == ErrorCode::kBadInput);
    return to_text(load.error());
}

}  // namespace

TEST_CASE("language: every key is read") {
    const Load load = full();
    CHECK(load.metric == "p99-latency");
    CHECK(load.file_sets[0].duplicates == doctest::Approx(0.5));
    CHECK(load.file_sets[2].size_bytes == 19 * 1024);
    CHECK(load.file_sets[2].fan_out == 4);
    CHECK(load.file_sets[2].tree_depth == 3);
    CHECK(load.file_sets[2].keep == 2);
    CHECK(load.file_sets[3].size_bytes == doctest::Approx(4096 * std::exp(1.125)).epsilon(0.001));
    const Stream& mixed = load.streams[0];
    CHECK(mixed.working_set == doctest::Approx(0.5));
    CHECK(mixed.hot_accesses == doctest::Approx(0.9));
    CHECK(mixed.sync == SyncPolicy::kFdatasync);
    CHECK(mixed.sync_every == 4);
    CHECK(mixed.rate_operations == doctest::Approx(100));
    CHECK(mixed.open_loop);
    CHECK(mixed.exponential_arrivals);
    CHECK(mixed.steps[0].blocks.size() == 2);
    CHECK(mixed.steps[0].block_bytes == 16384);
    CHECK(mixed.steps[0].read_share == doctest::Approx(0.7));
    CHECK(mixed.steps[1].record_bytes == 600);
    CHECK_FALSE(mixed.steps[1].data_only);
    CHECK(mixed.steps[3].exponential);
    CHECK(load.streams[1].rate_bytes == doctest::Approx(1 << 20));
    CHECK(counting_phase(load) == 0);
    CHECK(phase_streams(load, 1) == std::vector<bool>{false, true});
}

TEST_CASE("language: contradictions are refused where they are, with the nearest word") {
    const auto refused = [](const std::string& pointer, const nlohmann::json& value, const std::string& why) {
        const std::string said = refusal(pointer, value);
        CAPTURE(said);
        CAPTURE(pointer);
        CHECK(said.find(why) != std::string::npos);
    };
    refused("/objective", "p99-latncy", "'p99-latency'");
    refused("/file_sets/2/sizes/0/share", 0.5, "test#/file_sets/2/sizes: the shares sum to 0.75");
    refused("/file_sets/2/sizes/0/shar", 0.5, "did you mean 'share'");
    refused("/file_sets/2/size", "4Ki", "test#/file_sets/2");
    refused("/file_sets/2/directory_width", 2, "do not hold 1000 files");
    refused("/file_sets/2/tree_depth", 20, "test#/file_sets/2/tree_depth");
    refused("/file_sets/0/duplicates", 2, "test#/file_sets/0/duplicates");
    refused("/file_sets/3/size_sigma", 9, "test#/file_sets/3/size_sigma");
    refused("/streams/0/steps/0/blocks/1/share", 0.1,
            "test#/streams/0/steps/0/blocks: the shares sum to 0.6");
    refused("/streams/0/steps/0/blocks/1/block", "2Mi", "larger than the files");
    refused("/streams/0/steps/0/block", "4Ki", "'block' or 'blocks'");
    refused("/streams/0/steps/0/read_share", 1.5, "test#/streams/0/steps/0/read_share");
    refused("/streams/0/steps/1/read_share", 0.5, "belongs to read-write steps");
    refused("/streams/0/steps/2/signal", "goo", "no stream signals 'goo' (did you mean 'go'?)");
    refused("/streams/1/steps/2/signal", "stop", "no stream");
    refused("/streams/0/skew", 0.8, "contradict each other");
    refused("/streams/0/working_set", 0, "test#/streams/0/working_set");
    refused("/streams/0/hot_spot", nlohmann::json{{"accesses", 0.5}}, "test#/streams/0/hot_spot");
    refused("/streams/0/sync/mode", "fdatasink", "'fdatasync'");
    refused("/streams/0/sync/every", 0, "test#/streams/0/sync/every");
    refused("/streams/0/rate/operations", 0, "test#/streams/0/rate/operations: a rate limit of zero");
    refused("/streams/1/rate/bytes", 0, "test#/streams/1/rate/bytes: a rate limit of zero");
    refused("/streams/1/rate/open_loop", true, "an open loop has a rate in operations");
    refused("/streams/1/rate/operations", 5, "one of them");
    refused("/phases/0/streams/0", "mixd", "unknown stream 'mixd' (did you mean 'mixed'?)");
    refused("/phases/1/streams", nlohmann::json::array(), "no stream runs in this phase");
    refused("/phases/1", nlohmann::json{{"name", "after"}, {"streams", {"ticker"}}}, "has no end");
    refused("/phases/0/streams", nlohmann::json{"ticker"}, "no counting stream runs in phase 'run'");
    refused("/phases/0/streams", nlohmann::json{"mixed"}, "wait for 'go' for ever in phase 'run'");
    refused("/phases/1/name", "run", "two phases are named 'run'");
    refused("/counting_phase", "rum", "unknown phase 'rum' (did you mean 'run'?)");
    refused("/streams/0/steps/1/file_set", "tree", "differ in size");
    refused("/streams/1/steps/1/operation", "rmdir", "no mkdir step");
    refused("/streams/1/steps/1/operation", "readlink", "no symlink step");
}

TEST_CASE("language: two streams that wait for each other first are refused") {
    const auto load = load_from_json(R"({"file_sets": [{"name": "data", "size": "1Mi"}], "streams": [
      {"name": "a", "file_set": "data", "steps": [{"operation": "read"}, {"operation": "wait", "signal": "x"},
        {"operation": "signal", "signal": "y"}]},
      {"name": "b", "file_set": "data", "steps": [{"operation": "read"}, {"operation": "wait", "signal": "y"},
        {"operation": "signal", "signal": "x"}]}]})",
                                     "test");
    REQUIRE_FALSE(load.has_value());
    CHECK(load.error().context == "test#/streams/0/steps/1/signal");
}

TEST_CASE("language: a load may be a base and changes") {
    const std::string base = kFull;
    const auto load = load_from_json(
        R"({"base": )" + base + R"(, "changes": {"/streams/1/depth": 7, "/file_sets/0/files": 3}})", "test");
    REQUIRE_MESSAGE(load.has_value(), (load ? "" : to_text(load.error())));
    CHECK(load->streams[1].depth == 7);
    CHECK(load->file_sets[0].files == 3);
    const auto lost =
        load_from_json(R"({"base": )" + base + R"(, "changes": {"/streams/7/depth": 7}})", "test");
    REQUIRE_FALSE(lost.has_value());
    CHECK(lost.error().message.find("/streams/7/depth") != std::string::npos);
    CHECK_FALSE(load_from_json(R"({"base": )" + base + R"(, "change": {}})", "test").has_value());
    CHECK_FALSE(
        load_from_json(R"({"base": )" + base + R"(, "changes": {"streams": 1}})", "test").has_value());
}

TEST_CASE("language: sizes follow their distribution") {
    const auto plan = make_plan(full(), EngineOptions{});
    REQUIRE(plan.has_value());
    int small = 0, below_median = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint64_t size = plan->sets[2].size_of(i);
        REQUIRE((size == 4096 || size == 65536));
        small += size == 4096 ? 1 : 0;
    }
    CHECK(small == doctest::Approx(750).epsilon(0.08));
    double logs = 0, squares = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const double z = std::log(static_cast<double>(plan->sets[3].size_of(i)) / 4096);
        below_median += z < 0 ? 1 : 0;
        logs += z;
        squares += z * z;
    }
    CHECK(below_median == doctest::Approx(1000).epsilon(0.08));
    CHECK(std::sqrt(squares / 2000 - logs / 2000 * logs / 2000) == doctest::Approx(1.5).epsilon(0.06));
}

TEST_CASE("language: a tree of directories has its fan-out and depth") {
    const auto plan = make_plan(full(), EngineOptions{});
    REQUIRE(plan.has_value());
    const SetPlan& tree = plan->sets[2];
    CHECK(tree.width == 16);  // 1000 files in 4^3 directories
    CHECK(tree.directories == 63);
    PathBuffer path;
    tree.file_path(path, 999);
    CHECK(std::string(path.data()) == "tree/n0003/n0003/d00062/f00000999");
    tree.directory_path(path, 62, 1);
    CHECK(std::string(path.data()) == "tree/n0003");
    std::set<std::string> top;
    for (std::uint32_t i = 0; i < tree.directories; ++i) {
        tree.directory_path(path, i, 1);
        top.insert(path.data());
    }
    CHECK(top.size() == 4);
    CHECK(tree.created.keep == 2);
    CHECK(tree.created.most == 4);
    Load small = full();
    small.file_sets[2].keep = 500;
    EngineOptions options;
    options.scale = 0.1;
    const auto scaled_plan = make_plan(small, options);
    REQUIRE(scaled_plan.has_value());
    CHECK(scaled_plan->sets[2].created.keep == 99);
}

TEST_CASE("language: a hot spot takes its share of the accesses") {
    Random random(1);
    const Picker picker = Picker::hot_spot(1000, 0.9, 0.1);
    std::map<std::uint64_t, int> seen;
    for (int i = 0; i < 100'000; ++i) ++seen[picker(random)];
    std::vector<int> counts;
    for (const auto& [index, count] : seen) {
        REQUIRE(index < 1000);
        counts.push_back(count);
    }
    std::sort(counts.rbegin(), counts.rend());
    CHECK(counts.size() > 990);
    CHECK(std::accumulate(counts.begin(), counts.begin() + 100, 0) == doctest::Approx(90'000).epsilon(0.02));
    // Scattered, not at one end.
    int low_half = 0;
    for (const auto& [index, count] : seen) low_half += index < 500 ? count : 0;
    CHECK(low_half == doctest::Approx(50'000).epsilon(0.1));
}

TEST_CASE("language: the share of blocks that repeat") {
    const Duplicates duplicates(0.5, 0.25, 3);
    constexpr std::size_t kBytes = 4 << 20;
    const Buffer data = aligned_buffer(kBytes);
    fill_payload(data.get(), kBytes, 0.25, 9);
    stamp_payload(data.get(), kBytes, 11, &duplicates);
    std::set<std::string> blocks;
    for (std::size_t at = 0; at < kBytes; at += kPayloadUnit)
        blocks.emplace(reinterpret_cast<const char*>(data.get() + at), kPayloadUnit);
    // 64 different blocks repeat, the other half are all unique.
    CHECK(blocks.size() == doctest::Approx(512 + 64).epsilon(0.06));
    // The next stamp makes the repeated ones unique again, for their half.
    stamp_payload(data.get(), kBytes, 12);
    blocks.clear();
    for (std::size_t at = 0; at < kBytes; at += kPayloadUnit)
        blocks.emplace(reinterpret_cast<const char*>(data.get() + at), kPayloadUnit);
    CHECK(blocks.size() == 1024);
}

TEST_CASE("language: fewer cores carry the same clients") {
    Load load = full();
    load.streams[0].threads = 8;
    load.streams[0].depth = 4;
    EngineOptions options;
    options.cores = 3;
    const auto plan = make_plan(load, options);
    REQUIRE(plan.has_value());
    CHECK(plan->streams[0].threads == 3);
    CHECK(plan->streams[0].depth == 11);
}
