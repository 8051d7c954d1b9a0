// Streams that depend on each other: group commit, signals, phases, objectives; and how a run ends that
// fails.
#include <sys/mount.h>
#include <unistd.h>

#include "unit/tuner_engine_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using namespace fsadvise::testing;

namespace {

// A tmpfs of few megabytes; empty path if this machine cannot.
struct TinyFilesystem {
    RamFolder folder;
    std::string path;
    explicit TinyFilesystem(const char* options) {
        if (::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, options) == 0) path = folder.path;
    }
    ~TinyFilesystem() {
        if (!path.empty()) ::umount2(path.c_str(), MNT_DETACH);
    }
};

std::string commit_load(int threads, int depth, const std::string& more = "") {
    return R"({"file_sets": [{"name": "data", "size": "4Mi"}, {"name": "wal", "files": 3, "size": "256Ki"}],
      "streams": [{"name": "backend", "file_set": "data", "threads": )" +
           std::to_string(threads) + R"(, "depth": )" + std::to_string(depth) + R"(, "steps": [
        {"operation": "read"}, {"operation": "commit", "file_set": "wal", "block": "8Ki", "record": 1000}]})" +
           more + "]}";
}

}  // namespace

TEST_CASE("group commit: one flush serves all that wait, within a thread and across threads") {
    if (no_ring_here()) return;
    const RamFolder folder;
    for (const auto& [threads, depth] : {std::pair(1, 8), std::pair(2, 4), std::pair(2, 1)}) {
        CAPTURE(threads);
        const Load load = load_of(commit_load(threads, depth));
        must_lay_out(load, folder.path);
        const SideResult result = must_run(load, folder.path, 0.3);
        REQUIRE(result.operations > 100);
        CHECK(result.latency.count() == result.operations);
        // Every record was written, in whole pages, at least once.
        CHECK(result.written_bytes >= result.operations * 1000);
        CHECK(result.written_bytes % 8192 == 0);
        // A flush that goes on in the next file of the ring forces both.
        CHECK(static_cast<double>(result.sync_latency.count()) <=
              static_cast<double>(result.operations) * 1.1 + 8);
        if (depth > 1) CHECK(result.sync_latency.count() * 2 < result.operations);
        CHECK(names_below(folder.path).at("wal/f00000002") == 256 * 1024);
    }
}

TEST_CASE("group commit: an actor alone forces each of its commits") {
    if (no_ring_here()) return;
    const RamFolder folder;
    const Load load = load_of(commit_load(1, 1));
    must_lay_out(load, folder.path);
    const SideResult result = must_run(load, folder.path, 0.1);
    REQUIRE(result.operations > 10);
    CHECK(result.sync_latency.count() >= result.operations);
    CHECK(static_cast<double>(result.sync_latency.count()) <
          static_cast<double>(result.operations) * 1.1 + 2);
}

TEST_CASE("group commit: works in a duet, with another stream that commits to the same log") {
    if (no_ring_here()) return;
    const RamFolder a, b;
    const Load load =
        load_of(commit_load(2, 3, R"(, {"name": "walwriter", "file_set": "wal", "counts": false, "steps": [
      {"operation": "commit", "block": "8Ki"}, {"operation": "think", "think_ns": 2000000}]})"));
    for (const RamFolder* side : {&a, &b}) must_lay_out(load, side->path);
    const auto result = run_duet(load, a.path, b.path, short_run(1.0));
    REQUIRE_MESSAGE(result.has_value(), (result ? std::string() : to_text(result.error())));
    CHECK(result->log_ratios.size() >= 3);
    CHECK(result->candidate.operations > 100);
    CHECK(result->anchor.operations > 100);
    CHECK(std::abs(result->log_ratio) < 0.7);
}

TEST_CASE("signals: one wait for each signal, across windows of a duet too") {
    if (no_ring_here()) return;
    const RamFolder a, b;
    const Load load =
        load_of(R"({"window_seconds": 0.01, "file_sets": [{"name": "data", "size": "1Mi"}], "streams": [
      {"name": "consumer", "file_set": "data", "depth": 3, "steps": [{"operation": "wait", "signal": "work"},
        {"operation": "read"}]},
      {"name": "producer", "file_set": "data", "counts": false, "rate": {"operations": 400}, "steps": [
        {"operation": "write"}, {"operation": "signal", "signal": "work"}]}]})");
    must_lay_out(load, a.path);
    const SideResult single = must_run(load, a.path, 0.5);
    CHECK(keeps_rate(single.rate(), 400));
    // As many as were produced, but for those in hand.
    CHECK(std::abs(static_cast<double>(single.read_bytes) - static_cast<double>(single.written_bytes)) <=
          4 * 4096);
    must_lay_out(load, b.path);
    EngineOptions options = short_run(1.0);
    options.window_seconds = 0.05;
    const auto duet = run_duet(load, a.path, b.path, options);
    REQUIRE_MESSAGE(duet.has_value(), (duet ? std::string() : to_text(duet.error())));
    CHECK(keeps_rate(duet->anchor.rate(), 400));
    CHECK(keeps_rate(duet->candidate.rate(), 400));
}

TEST_CASE("phases: run in order, are measured separately, and one counts") {
    if (no_ring_here()) return;
    const RamFolder a, b;
    const Load load =
        load_of(R"({"counting_phase": "read", "file_sets": [{"name": "data", "size": "1Mi"}], "streams": [
      {"name": "writer", "file_set": "data", "steps": [{"operation": "write"}]},
      {"name": "reader", "file_set": "data", "steps": [{"operation": "read"}]},
      {"name": "syncer", "file_set": "data", "counts": false, "steps": [{"operation": "fsync"}]}],
      "phases": [{"name": "fill", "operations": 500, "streams": ["writer"]}, {"name": "read", "streams": ["reader"]},
                 {"name": "settle", "seconds": 0.1, "streams": ["syncer"]}]})");
    for (const RamFolder* side : {&a, &b}) must_lay_out(load, side->path);
    const SideResult single = must_run(load, a.path, 0.3);
    REQUIRE(single.phases.size() == 3);
    CHECK(single.phases[0].name == "fill");
    CHECK(single.phases[0].operations >= 500);
    CHECK(single.phases[0].written_bytes == single.phases[0].operations * 4096);
    CHECK(single.phases[0].read_bytes == 0);
    CHECK(single.phases[1].written_bytes == 0);
    CHECK(single.phases[1].operations == single.operations);
    CHECK(single.read_bytes == single.operations * 4096);
    CHECK(single.written_bytes == 0);
    CHECK(single.seconds >= 0.28);
    // Where no stream counts, all do.
    CHECK(single.phases[2].operations > 0);
    CHECK(single.phases[2].seconds >= 0.09);

    const auto duet = run_duet(load, a.path, b.path, short_run(0.8));
    REQUIRE_MESSAGE(duet.has_value(), (duet ? std::string() : to_text(duet.error())));
    for (const SideResult* side : {&duet->candidate, &duet->anchor}) {
        REQUIRE(side->phases.size() == 3);
        CHECK(side->phases[0].operations >= 500);
        CHECK(side->phases[0].written_bytes > 0);
        CHECK(side->written_bytes == 0);
        CHECK(side->read_bytes > 0);
    }
    CHECK(duet->log_ratios.size() >= 2);
}

TEST_CASE("objective: latency and bytes are compared so that above zero is better") {
    if (no_ring_here()) return;
    const RamFolder a, b;
    const auto run = [&](const std::string& objective) {
        // Reading is the same work on both sides: the ratios lie around zero and are there in time.
        const Load load =
            load_of(R"({"objective": ")" + objective + R"(", "file_sets": [{"name": "data", "size": "1Mi"}],
          "streams": [{"name": "reader", "file_set": "data", "steps": [{"operation": "read"}]}]})");
        for (const RamFolder* side : {&a, &b}) must_lay_out(load, side->path);
        const auto result = run_duet(load, a.path, b.path, short_run(0.6));
        REQUIRE_MESSAGE(result.has_value(), (result ? std::string() : to_text(result.error())));
        CHECK(result->log_ratios.size() >= 2);
        CHECK(std::abs(result->log_ratio) < 4.0);
    };
    for (const char* objective : {"operations", "bytes", "mean-latency", "p50-latency", "p99-latency"}) {
        CAPTURE(objective);
        run(objective);
    }
}

TEST_CASE(
    "failure: a full filesystem stops all actors, names the file, and leaves nothing of the run behind") {
    if (no_ring_here()) return;
    const TinyFilesystem tiny("size=8m");
    if (tiny.path.empty()) {
        MESSAGE("SKIPPED: mounting a tmpfs needs root");
        return;
    }
    // Creators fill it while others wait for a commit, for a signal and for their time.
    const Load load = load_of(R"({"file_sets": [{"name": "wal", "files": 1, "size": "64Ki"},
      {"name": "spool", "files": 1000, "size": "256Ki", "fill": false}], "streams": [
      {"name": "creator", "file_set": "spool", "depth": 4, "steps": [{"operation": "create"}, {"operation": "mkdir"},
        {"operation": "symlink"}]},
      {"name": "committer", "file_set": "wal", "threads": 2, "depth": 4, "steps": [{"operation": "commit"}]},
      {"name": "waiter", "file_set": "wal", "steps": [{"operation": "read"}, {"operation": "wait", "signal": "never"}]},
      {"name": "slow", "file_set": "wal", "rate": {"operations": 0.01}, "steps": [{"operation": "read"},
        {"operation": "signal", "signal": "never"}]}]})");
    must_lay_out(load, tiny.path);
    const auto before = names_below(tiny.path);
    const auto result = run_single(load, tiny.path, short_run(20));
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kRunFailed);
    CHECK(result.error().message == "create failed: No space left on device");
    CHECK(result.error().context.find(tiny.path + "/spool/c") == 0);
    CHECK_FALSE(result.error().hint.empty());
    CHECK(names_below(tiny.path) == before);
}

TEST_CASE("failure: a full log ends the run although others wait for its flush") {
    if (no_ring_here()) return;
    const TinyFilesystem tiny("size=1m");
    if (tiny.path.empty()) {
        MESSAGE("SKIPPED: mounting a tmpfs needs root");
        return;
    }
    const Load load =
        load_of(R"({"file_sets": [{"name": "wal", "files": 4, "size": "4Mi", "fill": false}], "streams": [
      {"name": "committer", "file_set": "wal", "threads": 2, "depth": 4, "steps": [
        {"operation": "commit", "block": "64Ki"}]}]})");
    must_lay_out(load, tiny.path);
    const auto result = run_single(load, tiny.path, short_run(20));
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().message == "commit failed: No space left on device");
    CHECK(result.error().context.find(tiny.path + "/wal/f0000000") == 0);
}
