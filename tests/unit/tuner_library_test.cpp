// The shipped workloads and their variants: all are loads that the engine runs.
#include <set>

#include "space/knowledge.h"
#include "space/knowledge_files.h"
#include "tuner/engine/plan.h"

#include "unit/tuner_engine_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using namespace fsadvise::testing;

namespace {

const Knowledge& knowledge() {
    static const auto kKnowledge = Knowledge::load(embedded_knowledge());
    if (!kKnowledge) FAIL(to_text(kKnowledge.error()));
    return *kKnowledge;
}

Load shipped(const std::string& id) {
    const WorkloadDescription* workload = knowledge().workload(id);
    REQUIRE_MESSAGE(workload != nullptr, id);
    const auto load = load_from_json(workload->load, id);
    REQUIRE_MESSAGE(load.has_value(), (load ? std::string() : to_text(load.error())));
    return *load;
}

}  // namespace

TEST_CASE("library: every workload and variant is a load, and at most one alias or id names it") {
    std::set<std::string> ids;
    for (const WorkloadDescription& workload : knowledge().workloads()) {
        CAPTURE(workload.id);
        CHECK(ids.insert(workload.id).second);
        shipped(workload.id);
    }
}

TEST_CASE("library: a variant is its base with the changes") {
    CHECK(shipped("fs-mark").streams[0].threads == 1);
    CHECK(shipped("fs-mark-4-threads").streams[0].threads == 4);
    CHECK(shipped("fs-mark-4-threads").file_sets[0].files == 5000);
    CHECK(shipped("fs-mark-32-directories").file_sets[0].fan_out == 32);
    for (const int clients : {128, 256, 512}) {
        const Load load = shipped("mariadb-" + std::to_string(clients));
        CHECK(load.streams[0].threads * load.streams[0].depth == clients);
    }
    for (const char* id : {"pgbench-100", "pgbench-1000", "pgbench-read-only"}) {
        CHECK(shipped(id).streams[0].threads * shipped(id).streams[0].depth == 50);
    }
    CHECK(shipped("dbench-6").streams[0].threads * shipped("dbench-6").streams[0].depth == 6);
    CHECK(shipped("sqlite-insertions").streams[0].threads == 1);
    CHECK(shipped("sqlite-insertions-8").streams[0].threads == 8);
    const WorkloadDescription* variant = knowledge().workload("mariadb-512");
    CHECK(variant->traits == knowledge().workload("mysql")->traits);
    CHECK(variant->aliases.empty());
}

TEST_CASE("library: every workload and variant runs") {
    if (no_ring_here()) return;
    constexpr std::uint64_t kArea = 32ull << 20;
    for (const WorkloadDescription& workload : knowledge().workloads()) {
        CAPTURE(workload.id);
        Load load = shipped(workload.id);
        for (Stream& stream : load.streams) stream.direct = false;  // a filesystem in memory may refuse it
        for (Phase& phase : load.phases) phase.seconds = phase.seconds > 0 ? 0.02 : 0;
        EngineOptions options = short_run(0.05);
        options.scale = fitting_scale(load, kArea);
        const RamFolder folder;
        const auto laid_out = lay_out(load, folder.path, options);
        REQUIRE_MESSAGE(laid_out.has_value(), (laid_out ? std::string() : to_text(laid_out.error())));
        const auto result = run_single(load, folder.path, options);
        REQUIRE_MESSAGE(result.has_value(), (result ? std::string() : to_text(result.error())));
        CHECK(result->operations > 0);
        // Files of a set that is not filled are made when they are first opened, all others were there
        // before.
        for (const auto& [name, size] : names_below(folder.path)) {
            const bool own = name.find("/c0") != std::string::npos || name.find("/m0") != std::string::npos;
            CHECK_MESSAGE(!own, name);
        }
    }
}
