// Traces of fio and of the block layer, reduced to loads whose truth is known.
#include <cmath>
#include <cstring>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <linux/blktrace_api.h>

#include "base/process.h"
#include "tuner/exchange/exchange.h"
#include "tuner/exchange/trace_summary.h"

#include "tuner_exchange_support.h"

using namespace fsadvise;
using namespace fsadvise::testing;
using namespace fsadvise::tuner;
using fsadvise::test::TemporaryFolder;

namespace {

WorkloadDocument imported(const std::vector<std::string>& paths, bool lenient = false) {
    ImportOptions options;
    options.lenient = lenient;
    return must_import(import_workload(paths, std::nullopt, options));
}

void check_refused(const std::string& name, const std::string& content, const std::vector<std::string>& parts,
                   std::optional<ExchangeFormat> format = std::nullopt) {
    const TemporaryFolder folder("trace");
    check_bad_input(import_workload({folder.write(name, content)}, format, {}), parts);
}

// A recording of the block layer, written event by event.
struct Recording {
    std::string bytes;
    bool swapped = false;
    std::uint32_t sequence = 0;

    void event(std::uint64_t time, std::uint32_t what, std::uint32_t category, std::uint64_t offset,
               std::uint32_t size, std::uint16_t pdu = 0) {
        blk_io_trace event{};
        event.magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION;
        event.sequence = ++sequence;
        event.time = time;
        event.sector = offset / 512;
        event.bytes = size;
        event.action = what | (category << BLK_TC_SHIFT);
        event.pdu_len = pdu;
        if (swapped) {
            event.magic = __builtin_bswap32(event.magic);
            event.time = __builtin_bswap64(event.time);
            event.sector = __builtin_bswap64(event.sector);
            event.bytes = __builtin_bswap32(event.bytes);
            event.action = __builtin_bswap32(event.action);
            event.pdu_len = __builtin_bswap16(event.pdu_len);
        }
        bytes.append(reinterpret_cast<const char*>(&event), sizeof event);
        bytes.append(pdu, 'x');
    }
};

// 300 random reads of 4 KiB, 100 writes of 64 KiB one after the other, a flush behind every fourth; four in
// flight.
Recording known_recording(bool swapped) {
    Recording trace;
    trace.swapped = swapped;
    std::mt19937_64 random(7);
    std::uint64_t time = 1'000'000, log = 1ull << 33;
    trace.event(time, BLK_TN_PROCESS & 0xffff, BLK_TC_NOTIFY, 0, 0, 16);
    for (int i = 0; i < 100; ++i) {
        std::uint64_t offsets[3];
        for (auto& offset : offsets) {
            offset = random() % 100'000 * 8192;
            trace.event(time, __BLK_TA_QUEUE, BLK_TC_QUEUE | BLK_TC_READ, offset, 4096, 24);
            trace.event(time + 10, __BLK_TA_ISSUE, BLK_TC_ISSUE | BLK_TC_READ, offset, 4096);
        }
        trace.event(time, __BLK_TA_QUEUE, BLK_TC_QUEUE | BLK_TC_WRITE | BLK_TC_SYNC, log, 65536);
        trace.event(time + 10, __BLK_TA_ISSUE, BLK_TC_ISSUE | BLK_TC_WRITE, log, 65536);
        for (const auto offset : offsets)
            trace.event(time + 100'010, __BLK_TA_COMPLETE, BLK_TC_COMPLETE | BLK_TC_READ, offset, 4096);
        trace.event(time + 100'010, __BLK_TA_COMPLETE, BLK_TC_COMPLETE | BLK_TC_WRITE, log, 65536);
        if (i % 4 == 3)
            trace.event(time + 100'020, __BLK_TA_QUEUE, BLK_TC_QUEUE | BLK_TC_WRITE | BLK_TC_FLUSH, 0, 0);
        log += 65536;
        time += 1'000'000;
    }
    return trace;
}

void check_known(const WorkloadDocument& document) {
    const Stream& stream = document.load.streams[0];
    const double reads = times(stream, "read"), writes = times(stream, "write");
    CHECK(reads / (reads + writes) == doctest::Approx(0.75).epsilon(0.01));
    CHECK(times(stream, "read", 4096, 0) == doctest::Approx(reads));
    CHECK(times(stream, "write", 65536, 1) / writes == doctest::Approx(0.99).epsilon(0.02));
    CHECK(times(stream, "fdatasync") / writes == doctest::Approx(0.25).epsilon(0.01));
    CHECK(stream.threads * stream.depth == 4);
    CHECK(stream.direct);
    // 300 places of 4 KiB and 6.25 MiB of log.
    CHECK(static_cast<double>(document.load.file_sets[0].size_bytes) ==
          doctest::Approx(300.0 * 4096 + 100.0 * 65536).epsilon(0.02));
    CHECK(has(document.notes, "400 transfers"));
}

}  // namespace

TEST_CASE("a block trace gives back the load it was made of, whatever its byte order") {
    const TemporaryFolder folder("blktrace");
    const auto plain = imported({folder.write("sda.blktrace.0", known_recording(false).bytes)});
    check_known(plain);
    CHECK(plain.id == "sda");
    check_known(imported({folder.write("sdb.blktrace.0", known_recording(true).bytes)}));
}

TEST_CASE("the files of two processors are merged by time") {
    const TemporaryFolder folder("blktrace-cpus");
    const std::string bytes = known_recording(false).bytes;
    // Every second of the events without data behind them goes to the other file.
    std::string first, second;
    bool other = false;
    for (std::size_t at = 0; at < bytes.size();) {
        blk_io_trace event;
        std::memcpy(&event, bytes.data() + at, sizeof event);
        const std::size_t length = sizeof event + event.pdu_len;
        (other ? second : first).append(bytes, at, length);
        other = !other;
        at += length;
    }
    check_known(imported({folder.write("sda.blktrace.0", first), folder.write("sda.blktrace.1", second)}));
}

TEST_CASE("damaged block traces are refused with the place") {
    const std::string good = known_recording(false).bytes;
    check_refused("a.blktrace.0", good.substr(0, good.size() - 5),
                  {"a.blktrace.0, byte", "cut off", "--lenient"});
    std::string bad = good;
    bad[sizeof(blk_io_trace) + 16 + 1] = 'X';
    check_refused("a.blktrace.0", bad, {fmt::format("byte {}", sizeof(blk_io_trace) + 16), "magic"});
    std::string version = good;
    version[0] = 6;
    check_refused("a.blktrace.0", version, {"byte 0", "format 6"});
    check_refused("a.blktrace.0", good.substr(0, 20), {"byte 0", "cut off"});
    check_refused("a.blktrace.0", "", {"empty"});
    check_refused("a.blktrace.0", "hello", {"byte 0"}, ExchangeFormat::kBlktrace);
    Recording none;
    none.event(1, BLK_TN_PROCESS & 0xffff, BLK_TC_NOTIFY, 0, 0, 16);
    check_refused("a.blktrace.0", none.bytes, {"no event"});
    Recording flushes;
    flushes.event(1, __BLK_TA_QUEUE, BLK_TC_QUEUE | BLK_TC_WRITE | BLK_TC_FLUSH, 0, 0);
    check_refused("a.blktrace.0", flushes.bytes, {"no read and no write"});
    const TemporaryFolder folder("blktrace-cut");
    const auto document = imported({folder.write("a.blktrace.0", good.substr(0, good.size() - 5))}, true);
    CHECK(has(document.notes, "cut off"));
}

TEST_CASE("an iolog gives back shares, sizes, syncs and rate") {
    std::string text = "fio version 3 iolog\n0 /d/a add\n0 /d/b add\n1 /d/a open\n";
    for (int i = 0; i < 1000; ++i) {
        const int time = 1000 * (i + 1);
        if (i % 5 == 0) {
            text += fmt::format("{} /d/b write {} 16384\n", time, 16384 * (i / 5));
            if (i % 10 == 0) text += fmt::format("{} /d/b datasync 0 0\n", time);
        } else {
            text += fmt::format("{} /d/a read {} 8192\n", time, (i * 7919ll % 4096) * 65536);
        }
    }
    text += "1000001 /d/a close\n";
    const TemporaryFolder folder("iolog");
    const auto document = imported({folder.write("app.log", text)});
    const Stream& stream = document.load.streams[0];
    const double reads = times(stream, "read"), writes = times(stream, "write");
    CHECK(reads / (reads + writes) == doctest::Approx(0.8).epsilon(0.01));
    CHECK(times(stream, "read", 8192, 0) == doctest::Approx(reads));
    CHECK(times(stream, "write", 16384, 1) / writes > 0.97);
    CHECK(times(stream, "fdatasync") / writes == doctest::Approx(0.5).epsilon(0.01));
    CHECK(document.load.file_sets[0].files == 2);
    CHECK(stream.skew == 0);
    CHECK(has(document.notes, "1001 a second"));
    const auto second = imported(
        {folder.write("old.log",
                      "fio version 2 iolog\n/d/a add\n/d/a open\n/d/a write 0 4096\n/d/a wait 5000000 0\n"
                      "/d/a write 4096 4096\n/d/a sync\n/d/a trim 0 4096\n/d/a close\n")});
    CHECK(has(second.notes, "0.4 a second"));
    CHECK(has(second.notes, "1 discards"));
}

TEST_CASE("damaged iologs are refused with the line") {
    const std::string head = "fio version 3 iolog\n0 /d/a add\n";
    check_refused("x.log", head, {"no read and no write"});
    check_refused("x.log", "fio version 1 iolog\n", {"x.log:1"});
    check_refused("x.log", head + "5 /d/a raed 0 4096\n", {"x.log:3", "raed", "did you mean 'read'"});
    check_refused("x.log", head + "5 /d/q read 0 4096\n", {"x.log:3", "/d/q"});
    check_refused("x.log", head + "5 /d/a read -1 4096\n", {"x.log:3", "-1"});
    check_refused("x.log", head + "5 /d/a read 0\n", {"x.log:3", "3 or 5 words"});
    check_refused("x.log", head + "/d/a read 0 4096\n", {"x.log:3"});
    check_refused("x.log", head + "5 /d/a wait 100 0\n", {"x.log:3", "wait"});
    check_refused("x.log", head + "5 /d/a read 0 99999999999999999999\n",
                  {"x.log:3", "99999999999999999999"});
    check_refused("x.log", head + std::string(100u << 20, 'x'), {"x.log:3", "64 KiB"});
}

TEST_CASE("an iolog that fio itself wrote") {
    SystemProcessRunner runner;
    if (runner.find("fio").empty()) {
        MESSAGE("SKIPPED: fio is not installed");
        return;
    }
    const TemporaryFolder folder("iolog-fio");
    const auto job = folder.write(
        "job.fio", "[a]\nrw=randrw\nrwmixread=70\nbs=4k\nsize=8m\nfilename=data\nnorandommap\nfsync=4\n");
    const auto run = runner.run(
        {{"fio", "--directory=" + folder.path(""), "--write_iolog=" + folder.path("io.log"), job}, {}});
    REQUIRE(run.has_value());
    REQUIRE(run->ok());
    const auto document = imported({folder.path("io.log")});
    const Stream& stream = document.load.streams[0];
    const double reads = times(stream, "read"), writes = times(stream, "write");
    CHECK(reads / (reads + writes) == doctest::Approx(0.7).epsilon(0.06));
    CHECK(times(stream, "read", 4096, 0) / reads > 0.95);
    CHECK(times(stream, "fsync") > 0);
    CHECK(document.load.file_sets[0].size_bytes <= 8u << 20);
    CHECK(document.load.file_sets[0].size_bytes > 7u << 20);
}

TEST_CASE("the skew of a trace is found: uniform is none, Zipf gives its exponent back") {
    std::mt19937_64 random(11);
    for (const double exponent : {0.0, 0.6, 0.9, 1.2}) {
        CAPTURE(exponent);
        std::vector<double> weights;
        for (int i = 1; i <= 20'000; ++i) weights.push_back(std::pow(i, -exponent));
        std::discrete_distribution<std::uint64_t> pick(weights.begin(), weights.end());
        TraceSummary summary;
        for (int i = 0; i < 200'000; ++i) {
            TraceRequest request;
            // Hot blocks lie anywhere.
            request.offset = (pick(random) * 7919 + 13) % 20'000 * 4096;
            request.bytes = 4096;
            summary.add(request);
        }
        CHECK(summary.regions.zipf_exponent() == doctest::Approx(exponent).epsilon(0.12));
    }
}

TEST_CASE("regions stay bounded however large the trace") {
    TraceSummary summary;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        TraceRequest request;
        request.operation = TraceOperation::kWrite;
        request.offset = i << 20;
        request.bytes = 1u << 20;
        summary.add(request);
    }
    const double written = 1e6 * (1u << 20);
    CHECK(static_cast<double>(summary.regions.touched_bytes()) == doctest::Approx(written).epsilon(0.02));
    CHECK(summary.regions.touched_bytes() / summary.regions.granule() <= (1u << 17));
    CHECK(summary.writes.sequential == 999'999);
}

TEST_CASE("files that are none of the formats are refused") {
    check_refused("x", "hello world\n", {"is no fio job file", "--from"});
    check_refused("x", std::string("\0\1\2[a]\n", 8), {"is no fio job file"});
    CHECK_FALSE(import_workload({"/nonexistent/x"}, std::nullopt, {}).has_value());
}
