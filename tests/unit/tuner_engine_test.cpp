#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/process.h"
#include "tuner/engine/engine.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
namespace fs = std::filesystem;

namespace {

// A folder in RAM, removed at the end.
struct Folder {
    std::string path;
    Folder() {
        char name[] = "/dev/shm/engine-test.XXXXXX";
        path = ::mkdtemp(name);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

// A small filesystem in a file in RAM; empty path if this machine cannot.
struct Mounted {
    Folder folder;
    std::string path;
    explicit Mounted(const std::string& mkfs, const std::string& size) {
        SystemProcessRunner runner;
        if (::geteuid() != 0 || runner.find(mkfs).empty()) return;
        const std::string image = folder.path + "/image", point = folder.path + "/mount";
        fs::create_directory(point);
        for (const auto& argv : {std::vector<std::string>{"truncate", "-s", size, image},
                                 {mkfs, "-q", image},
                                 {"mount", "-o", "loop", image, point}}) {
            const auto result = runner.run({argv, {}});
            if (!result || !result->ok()) return;
        }
        path = point;
    }
    ~Mounted() {
        if (!path.empty()) ::umount2(path.c_str(), MNT_DETACH);
    }
};

FileSet file_set(std::string name, std::uint64_t files, std::uint64_t size) {
    FileSet set;
    set.name = std::move(name);
    set.files = files;
    set.size_bytes = size;
    return set;
}
Step step(std::string operation, std::uint64_t block = 4096, int repeat = 1) {
    Step result;
    result.operation = std::move(operation);
    result.block_bytes = block;
    result.repeat = repeat;
    return result;
}
Load one_stream(FileSet set, std::vector<Step> steps, int threads = 1, int depth = 1, bool direct = false) {
    Load load;
    Stream stream;
    stream.name = "stream";
    stream.file_set = set.name;
    stream.threads = threads;
    stream.depth = depth;
    stream.direct = direct;
    stream.steps = std::move(steps);
    load.file_sets.push_back(std::move(set));
    load.streams.push_back(std::move(stream));
    load.window_seconds = 0.02;
    return load;
}
EngineOptions quick(double seconds = 0.3) {
    EngineOptions options;
    options.seconds = seconds;
    options.warmup_seconds = 0.05;
    return options;
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
// Relative path -> size of all files below a folder.
std::map<std::string, std::uintmax_t> files_below(const std::string& folder) {
    std::map<std::string, std::uintmax_t> result;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) result[fs::relative(entry.path(), folder)] = entry.file_size();
    }
    return result;
}
#define REQUIRE_OK(result) \
    REQUIRE_MESSAGE((result).has_value(), ((result) ? std::string() : to_text((result).error())))

bool no_ring() {
    const auto probe = probe_engine();
    if (!probe) MESSAGE("SKIPPED: " << to_text(probe.error()));
    return !probe;
}

// Every operation there is, at once.
Load everything(bool direct) {
    Load load = one_stream(
        file_set("big", 2, 1 << 20),
        {step("read"), step("write", 8192), step("append"), step("fdatasync"), step("fsync")}, 2, 3, direct);
    FileSet small = file_set("small", 300, 0);
    small.size_min_bytes = 100;
    small.size_max_bytes = 20'000;
    small.size_bytes = 4000;
    small.directory_width = 50;
    load.file_sets.push_back(small);
    for (const int depth : {1, 4}) {
        Stream files;
        files.name = "files";
        files.file_set = "small";
        files.depth = depth;
        files.steps = {step("create"),      step("fsync"),      step("rename"),
                       step("stat"),        step("open-close"), step("read-file"),
                       step("mkdir-rmdir"), step("list"),       step("unlink")};
        Step pause = step("think");
        pause.think_ns = 100'000;
        files.steps.push_back(pause);
        load.streams.push_back(files);
    }
    return load;
}

}  // namespace

TEST_CASE("layout: counts, sizes, compressible share, no two blocks alike, the same for a seed") {
    const Folder folder;
    FileSet set = file_set("data", 3, 1 << 20);
    set.compressible = 0.75;
    Load load = one_stream(set, {step("read")});
    FileSet many = file_set("many", 5000, 0);
    many.directory_width = 100;
    load.file_sets.push_back(many);
    FileSet empty = file_set("empty", 10, 4096);
    empty.fill = false;
    load.file_sets.push_back(empty);
    const std::string a = folder.path + "/a", b = folder.path + "/b";
    REQUIRE_OK(lay_out(load, a, quick()));
    REQUIRE_OK(lay_out(load, b, quick()));
    const auto files = files_below(a);
    CHECK(files.size() == 5003);
    CHECK(files == files_below(b));
    CHECK(files.at("data/f00000002") == 1 << 20);
    CHECK(files.count("many/d00049/f00004999") == 1);
    CHECK(fs::is_directory(a + "/empty"));

    std::set<std::string> blocks;
    std::size_t zeros = 0, bytes = 0;
    for (int i = 0; i < 3; ++i) {
        const std::string name = "/data/f0000000" + std::to_string(i);
        const std::string data = content(a + name);
        CHECK(data == content(b + name));
        for (std::size_t at = 0; at < data.size(); at += 4096) blocks.insert(data.substr(at, 4096));
        zeros += static_cast<std::size_t>(std::count(data.begin(), data.end(), '\0'));
        bytes += data.size();
    }
    CHECK(blocks.size() == 3 * 256);
    CHECK(static_cast<double>(zeros) / static_cast<double>(bytes) == doctest::Approx(0.75).epsilon(0.02));
}

TEST_CASE("engine: counts loops and bytes") {
    if (no_ring()) return;
    const Folder folder;
    for (const int depth : {1, 8}) {
        CAPTURE(depth);
        const Load load =
            one_stream(file_set("data", 2, 1 << 20), {step("read", 4096, 2), step("write", 8192)}, 2, depth);
        REQUIRE_OK(lay_out(load, folder.path, quick()));
        const auto result = run_single(load, folder.path, quick());
        REQUIRE_OK(result);
        CHECK(result->operations > 100);
        CHECK(result->read_bytes == result->operations * 8192);
        CHECK(result->written_bytes == result->operations * 8192);
        CHECK(result->latency.count() == result->operations);
        CHECK(result->seconds == doctest::Approx(0.3).epsilon(0.3));
        CHECK(result->cpu_seconds > 0);
        CHECK(result->window_rates.size() >= 1);
        CHECK(files_below(folder.path).at("data/f00000001") == 1 << 20);
    }
}

TEST_CASE("engine: every operation works and created files are removed again") {
    if (no_ring()) return;
    const Folder folder;
    const Load load = everything(false);
    REQUIRE_OK(lay_out(load, folder.path, quick()));
    const auto before = files_below(folder.path + "/small");
    const auto result = run_single(load, folder.path, quick());
    REQUIRE_OK(result);
    CHECK(result->operations > 10);
    CHECK(result->sync_latency.count() > 10);
    CHECK(files_below(folder.path + "/small") == before);
    // Appended files are cut back at twice their size.
    CHECK(files_below(folder.path).at("big/f00000000") <= 2u << 20);
}

TEST_CASE("engine: without recording of latencies the rest is measured as before") {
    if (no_ring()) return;
    const Folder folder;
    const Load load = one_stream(file_set("data", 1, 1 << 20), {step("write"), step("fdatasync")});
    auto options = quick();
    REQUIRE_OK(lay_out(load, folder.path, options));
    options.record_latency = false;
    const auto result = run_single(load, folder.path, options);
    REQUIRE_OK(result);
    CHECK(result->operations > 10);
    CHECK(result->written_bytes > 0);
    CHECK(result->latency.count() == 0);
    CHECK(result->sync_latency.count() == 0);
}

TEST_CASE("engine: the same seed gives the same operations on both sides and in every run") {
    if (no_ring()) return;
    const Folder folder;
    FileSet set = file_set("spool", 400, 0);
    set.fill = false;
    set.size_min_bytes = 1;
    set.size_max_bytes = 10'000;
    set.size_bytes = 1000;
    set.directory_width = 20;
    // Slow enough that no file is removed before the end.
    Step pause = step("think");
    pause.think_ns = 4'000'000;
    const Load load = one_stream(set, {step("create"), pause}, 1, 2);
    // Stopped runs leave their files, which tell what was done.
    const auto run = [&](const std::string& name, std::uint64_t seed) {
        const std::string a = folder.path + "/" + name + "a", b = folder.path + "/" + name + "b";
        EngineOptions options = quick(10);
        options.seed = seed;
        int polls = 0;
        options.stop = [&polls] { return ++polls > 12; };
        for (const auto& side : {a, b}) {
            EngineOptions layout = options;
            layout.stop = nullptr;
            REQUIRE_OK(lay_out(load, side, layout));
        }
        const auto result = run_duet(load, a, b, options);
        REQUIRE_OK(result);
        CHECK(result->stopped);
        return std::pair(files_below(a), files_below(b));
    };
    const auto [a, b] = run("one", 1);
    const auto [c, d] = run("two", 1);
    const auto [e, f] = run("three", 2);
    // One run gets further than another: compare the files that both have.
    const auto common = [](const auto& left, const auto& right, int& same) {
        int shared = 0;
        same = 0;
        for (const auto& [name, size] : left) {
            const auto found = right.find(name);
            if (found == right.end()) continue;
            ++shared;
            if (found->second == size) ++same;
        }
        return shared;
    };
    int same = 0;
    int shared = common(a, b, same);
    CHECK(shared > 10);
    CHECK(same == shared);
    shared = common(a, c, same);
    CHECK(shared > 10);
    CHECK(same == shared);
    shared = common(a, e, same);
    CHECK(same < std::max(shared, 1));
}

TEST_CASE("engine: a stop request ends a run at once, whatever it is doing") {
    if (no_ring()) return;
    const Folder folder;
    Step pause = step("think");
    pause.think_ns = 60'000'000'000;
    const Load load = one_stream(file_set("data", 1, 1 << 20), {step("read"), pause}, 1, 2);
    REQUIRE_OK(lay_out(load, folder.path, quick()));
    EngineOptions options = quick(30);
    options.warmup_seconds = 20;
    const auto began = std::chrono::steady_clock::now();
    options.stop = [&] { return std::chrono::steady_clock::now() - began > std::chrono::milliseconds(100); };
    REQUIRE_OK(run_single(load, folder.path, options));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    CHECK(took.count() < 1.0);
}

TEST_CASE("engine: a full filesystem ends the run with operation, file and errno") {
    if (no_ring()) return;
    const Mounted small("mkfs.ext4", "24M");
    if (small.path.empty()) {
        MESSAGE("SKIPPED: a loop device needs root and mkfs.ext4");
        return;
    }
    FileSet set = file_set("spool", 1000, 256 * 1024);
    set.fill = false;
    for (const int depth : {1, 4}) {
        const Load load = one_stream(set, {step("create")}, 1, depth);
        const std::string directory = small.path + "/" + std::to_string(depth);
        REQUIRE_OK(lay_out(load, directory, quick()));
        const auto result = run_single(load, directory, quick(5));
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().code == ErrorCode::kRunFailed);
        CHECK(result.error().message == "create failed: No space left on device");
        CHECK(result.error().context.find(directory + "/spool/c") == 0);
        CHECK_FALSE(result.error().hint.empty());
        fs::remove_all(directory);
    }
    const auto layout =
        lay_out(one_stream(file_set("data", 2, 64 << 20), {step("read")}), small.path + "/x", quick());
    REQUIRE_FALSE(layout.has_value());
    CHECK(layout.error().message == "write failed: No space left on device");
}

TEST_CASE("engine: files that were not laid out are named") {
    if (no_ring()) return;
    const Folder folder;
    const auto result =
        run_single(one_stream(file_set("data", 1, 1 << 20), {step("read")}), folder.path, quick());
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().context == folder.path + "/data/f00000000");
}

TEST_CASE("duet: two equal sides differ by noise only") {
    if (no_ring()) return;
    const Folder folder;
    const std::string a = folder.path + "/a", b = folder.path + "/b";
    const Load load = one_stream(file_set("data", 2, 4 << 20), {step("read"), step("write")}, 1, 1);
    for (const auto& side : {a, b}) REQUIRE_OK(lay_out(load, side, quick()));
    const auto result = run_duet(load, a, b, quick(2));
    REQUIRE_OK(result);
    CHECK(result->log_ratios.size() >= 20);
    CHECK(result->candidate.window_rates.size() == result->log_ratios.size());
    CHECK(result->anchor.window_rates.size() == result->log_ratios.size());
    CHECK(result->candidate.seconds == doctest::Approx(result->anchor.seconds).epsilon(0.3));
    CHECK(std::abs(result->log_ratio) < 4 * result->log_ratio_deviation + 0.01);
    CHECK(result->window_seconds == doctest::Approx(0.02));
}

TEST_CASE("duet: sees a side that does more work") {
    if (no_ring()) return;
    const Mounted ext4("mkfs.ext4", "64M");
    const Folder folder;
    if (ext4.path.empty()) {
        MESSAGE("SKIPPED: a loop device needs root and mkfs.ext4");
        return;
    }
    const std::string slow = ext4.path + "/a", fast = folder.path + "/b";
    Load load = one_stream(file_set("data", 2, 4 << 20), {step("write"), step("fdatasync")}, 1, 2);
    for (const auto& side : {slow, fast}) REQUIRE_OK(lay_out(load, side, quick()));
    const auto result = run_duet(load, slow, fast, quick(1));
    REQUIRE_OK(result);
    CHECK(result->log_ratio < -0.5);
    CHECK(result->log_ratio + 3 * result->log_ratio_deviation < 0);
}

TEST_CASE("duet: a window with too few operations is lengthened") {
    if (no_ring()) return;
    const Folder folder;
    const std::string a = folder.path + "/a", b = folder.path + "/b";
    Step pause = step("think");
    pause.think_ns = 10'000'000;
    const Load load = one_stream(file_set("data", 1, 1 << 20), {step("read"), pause});
    for (const auto& side : {a, b}) REQUIRE_OK(lay_out(load, side, quick()));
    const auto result = run_duet(load, a, b, quick(1.6));
    REQUIRE_OK(result);
    CHECK(result->window_seconds > 0.15);
    CHECK(result->window_seconds <= 0.4);
    // Just below 100 loops a second, also across windows: thinking goes on where it stopped. A busy machine wakes late.
    CHECK(result->anchor.rate() < 105);
    CHECK(result->anchor.rate() > 50);
    CHECK(result->log_ratio == doctest::Approx(0).epsilon(0.2));
}

TEST_CASE("duet: every operation on real filesystems, buffered and direct, with a flush in the window") {
    if (no_ring()) return;
    const Mounted a("mkfs.ext4", "96M"), b("mkfs.ext4", "96M");
    if (a.path.empty() || b.path.empty()) {
        MESSAGE("SKIPPED: a loop device needs root and mkfs.ext4");
        return;
    }
    for (const bool direct : {false, true}) {
        CAPTURE(direct);
        Load load = everything(direct);
        load.flush_in_window = true;
        load.window_seconds = 0.05;
        const std::string name = direct ? "/direct" : "/buffered";
        for (const auto& side : {a.path, b.path}) REQUIRE_OK(lay_out(load, side + name, quick()));
        const auto result = run_duet(load, a.path + name, b.path + name, quick(1));
        REQUIRE_OK(result);
        CHECK(result->candidate.operations > 20);
        CHECK(result->anchor.operations > 20);
        CHECK(std::abs(result->log_ratio) < 4 * result->log_ratio_deviation + 0.2);
    }
}
