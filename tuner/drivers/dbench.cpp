// dbench: the recorded file operations of an office file server's clients.
//
// Slices: one dbench runs throughout, its clients stopped between slices; its own process reports, when asked
// by the signal it uses for its lines, how many operations are done. Source: dbench 4.00, README and the
// format of its report lines.
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"

namespace fsadvise::tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLog = "dbench.log";
constexpr const char* kScript = "/usr/share/dbench/client.txt";
constexpr std::uint64_t kBytesPerClient = 30 * kMiB;  // measured with the script of dbench 4.00
constexpr double kStartSeconds = 120;
constexpr double kAnswerSeconds = 10;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Progress {
    std::size_t lines = 0;
    double operations = 0;
};

// Lines "   6     62563   709.55 MB/sec  execute   1 sec  latency 12.381 ms": clients, operations so far ...
Progress progress_of(const std::string& log) {
    Progress result;
    for (const std::string& line : split(log, '\n')) {
        int clients = 0;
        double operations = 0;
        if (line.find(" MB/sec ") == std::string::npos || line.starts_with("Throughput") ||
            std::sscanf(line.c_str(), "%d %lf", &clients, &operations) != 2)
            continue;
        ++result.lines;
        result.operations = operations;
    }
    return result;
}

class DbenchSession final : public DriverSession {
  public:
    DbenchSession(std::unique_ptr<Workplace> workplace, Child dbench, const DriverTask& task)
        : DriverSession(std::move(workplace)), dbench_(std::move(dbench)), task_(task) {}

    Result<void> begin() {
        const auto said = [this](const char* words) { return log().find(words) != std::string::npos; };
        FSADVISE_TRY(workplace().wait_ready("dbench", dbench_, kLog, kStartSeconds,
                                            [&] { return said("releasing clients"); }));
        FSADVISE_TRY(dbench_.freeze(true));
        FSADVISE_ASSIGN(before_, ask());
        return {};
    }

    Result<Slice> run_slice(double seconds) override {
        dbench_.thaw(true);
        const auto begin = Clock::now();
        for (double left = seconds; left > 0 && !task_.stopped(); left = seconds - seconds_since(begin)) {
            if (!dbench_.alive()) return tl::unexpected(workplace().explain("dbench", &dbench_, kLog, {}));
            std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 0.1)));
        }
        FSADVISE_TRY(dbench_.freeze(true));
        Slice slice;
        slice.seconds = seconds_since(begin);
        FSADVISE_ASSIGN(const double now, ask());
        slice.operations = now - before_;
        before_ = now;
        return slice;
    }
    [[nodiscard]] int server_process() const override { return dbench_.program(); }

  private:
    std::string log() { return read_file(workplace().file(kLog)).value_or(""); }

    // The count of a new line. A client that broke ends its dbench.
    Result<double> ask() {
        const std::size_t lines = progress_of(log()).lines;
        dbench_.signal(SIGALRM);
        const auto begin = Clock::now();
        while (seconds_since(begin) < kAnswerSeconds) {
            const Progress progress = progress_of(log());
            if (progress.lines > lines) return progress.operations;
            if (!dbench_.alive()) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return tl::unexpected(workplace().explain("dbench", &dbench_, kLog, {}));
    }

    Child dbench_;
    DriverTask task_;
    double before_ = 0;
};

class DbenchDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "dbench"; }
    [[nodiscard]] std::string title() const override { return "dbench"; }
    [[nodiscard]] std::string about() const override {
        return "the recorded opens, reads, writes, renames and flushes of an office file server's clients";
    }
    [[nodiscard]] std::string operation() const override { return "file operation"; }
    [[nodiscard]] std::vector<Program> programs() const override { return {{"dbench", "dbench"}}; }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"clients", "4", "processes at the same time", {}, 1, 1000}};
    }
    // The recording cannot be scaled: what does not fit is refused.
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        return {static_cast<std::uint64_t>(task.number("clients")) * kBytesPerClient, 0};
    }
    [[nodiscard]] double slice_seconds() const override { return 0.25; }
    [[nodiscard]] bool flush_counts() const override { return true; }

    Result<void> initialise(Workplace& place, const DriverTask&) const override {
        return place.make_folder(place.data("dbench"));
    }
    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        constexpr int kDay = 86400;
        FSADVISE_ASSIGN(Child dbench, place->start({"dbench", "-D", place->data("dbench"), "-c", kScript,
                                                    "-t", std::to_string(kDay), task.text("clients")},
                                                   kLog));
        auto session = std::make_unique<DbenchSession>(std::move(place), std::move(dbench), task);
        FSADVISE_TRY(session->begin());
        return session;
    }
};

}  // namespace

const Driver& dbench_driver() {
    static const DbenchDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
