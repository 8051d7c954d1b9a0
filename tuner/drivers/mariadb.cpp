// MariaDB under sysbench, whose transactions read, change, delete and insert rows.
//
// Slices: sysbench with a number of events that its threads share (its time limit knows whole seconds only),
// rated by its own "total time", which begins when all threads are connected. Latencies come from its
// histogram. Source: sysbench 1.0 README; MariaDB 10.11 documentation of mariadbd's options.
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/pacing.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"

namespace fsadvise::tuner {
namespace {

constexpr const char* kLog = "mariadb.log";
constexpr double kStartSeconds = 180, kStopSeconds = 60, kLoadSeconds = 3600;
// A row of sbtest with its index entry; measured with MariaDB 10.11.
constexpr std::uint64_t kBytesPerRow = 250;
// System tables, undo and temporary tablespaces.
constexpr std::uint64_t kEmptyServer = 90 * kMiB;
// mariadb-install-db, start, stop; then sysbench prepare.
constexpr double kFirstSeconds = 8, kFillRate = 10.0 * kMiB;
constexpr std::uint64_t kSmallRedo = 32 * kMiB, kDefaultRedo = 96 * kMiB;  // innodb_log_file_size

std::uint64_t redo_bytes(std::uint64_t area_bytes) {
    return area_bytes / 8 < kDefaultRedo ? kSmallRedo : kDefaultRedo;
}

std::vector<std::string> sysbench_words(const Workplace& place, const DriverTask& task,
                                        const std::string& test) {
    return {"sysbench",
            test,
            "--db-driver=mysql",
            "--mysql-socket=" + place.file("mariadb.sock"),
            "--mysql-user=root",
            "--mysql-db=sbtest",
            fmt::format("--tables={}", task.number("tables")),
            fmt::format("--table-size={}", task.scaled("rows", 100))};
}

// Lines "  0.512 |******  37" of sysbench's histogram: milliseconds, bar, count.
Histogram histogram_of(const std::string& report) {
    Histogram result;
    for (const std::string& line : split(report, '\n')) {
        const std::size_t bar = line.find('|');
        double milliseconds = 0;
        if (bar == std::string::npos || std::sscanf(line.c_str(), "%lf |", &milliseconds) != 1) continue;
        const std::size_t space = line.find_last_of(" *");
        if (space == std::string::npos) continue;
        const long count = std::atol(line.c_str() + space + 1);
        for (long i = 0; i < count; ++i) result.record(static_cast<std::int64_t>(milliseconds * 1e6));
    }
    return result;
}

class MariadbSession final : public DriverSession {
  public:
    MariadbSession(std::unique_ptr<Workplace> workplace, Child server, const DriverTask& task)
        : DriverSession(std::move(workplace)), server_(std::move(server)), task_(task), pacing_(50) {}
    ~MariadbSession() override { server_.stop(SIGTERM, kStopSeconds); }

    Result<Slice> run_slice(double seconds) override {
        auto words = sysbench_words(workplace(), task_, task_.text("test"));
        // Fewer events than threads would leave some of them without any.
        const std::int64_t clients = task_.number("clients");
        const std::int64_t events = std::max(clients, pacing_.operations(seconds));
        for (const std::string& word :
             {fmt::format("--threads={}", clients), fmt::format("--events={}", events),
              std::string("--time=0"), std::string("--histogram=on"), std::string("run")})
            words.push_back(word);
        FSADVISE_ASSIGN(const ProgramRun run, workplace().run(words));
        if (run.exit_code != 0 || !server_.alive())
            return tl::unexpected(
                workplace().explain("MariaDB", &server_, kLog, run.output + "\n" + run.errors));
        Slice slice;
        slice.latency = histogram_of(run.output);
        FSADVISE_ASSIGN(slice.seconds, number_after(run.output, "total time:"));
        FSADVISE_ASSIGN(slice.operations, number_after(run.output, "total number of events:"));
        FSADVISE_ASSIGN(const double ignored, number_after(run.output, "ignored errors:"));
        slice.errors = static_cast<std::uint64_t>(ignored);
        pacing_.learn(slice.operations, slice.seconds);
        return slice;
    }
    Result<void> pause() override { return server_.freeze(); }
    void resume() override { server_.thaw(); }
    [[nodiscard]] int server_process() const override { return server_.program(); }

  private:
    Child server_;
    DriverTask task_;
    Pacing pacing_;
};

class MariadbDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "mariadb"; }
    [[nodiscard]] std::string title() const override { return "MariaDB under sysbench"; }
    [[nodiscard]] std::string about() const override {
        return "transactions of reads, updates, a delete and an insert on InnoDB tables";
    }
    [[nodiscard]] std::string operation() const override { return "transaction"; }
    [[nodiscard]] std::vector<Program> programs() const override {
        return {{"mariadbd", "mariadb-server"},
                {"mariadb-install-db", "mariadb-server"},
                {"mariadb", "mariadb-client"},
                {"sysbench", "sysbench"}};
    }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"clients", "16", "connections at the same time", {}, 1, 4000},
                {"tables", "4", "tables", {}, 1, 1000},
                {"rows", "1000000", "rows a table, about 250 bytes each", {}, 100, 1'000'000'000},
                {"test",
                 "oltp_read_write",
                 "sysbench's name of the transaction",
                 {"oltp_read_write", "oltp_write_only", "oltp_update_non_index", "oltp_insert",
                  "oltp_read_only", "oltp_point_select"}}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        return {kEmptyServer + kSmallRedo,
                static_cast<std::uint64_t>(task.number("tables") * task.number("rows")) * kBytesPerRow};
    }
    [[nodiscard]] double starting_seconds() const override { return kFirstSeconds; }
    [[nodiscard]] double filling_bytes_per_s() const override { return kFillRate; }
    [[nodiscard]] double slice_seconds() const override { return 0.5; }

    Result<void> initialise(Workplace& place, const DriverTask& task) const override {
        RunOptions patient;
        patient.timeout_seconds = kLoadSeconds;
        FSADVISE_TRY(place.make_folder(place.data("mariadb")));
        FSADVISE_TRY(
            place.run_checked({"mariadb-install-db", "--no-defaults", "--datadir=" + place.data("mariadb"),
                               "--auth-root-authentication-method=normal", "--skip-test-db",
                               fmt::format("--innodb-log-file-size={}", redo_bytes(place.area_bytes()))},
                              patient));
        FSADVISE_ASSIGN(Child server, start_server(place, task));
        FSADVISE_TRY(place.run_checked({"mariadb", "--no-defaults", "--socket=" + place.file("mariadb.sock"),
                                        "--user=root", "--execute=CREATE DATABASE sbtest"},
                                       patient));
        auto words = sysbench_words(place, task, task.text("test"));
        words.emplace_back("prepare");
        FSADVISE_ASSIGN(const ProgramRun run, place.run(words, patient));
        if (run.exit_code != 0)
            return tl::unexpected(place.explain("MariaDB", &server, kLog, run.output + "\n" + run.errors));
        server.stop(SIGTERM, kLoadSeconds);
        return {};
    }

    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        FSADVISE_ASSIGN(Child server, start_server(*place, task));
        return std::make_unique<MariadbSession>(std::move(place), std::move(server), task);
    }

  private:
    static Result<Child> start_server(const Workplace& place, const DriverTask& task) {
        FSADVISE_ASSIGN(
            Child server,
            place.start(
                {"mariadbd", "--no-defaults", "--datadir=" + place.data("mariadb"),
                 "--socket=" + place.file("mariadb.sock"), "--pid-file=" + place.file("mariadb.pid"),
                 "--skip-networking", fmt::format("--max-connections={}", task.number("clients") + 10),
                 fmt::format("--innodb-log-file-size={}", redo_bytes(place.area_bytes()))},
                kLog));
        const std::string log = place.file(kLog);
        FSADVISE_TRY(place.wait_ready("MariaDB", server, kLog, kStartSeconds, [&] {
            return read_file(log).value_or("").find("ready for connections") != std::string::npos;
        }));
        return server;
    }
};

}  // namespace

const Driver& mariadb_driver() {
    static const MariadbDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
