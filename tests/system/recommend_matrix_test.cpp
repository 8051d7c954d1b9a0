// Every configuration that recommend emits for the shipped workloads, described sizes and cores formats,
// mounts and reads back as asked on the running kernel. A random sample by default; FSADVISE_TEST_ALL=1 runs
// the whole matrix.
#include <cstdlib>
#include <random>

#include <doctest/doctest.h>

#include "advice/advise.h"
#include "base/text.h"
#include "base/units.h"
#include "space/read_back.h"

#include "support/loop.h"

using namespace fsadvise;

namespace {

struct Case {
    std::string workload;
    std::uint64_t gib = 0;
    int cores = 0;
};

// Sparse files carry the described size itself, so that no formula is checked against a stand-in; the
// exception is ext4 at 16 TiB, whose bitmaps and journal alone would fill gigabytes of memory.
std::uint64_t stand_in_bytes(const std::string& filesystem, std::uint64_t gib) {
    if (filesystem == "ext4" && gib > 2000) return 2000 * kGiB;
    return gib * kGiB;
}

// Empty if everything went as asked, else what went wrong.
std::string try_for_real(const Knowledge& knowledge, const Recommendation& recommendation,
                         std::uint64_t bytes, ProcessRunner& runner, const std::string& directory) {
    const test::SparseLoop loop(bytes, "matrix");
    if (loop.device().empty()) return "no loop device";
    const Filesystem& filesystem = *knowledge.filesystem(recommendation.configuration.filesystem);
    std::vector<std::string> mkfs = recommendation.commands.mkfs;
    mkfs.insert(mkfs.begin() + 1, filesystem.mkfs_quiet.begin(), filesystem.mkfs_quiet.end());
    mkfs.push_back(loop.device());
    if (auto made = run_checked(runner, {mkfs, {}}); !made) return to_text(made.error());
    const auto mount = recommendation.commands.mount_argv(loop.device(), directory);
    if (auto mounted = run_checked(runner, {mount, {}}); !mounted) return to_text(mounted.error());
    const auto read = read_back(knowledge, recommendation.configuration, loop.device(), directory, runner,
                                SystemFileReader());
    std::string problem = read ? join(read->mismatches, "; ") : to_text(read.error());
    if (auto gone = run_checked(runner, {{"umount", directory}, {}}); !gone) problem += to_text(gone.error());
    return problem;
}

}  // namespace

TEST_CASE("what recommend emits formats, mounts and reads back as asked") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    const auto knowledge = Knowledge::load(embedded_knowledge());
    REQUIRE(knowledge.has_value());
    const auto network = RuleNetwork::build(*knowledge);
    REQUIRE(network.has_value());
    SystemProcessRunner runner;
    Host host = probe_host(SystemFileReader());
    probe_tools(host, runner);

    std::vector<Case> cases;
    for (const auto& workload : knowledge->workloads()) {
        for (const std::uint64_t gib : {1, 10, 100, 1000, 16384}) {
            for (const int cores : {1, 4, 16, 64}) cases.push_back({workload.id, gib, cores});
        }
    }
    constexpr std::size_t kSampled = 110;  // cases of three filesystems each: at least 300 configurations
    const bool all = std::getenv("FSADVISE_TEST_ALL") != nullptr;
    std::mt19937_64 random(std::random_device{}());
    std::shuffle(cases.begin(), cases.end(), random);
    if (!all) cases.resize(std::min(cases.size(), kSampled));

    const std::string directory = "/dev/shm/fsadvise-matrix-" + std::to_string(::getpid());
    std::filesystem::create_directories(directory);
    std::map<std::string, std::string> verdicts;  // by commands and size: equal ones need one run
    int configurations = 0;
    for (const Case& entry : cases) {
        Request request;
        request.workload = entry.workload;
        request.host = host;
        request.host.cores = entry.cores;
        request.host.device = BlockDevice{};
        request.host.device->size_bytes = entry.gib * kGiB;
        const auto advice = advise(*knowledge, *network, request);
        REQUIRE(advice.has_value());
        CHECK(advice->ranked.size() >= 3);
        for (const Recommendation& recommendation : advice->ranked) {
            ++configurations;
            const std::uint64_t bytes = stand_in_bytes(recommendation.configuration.filesystem, entry.gib);
            const std::string key = shell_join(recommendation.commands.mkfs) + "|" +
                                    recommendation.commands.mount_options + "|" + std::to_string(bytes);
            if (!verdicts.contains(key)) {
                verdicts[key] = try_for_real(*knowledge, recommendation, bytes, runner, directory);
            }
            CAPTURE(entry.workload);
            CAPTURE(entry.gib);
            CAPTURE(entry.cores);
            CAPTURE(key);
            CHECK(verdicts[key] == "");
        }
    }
    std::filesystem::remove(directory);
    MESSAGE(configurations << " configurations, " << verdicts.size() << " distinct ones run");
    CHECK(configurations >= 300);
}
