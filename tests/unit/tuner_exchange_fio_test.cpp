// fio job files in and out.
#include <cmath>

#include <doctest/doctest.h>

#include "base/fd.h"
#include "base/process.h"
#include "space/knowledge.h"
#include "tuner/exchange/exchange.h"

#include "support/temporary_folder.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using fsadvise::test::TemporaryFolder;

namespace {

Result<WorkloadDocument> import_text(const std::string& text, ImportOptions options = {}) {
    const TemporaryFolder folder("fio");
    return import_workload({folder.write("job.fio", text)}, std::nullopt, options);
}

WorkloadDocument imported(const std::string& text, ImportOptions options = {}) {
    auto document = import_text(text, options);
    if (!document) FAIL(to_text(document.error()));
    return *document;
}

// Operations a loop, on average.
double times(const Stream& stream, const std::string& operation, std::uint64_t block = 0,
             int sequential = -1) {
    double sum = 0;
    for (const Step& step : stream.steps) {
        if (step.operation != operation || (block != 0 && step.block_bytes != block)) continue;
        if (sequential >= 0 && step.sequential != (sequential == 1)) continue;
        sum += step.probability * step.repeat;
    }
    return sum;
}

bool has(const std::vector<std::string>& list, const std::string& part) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& item) { return item.find(part) != std::string::npos; });
}

void check_refused(const std::string& text, const std::vector<std::string>& parts,
                   ImportOptions options = {}) {
    const auto document = import_text(text, options);
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().code == ErrorCode::kBadInput);
    const std::string message = to_text(document.error());
    for (const std::string& part : parts) {
        CAPTURE(message);
        CAPTURE(part);
        CHECK(message.find(part) != std::string::npos);
    }
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
        CHECK(times(stream, "read", 4096) / all == doctest::Approx(0.6).epsilon(0.01));
        CHECK(times(stream, "read", 65536) / all == doctest::Approx(0.3).epsilon(0.01));
        CHECK(times(stream, "read", 16384) / all == doctest::Approx(0.1).epsilon(0.01));
        CHECK(times(stream, "write", 8192) == doctest::Approx(all).epsilon(0.01));
    }
    SUBCASE("a range is a few sizes in equal shares, and says so") {
        const auto document = imported("[a]\nrw=randwrite\nsize=1g\nbsrange=4k-64k\n");
        CHECK(document.load.streams[0].steps.size() == 4);
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
    const auto dsync = imported("[a]\nrw=randwrite\nsize=1g\nsync=dsync\n").load;
    CHECK(times(dsync.streams[0], "fdatasync") == doctest::Approx(times(dsync.streams[0], "write")));
    const auto think = imported("[a]\nrw=randread\nsize=1g\nthinktime=250\nthinktime_blocks=4\n").load;
    CHECK(think.streams[0].steps.back().think_ns == 250'000);
    CHECK(times(think.streams[0], "read") / times(think.streams[0], "think") == doctest::Approx(4));
    const auto rated =
        imported("[fast]\nrw=randread\nsize=1g\n[slow]\nrw=randwrite\nsize=1g\nnumjobs=2\nrate_iops=100\n");
    CHECK(rated.load.streams[0].counts);
    CHECK_FALSE(rated.load.streams[1].counts);
    CHECK(rated.load.streams[1].steps.back().think_ns == 10'000'000);
    CHECK(has(rated.notes, "rate_iops=100"));
}

TEST_CASE("what fio says and a load cannot is named with its line") {
    check_refused("[a]\nrw=randread\nsize=1g\nverify=crc32c\n", {"job.fio:4", "verify=crc32c", "--lenient"});
    check_refused("[a]\nrw=randread\nszie=1g\nsize=1g\n", {"job.fio:3", "szie", "did you mean 'size'"});
    check_refused("[a]\nrw=randtrim\nsize=1g\n", {"job.fio:2", "trim"});
    check_refused("[a]\nrw=randraed\nsize=1g\n", {"job.fio:2", "did you mean 'randread'"});
    check_refused("[a]\nrw=randread\n", {"job.fio:1", "no size"});
    check_refused("[a]\nrw=randread\nsize=50%\n", {"job.fio:3", "share of a disk"});
    check_refused("[a]\nrw=randread\nsize=1g\n[b]\nstonewall\nrw=randwrite\nsize=1g\n",
                  {"job.fio:5", "stonewall", "--section"});
    check_refused("[a]\nrw=randread\nsize=1g\nbs=4q\n", {"job.fio:4", "4q"});
    check_refused("[a]\nsize=1g\nbssplit=4k/80:8k/80\n", {"job.fio:3", "more than 100"});
    check_refused("[a]\nsize=1g\nbs=${FSADVISE_NO_SUCH_VARIABLE}\n",
                  {"job.fio:3", "FSADVISE_NO_SUCH_VARIABLE"});
    check_refused("[global]\nsize=1g\n", {"job.fio:1", "no job"});
    check_refused("[a]\nsize=1g\ndescription=" + std::string(5000, 'x') + "\n", {"job.fio:3", "4096"});
    check_refused("[a]\nrw=read\nsize=1k\nbs=64k\n", {"larger than the files"});
    ImportOptions lenient;
    lenient.lenient = true;
    const auto document = imported(
        "[a]\nrw=randread\nsize=1g\nverify=crc32c\n[b]\nstonewall\nrw=randwrite\nsize=1g\n", lenient);
    CHECK(document.load.streams.size() == 2);
    CHECK(has(document.notes, "job.fio:4: verify=crc32c"));
    CHECK(has(document.notes, "job.fio:6: stonewall"));
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
                                  step.operation == "append" || step.operation == "fsync" ||
                                  step.operation == "fdatasync" || step.operation == "think";
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
        "[a]\nrw=read\nbs=128k\nfilesize=1m-64m\nnrfiles=20\nbuffer_compress_percentage=40\n"};
    for (const char* job : jobs) {
        CAPTURE(std::string(job));
        const auto first = imported(job);
        const auto text = export_fio(first.load, "again");
        REQUIRE(text.has_value());
        CAPTURE(text->text);
        const auto second = imported(text->text);
        CHECK(second.load.flush_in_window == first.load.flush_in_window);
        REQUIRE(second.load.streams.size() == first.load.streams.size());
        const Stream &a = first.load.streams[0], &b = second.load.streams[0];
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
