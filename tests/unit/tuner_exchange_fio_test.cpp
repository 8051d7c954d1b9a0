// fio job files in and out.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "base/process.h"
#include "space/knowledge.h"
#include "tuner/exchange/exchange.h"

#include "tuner_exchange_support.h"

using namespace fsadvise;
using namespace fsadvise::testing;
using namespace fsadvise::tuner;
using fsadvise::test::TemporaryFolder;

namespace {

WorkloadDocument imported(const std::string& text, const ImportOptions& options = {}) {
    return must_import(import_text("job.fio", text, options));
}

void check_refused(const std::string& text, const std::vector<std::string>& parts) {
    check_bad_input(import_text("job.fio", text), parts);
}

}  // namespace

TEST_CASE("a fio job becomes a stream with its own files") {
    const auto document = imported(
        "; a "
        "comment\n[global]\ndirect=1\nioengine=libaio\nsize=1g\n\n[db]\nrw=randrw\nrwmixread=75\nbs="
        "8k\niodepth=4\nnumjobs=2\n"
        "fdatasync=10\nrandom_distribution=zipf:1.2\nbuffer_compress_percentage=30\nruntime=60\ntime_"
        "based\ngroup_reporting\n");
    CHECK(document.id == "job");
    REQUIRE(document.load.streams.size() == 1);
    const Stream& stream = document.load.streams.front();
    CHECK(stream.name == "db");
    CHECK(stream.direct);
    CHECK(stream.threads == 2);
    CHECK(stream.depth == 4);
    CHECK(stream.skew == doctest::Approx(1.2));
    CHECK(times(stream, "read", 8192, 0) / times(stream, "write", 8192, 0) ==
          doctest::Approx(3).epsilon(0.01));
    CHECK(times(stream, "write") / times(stream, "fdatasync") == doctest::Approx(10).epsilon(0.01));
    REQUIRE(document.load.file_sets.size() == 1);
    const FileSet& set = document.load.file_sets.front();
    CHECK(set.files == 2);
    CHECK(set.size_bytes == 1u << 30);
    CHECK(set.compressible == doctest::Approx(0.3));
    CHECK(set.fill);
    CHECK(has(document.traits, "random-overwrite"));
    CHECK(has(document.traits, "direct-io"));
    CHECK(has(document.traits, "synchronous-commits"));
    CHECK(document.notes.empty());
}

TEST_CASE("sizes, shares and names of fio") {
    SUBCASE("k is 1024 and ki is 1000, unless kb_base turns that round") {
        CHECK(imported("[a]\nrw=randread\nbs=4k\nsize=10mi\n").load.file_sets[0].size_bytes == 10'000'000);
        CHECK(imported("[a]\nkb_base=1000\nrw=randread\nbs=512\nsize=10m\n").load.file_sets[0].size_bytes ==
              10'000'000);
        CHECK(imported("[a]\nrw=randread\nsize=0x100000\n").load.file_sets[0].size_bytes == 1u << 20);
    }
    SUBCASE("a distribution of block sizes keeps its shares") {
        const auto load = imported("[a]\nrw=randrw\nsize=1g\nbssplit=4k/60:64k/30:16k/,8k\n").load;
        const Stream& stream = load.streams[0];
        const double all = times(stream, "read");
        CHECK(stream.steps.size() == 2);  // a distribution is one step
        CHECK(times(stream, "read", 4096) / all == doctest::Approx(0.6).epsilon(0.01));
        CHECK(times(stream, "read", 65536) / all == doctest::Approx(0.3).epsilon(0.01));
        CHECK(times(stream, "read", 16384) / all == doctest::Approx(0.1).epsilon(0.01));
        CHECK(times(stream, "write", 8192) == doctest::Approx(all).epsilon(0.01));
    }
    SUBCASE("a range is a few sizes in equal shares, and says so") {
        const auto document = imported("[a]\nrw=randwrite\nsize=1g\nbsrange=4k-64k\n");
        REQUIRE(document.load.streams[0].steps.size() == 1);
        CHECK(document.load.streams[0].steps[0].blocks.size() == 4);
        CHECK(has(document.notes, "4k-64k"));
    }
    SUBCASE("a part of random accesses is sequential") {
        const auto load = imported("[a]\nrw=randread\nsize=1g\npercentage_random=25\n").load;
        CHECK(times(load.streams[0], "read", 0, 0) / times(load.streams[0], "read") ==
              doctest::Approx(0.25).epsilon(0.01));
    }
    SUBCASE("pareto 0.2 is four fifths of the accesses on one fifth of the blocks") {
        const double s =
            imported("[a]\nrw=randread\nsize=1g\nrandom_distribution=pareto:0.2\n").load.streams[0].skew;
        CHECK(std::pow(0.2, 1 - s) == doctest::Approx(0.8).epsilon(0.01));
    }
    SUBCASE("one file name is one file for all jobs, no name is a file a job") {
        const auto shared =
            imported(
                "[a]\nrw=randread\nsize=1g\nnumjobs=4\nfilename=x\n[b]\nrw=randread\nsize=1g\nfilename=x\n")
                .load;
        CHECK(shared.file_sets.size() == 1);
        CHECK(shared.file_sets[0].files == 1);
        CHECK(imported("[a]\nrw=randread\nsize=1g\nnumjobs=4\n").load.file_sets[0].files == 4);
        CHECK(imported("[a]\nrw=randread\nsize=1g\nnrfiles=16\n").load.file_sets[0].size_bytes == 64u << 20);
    }
}

TEST_CASE("writes of fio: syncs, appends, pauses, rates") {
    const auto every = imported("[a]\nrw=write\nbs=16k\nsize=1g\nfsync=8\n").load;
    REQUIRE(every.streams[0].steps.size() == 2);
    CHECK(every.streams[0].steps[0].operation == "append");
    CHECK(every.streams[0].steps[0].repeat == 8);
    CHECK(every.streams[0].steps[1].operation == "fsync");
    CHECK(every.streams[0].steps[1].probability == 1);
    CHECK_FALSE(every.file_sets[0].fill);
    CHECK(every.file_sets[0].preallocate);
    CHECK_FALSE(every.flush_in_window);
    const auto over = imported("[a]\nrw=write\nbs=16k\nsize=1g\noverwrite=1\n").load;
    CHECK(over.streams[0].steps[0].operation == "write");
    CHECK(over.streams[0].steps[0].sequential);
    CHECK(over.file_sets[0].fill);
    CHECK(over.flush_in_window);
    const auto dsync = imported("[a]\nrw=randwrite\nsize=1g\nsync=dsync\n");
    CHECK(dsync.load.streams[0].sync == SyncPolicy::kODsync);
    CHECK(has(dsync.traits, "synchronous-commits"));
    CHECK_FALSE(dsync.load.flush_in_window);
    CHECK(imported("[a]\nrw=randwrite\nsize=1g\nsync=1\n").load.streams[0].sync == SyncPolicy::kOSync);
    CHECK(imported("[a]\nrw=randwrite\nsize=1g\nsync=none\n").load.streams[0].sync == SyncPolicy::kNone);
    const auto think = imported("[a]\nrw=randread\nsize=1g\nthinktime=250\nthinktime_blocks=4\n").load;
    CHECK(think.streams[0].steps.back().think_ns == 250'000);
    CHECK(times(think.streams[0], "read") / times(think.streams[0], "think") == doctest::Approx(4));
}

TEST_CASE("a rate of fio is of each clone, and the stream's of all of them") {
    const auto rated =
        imported("[fast]\nrw=randread\nsize=1g\n[slow]\nrw=randwrite\nsize=1g\nnumjobs=2\nrate_iops=100\n");
    CHECK(rated.load.streams[0].counts);
    CHECK_FALSE(rated.load.streams[1].counts);
    CHECK(rated.load.streams[1].rate_operations == doctest::Approx(200));
    CHECK(rated.load.streams[1].steps.size() == 1);  // a limit is no pause
    CHECK(has(rated.notes, "job slow"));
    // A loop of eight writes and a sync is an eighth of the transfers.
    const auto looped = imported("[a]\nrw=write\nbs=16k\nsize=1g\nfsync=8\nrate_iops=400\n").load.streams[0];
    CHECK(looped.rate_operations == doctest::Approx(50));
    CHECK(looped.counts);
    const auto bytes = imported("[a]\nrw=randrw\nsize=1g\nrate=1m,3m\nnumjobs=2\n").load.streams[0];
    CHECK(bytes.rate_bytes == doctest::Approx(8 << 20));
    CHECK(bytes.rate_operations == 0);
    const auto poisson =
        imported("[a]\nrw=randread\nbs=8k\nsize=1g\nrate=8m\nrate_process=poisson\n").load.streams[0];
    CHECK(poisson.rate_operations == doctest::Approx(1024));
    CHECK(poisson.exponential_arrivals);
    CHECK(has(imported("[a]\nrw=randread\nsize=1g\nrate=8m\nrate_iops=5\n").notes, "rate=8m"));
    CHECK(imported("[a]\nrw=randread\nsize=1g\nrate=0\n").load.streams[0].rate_bytes == 0);
}

TEST_CASE("jobs of fio that wait for others are phases") {
    const std::string fill = "[fill]\nrw=write\nbs=1m\nsize=64m\nfilename=x\n";
    const std::string read = "[read]\nrw=randread\nbs=4k\nsize=64m\nfilename=x\n";
    SUBCASE("the first ends when all is transferred, the last one counts") {
        const auto document = imported(fill + read + "stonewall\nruntime=30\ntime_based\n");
        const Load& load = document.load;
        REQUIRE(load.phases.size() == 2);
        CHECK(load.phases[0].streams == std::vector<std::string>{"fill"});
        CHECK(load.phases[0].operations == 64);
        CHECK(load.phases[0].seconds == 0);
        CHECK(load.phases[1].streams == std::vector<std::string>{"read"});
        CHECK(load.phases[1].operations == 0);
        CHECK(load.phases[1].seconds == 0);
        CHECK(load.counting_phase.empty());
        CHECK(has(document.notes, "job.fio:11"));
        // fio lays the file out for the reads before the first job runs.
        CHECK(load.file_sets[0].fill);
        CHECK(load.streams[0].steps[0].operation == "write");
        CHECK(load.streams[0].steps[0].sequential);
    }
    SUBCASE("a job with a runtime ends by the clock, or whichever comes first") {
        const auto clock = imported(fill + "runtime=90\ntime_based\n" + read + "wait_for_previous=1\n").load;
        CHECK(clock.phases[0].seconds == 90);
        CHECK(clock.phases[0].operations == 0);
        const auto either = imported(fill + "runtime=2m\n" + read + "stonewall=1\n").load;
        CHECK(either.phases[0].seconds == 120);
        CHECK(either.phases[0].operations == 64);
    }
    SUBCASE("number_ios, io_size, loops and clones count") {
        CHECK(imported(fill + "number_ios=10\n" + read + "stonewall\n").load.phases[0].operations == 10);
        CHECK(imported(fill + "io_size=32m\nloops=3\n" + read + "stonewall\n").load.phases[0].operations ==
              96);
        CHECK(imported(fill + "numjobs=2\n" + read + "stonewall\n").load.phases[0].operations == 128);
        const auto synced = imported(fill + "fsync=8\n" + read + "stonewall\n").load;
        CHECK(synced.phases[0].operations == 8);  // loops of eight writes and a sync
    }
    SUBCASE("jobs between two walls run together; limits of rates hold within a phase") {
        const auto load =
            imported(fill + "rate=1m\n" + read + "stonewall\n[log]\nrw=write\nsize=1m\nrate=1k\n" +
                     "[last]\nstonewall\nrw=read\nsize=1m\n")
                .load;
        REQUIRE(load.phases.size() == 3);
        CHECK(load.phases[1].streams == std::vector<std::string>{"read", "log"});
        CHECK(load.streams[0].counts);  // alone in its phase
        CHECK(load.streams[1].counts);
        CHECK_FALSE(load.streams[2].counts);
        CHECK(load.phases[1].operations == 16384);  // of the stream that counts
    }
    SUBCASE("a wall before the first job, or one that is off, is none") {
        CHECK(imported("[a]\nstonewall\nrw=randread\nsize=1g\n").load.phases.empty());
        CHECK(imported(fill + read + "stonewall=0\n").load.phases.empty());
    }
}

TEST_CASE("what fio says and a load cannot is named with its line") {
    check_refused("[a]\nrw=randread\nsize=1g\nverify=crc32c\n", {"job.fio:4", "verify=crc32c", "--lenient"});
    check_refused("[a]\nrw=randread\nszie=1g\nsize=1g\n", {"job.fio:3", "szie", "did you mean 'size'"});
    check_refused("[a]\nrw=randtrim\nsize=1g\n", {"job.fio:2", "trim"});
    check_refused("[a]\nrw=randraed\nsize=1g\n", {"job.fio:2", "did you mean 'randread'"});
    check_refused("[a]\nrw=randread\n", {"job.fio:1", "no size"});
    check_refused("[a]\nrw=randread\nsize=50%\n", {"job.fio:3", "share of a disk"});
    check_refused("[a]\nrw=randread\nsize=1g\nruntime=soon\n", {"job.fio:4", "runtime"});
    check_refused("[a]\nrw=randread\nsize=1g\nbs=4q\n", {"job.fio:4", "4q"});
    check_refused("[a]\nsize=1g\nbssplit=4k/80:8k/80\n", {"job.fio:3", "more than 100"});
    check_refused("[a]\nsize=1g\nbs=${FSADVISE_NO_SUCH_VARIABLE}\n",
                  {"job.fio:3", "FSADVISE_NO_SUCH_VARIABLE"});
    check_refused("[global]\nsize=1g\n", {"job.fio:1", "no job"});
    check_refused("[a]\nsize=1g\ndescription=" + std::string(5000, 'x') + "\n", {"job.fio:3", "4096"});
    check_refused("[a]\nrw=read\nsize=1k\nbs=64k\n", {"larger than the files"});
    ImportOptions lenient;
    lenient.lenient = true;
    const auto document = imported("[a]\nrw=randread\nsize=1g\nverify=crc32c\nstartdelay=5\n", lenient);
    CHECK(document.load.streams.size() == 1);
    CHECK(has(document.notes, "job.fio:4: verify=crc32c"));
    CHECK(has(document.notes, "job.fio:5: startdelay=5"));
    ImportOptions one;
    one.section = "b";
    CHECK(imported("[a]\nrw=randtrim\nsize=1g\n[b]\nstonewall\nrw=randwrite\nsize=1g\n", one)
              .load.streams[0]
              .name == "b");
}

TEST_CASE("included job files are read in place, errors name the included file") {
    const TemporaryFolder folder("fio-include");
    (void)folder.write("common.inc", "bs=16k\nsize=1g\n");
    const auto job = folder.write("job.fio", "[a]\nrw=randread\ninclude common.inc\n");
    const auto document = import_workload({job}, std::nullopt, {});
    REQUIRE(document.has_value());
    CHECK(document->load.streams[0].steps[0].block_bytes == 16384);
    (void)folder.write("common.inc", "bs=16k\nsize=1g\nverify=md5\n");
    const auto refused = import_workload({job}, std::nullopt, {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().context.ends_with("common.inc:3"));
    (void)folder.write("common.inc", "include job.fio\n");
    const auto circle = import_workload({job}, std::nullopt, {});
    REQUIRE_FALSE(circle.has_value());
    CHECK(circle.error().message.find("circle") != std::string::npos);
}

TEST_CASE("a document survives writing and reading") {
    const auto document =
        imported("[a]\nrw=randrw\nsize=1g\nbssplit=4k/50:8k/50\nfsync=3\nfilesize=1m-9m\nnrfiles=7\n");
    const auto back = document_from_json(document_to_json(document), "x.json");
    REQUIRE(back.has_value());
    CHECK(load_to_json(back->load) == load_to_json(document.load));
    CHECK(back->notes == document.notes);
    CHECK(back->traits == document.traits);
    CHECK_FALSE(document_from_json("{}", "x.json").has_value());
    CHECK_FALSE(document_from_json("[", "x.json").has_value());
}

TEST_CASE("every word of a load survives writing and reading") {
    const std::string text = R"({"objective": "p99-latency", "flush_in_window": true, "window_seconds": 0.25,
        "file_sets": [
          {"name": "a", "files": 3, "sizes": [{"size": "4Ki", "share": 0.75}, {"size": "64Ki", "share": 0.25}],
           "fan_out": 4, "tree_depth": 2, "compressible": 0.25, "duplicates": 0.125, "keep": 7},
          {"name": "b", "files": 70, "size_median": "16Ki", "size_sigma": 1.5, "compressible": 0.5,
           "directory_width": 10},
          {"name": "c", "files": 2, "size_min": "1Mi", "size_max": "2Mi", "compressible": 0.5},
          {"name": "log", "files": 2, "size": "1Mi", "compressible": 0.5, "fill": false, "preallocate": true}],
        "streams": [
          {"name": "one", "file_set": "c", "threads": 2, "depth": 3, "direct": true, "skew": 0.0, "counts": true,
           "hot_spot": {"accesses": 0.9, "blocks": 0.1}, "working_set": 0.5,
           "sync": {"mode": "fdatasync", "every": 3},
           "rate": {"operations": 12.5, "open_loop": true, "arrivals": "exponential"},
           "steps": [{"operation": "read-write", "read_share": 0.25, "repeat": 2,
                      "blocks": [{"block": "4Ki", "share": 0.5}, {"block": "8Ki", "share": 0.5}]},
                     {"operation": "think", "think_ns": 1000, "distribution": "exponential"},
                     {"operation": "signal", "signal": "go"}]},
          {"name": "two", "file_set": "a", "threads": 1, "depth": 1, "direct": false, "skew": 1.25, "counts": false,
           "sync": {"mode": "o-sync"}, "rate": {"bytes": "3Mi"},
           "steps": [{"operation": "wait", "signal": "go"},
                     {"operation": "append", "block": "4Ki", "sequential": true, "probability": 0.5},
                     {"operation": "commit", "file_set": "log", "block": "8Ki", "record": "1Ki",
                      "sync": "fsync"}]}],
        "phases": [{"name": "first", "seconds": 2.5, "streams": ["one"]},
                   {"name": "second", "operations": 9, "streams": ["one", "two"]}],
        "counting_phase": "first"})";
    const auto load = load_from_json(text, "words");
    REQUIRE_MESSAGE(load.has_value(), (load ? std::string() : to_text(load.error())));
    // Compared as JSON with the text itself, so that a word the writer forgets shows.
    CHECK(nlohmann::json::parse(load_to_json(*load)) == nlohmann::json::parse(text));
}

TEST_CASE("every workload that ships exports to fio, fio accepts it, and nothing is dropped silently") {
    const TemporaryFolder folder("fio-export");
    SystemProcessRunner runner;
    const bool fio = !runner.find("fio").empty();
    int exported = 0;
    for (const KnowledgeFile& file : embedded_knowledge()) {
        if (!file.name.starts_with("workloads/")) continue;
        CAPTURE(std::string(file.name));
        const auto document = document_from_json(std::string(file.text), std::string(file.name));
        REQUIRE(document.has_value());
        const auto out = export_fio(document->load, document->id);
        REQUIRE(out.has_value());
        for (const std::string& warning : out->warnings)
            CHECK(out->text.find("# lost: " + warning) != std::string::npos);
        for (const Stream& stream : document->load.streams) {
            for (const Step& step : stream.steps) {
                // Whatever is no transfer, sync or pause must be among the losses.
                const bool said = step.operation == "read" || step.operation == "write" ||
                                  step.operation == "append" || step.operation == "read-write" ||
                                  step.operation == "fsync" || step.operation == "fdatasync" ||
                                  step.operation == "think";
                if (!said) CHECK(has(out->warnings, step.operation));
            }
        }
        ++exported;
        if (!fio) continue;
        const auto parsed = runner.run({{"fio", "--parse-only", folder.write("out.fio", out->text)}, {}});
        REQUIRE(parsed.has_value());
        CAPTURE(parsed->errors);
        CHECK(parsed->exit_code == 0);
        CHECK(parsed->errors.find("fio:") == std::string::npos);
    }
    CHECK(exported >= 40);
    if (!fio) MESSAGE("SKIPPED: fio is not installed");
}

TEST_CASE("from fio to a workload and back to fio keeps the meaning") {
    const char* jobs[] = {
        "[a]\nrw=randrw\nrwmixread=70\nbs=8k\nsize=1g\ndirect=1\nioengine=io_uring\niodepth=8\nnumjobs=2\n",
        "[a]\nrw=randwrite\nbssplit=4k/25:64k/75\nsize=1g\nfdatasync=1\noverwrite=1\n",
        "[a]\nrw=write\nbs=1m\nsize=4g\nfsync=16\nnumjobs=4\n",
        "[a]\nrw=randread\nbs=4k\nsize=1g\nrandom_distribution=zipf:1.1\npercentage_random=80\nthinktime="
        "500\n",
        "[a]\nrw=read\nbs=128k\nfilesize=1m-64m\nnrfiles=20\nbuffer_compress_percentage=40\n",
        "[a]\nrw=randrw\nsize=1g\nbssplit=4k/60:8k/30:64k/10,16k/50:32k/50\nrwmixread=70\n",
        "[a]\nrw=randwrite\nsize=1g\nsync=dsync\nrate_iops=250\nnumjobs=2\n",
        "[a]\nrw=randrw\nrwmixread=75\nsize=1g\nrate=3m,1m\nnumjobs=4\n",
        "[a]\nrw=randread\nsize=1g\nrate_iops=1000\nrate_process=poisson\nthinktime=20\nthinktime_blocks=8\n",
        "[a]\nrw=write\nbs=1m\nsize=64m\nfsync=4\nnumjobs=2\n[b]\nstonewall\nrw=randread\nsize=64m\n",
        "[a]\nrw=write\nbs=1m\nsize=64m\nruntime=12\ntime_based\n[b]\nrw=randread\nsize=1m\n[c]\nstonewall\n"
        "rw=randread\nsize=64m\n"};
    for (const char* job : jobs) {
        CAPTURE(std::string(job));
        const auto first = imported(job);
        const auto text = export_fio(first.load, "again");
        REQUIRE(text.has_value());
        CAPTURE(text->text);
        const auto second = imported(text->text);
        CHECK(second.load.flush_in_window == first.load.flush_in_window);
        REQUIRE(second.load.streams.size() == first.load.streams.size());
        REQUIRE(second.load.phases.size() == first.load.phases.size());
        for (std::size_t i = 0; i < first.load.phases.size(); ++i) {
            const Phase &from = first.load.phases[i], &to = second.load.phases[i];
            CHECK(from.name == to.name);
            CHECK(from.streams == to.streams);
            CHECK(from.seconds == to.seconds);
            CHECK(from.operations == to.operations);
        }
        const Stream &a = first.load.streams[0], &b = second.load.streams[0];
        CHECK(a.sync == b.sync);
        CHECK(a.rate_operations == doctest::Approx(b.rate_operations).epsilon(0.001));
        CHECK(a.rate_bytes == doctest::Approx(b.rate_bytes).epsilon(0.001));
        CHECK(a.exponential_arrivals == b.exponential_arrivals);
        CHECK(a.threads * a.depth == b.threads * b.depth);
        CHECK(a.direct == b.direct);
        CHECK(a.skew == doctest::Approx(b.skew));
        REQUIRE(a.steps.size() == b.steps.size());
        for (std::size_t i = 0; i < a.steps.size(); ++i) {
            CHECK(a.steps[i].operation == b.steps[i].operation);
            CHECK(a.steps[i].block_bytes == b.steps[i].block_bytes);
            CHECK(a.steps[i].sequential == b.steps[i].sequential);
            CHECK(a.steps[i].repeat == b.steps[i].repeat);
            CHECK(a.steps[i].probability == doctest::Approx(b.steps[i].probability).epsilon(0.02));
            CHECK(a.steps[i].think_ns == b.steps[i].think_ns);
            REQUIRE(a.steps[i].blocks.size() == b.steps[i].blocks.size());
            for (std::size_t j = 0; j < a.steps[i].blocks.size(); ++j) {
                CHECK(a.steps[i].blocks[j].bytes == b.steps[i].blocks[j].bytes);
                CHECK(a.steps[i].blocks[j].share == doctest::Approx(b.steps[i].blocks[j].share));
            }
        }
        const FileSet &from = first.load.file_sets[0], &to = second.load.file_sets[0];
        CHECK(from.files == to.files);
        CHECK(from.size_bytes == to.size_bytes);
        CHECK(from.size_max_bytes == to.size_max_bytes);
        CHECK(from.fill == to.fill);
        CHECK(from.preallocate == to.preallocate);
        CHECK(from.compressible == doctest::Approx(to.compressible));
    }
}
