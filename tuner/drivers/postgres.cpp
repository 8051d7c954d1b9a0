// PostgreSQL under pgbench, the bundled TPC-B like load.
//
// Slices: pgbench with a number of transactions for each client (its time limit knows whole seconds only),
// rated by its own "without initial connection time". Latencies come from its transaction log. Source:
// PostgreSQL 15 documentation, pgbench, initdb and chapter 20.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/pacing.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"

namespace fsadvise::tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "postgres.log";
constexpr double kStartSeconds = 120, kStopSeconds = 30, kLoadSeconds = 3600;
// A row of pgbench_accounts and its index entry, 100000 to a unit of scale; measured with PostgreSQL 15.
constexpr std::uint64_t kBytesPerScale = 15 * kMiB;
constexpr std::uint64_t kEmptyCluster = 40 * kMiB;
// initdb, start, stop; then pgbench -i with vacuum and primary keys.
constexpr double kFirstSeconds = 3, kFillRate = 30.0 * kMiB;
constexpr std::uint64_t kSegment = 16 * kMiB;    // of the write-ahead log
constexpr std::uint64_t kDefaultWal = 1 * kGiB;  // max_wal_size

// The default limit of the log where the area has room, else what leaves room for data.
std::uint64_t wal_bytes(std::uint64_t area_bytes) {
    return std::clamp<std::uint64_t>(area_bytes / 8 / kSegment * kSegment, 2 * kSegment, kDefaultWal);
}

std::vector<std::string> pgbench_words(const Workplace& place) {
    return {"pgbench", "-h", place.file(""), "-U", "postgres"};
}

class PostgresSession final : public DriverSession {
  public:
    PostgresSession(std::unique_ptr<Workplace> workplace, Child server, const DriverTask& task)
        : DriverSession(std::move(workplace)),
          server_(std::move(server)),
          task_(task),
          pacing_(200) {}
    // SIGINT: roll back, write a checkpoint, end.
    ~PostgresSession() override { server_.stop(SIGINT, kStopSeconds); }

    Result<Slice> run_slice(double seconds) override {
        const std::int64_t clients = task_.number("clients");
        const std::int64_t transactions = pacing_.operations(seconds, clients);
        auto words = pgbench_words(workplace());
        const std::string prefix = workplace().file("transactions");
        for (const std::string& word : {std::string("-n"), std::string("-l"), "--log-prefix=" + prefix,
                                        std::string("-c"), std::to_string(clients), std::string("-j"),
                                        std::to_string(std::min<std::int64_t>(clients, task_.threads())),
                                        std::string("-t"), std::to_string(transactions / clients)})
            words.push_back(word);
        if (task_.text("mode") == "read-only") words.emplace_back("-S");
        words.emplace_back("postgres");
        FSADVISE_ASSIGN(const ProgramRun run, workplace().run(words));
        Slice slice;
        read_latencies(slice.latency);
        if (run.exit_code != 0 || !server_.alive())
            return tl::unexpected(
                workplace().explain("PostgreSQL", &server_, kLog, run.output + "\n" + run.errors));
        FSADVISE_ASSIGN(slice.operations,
                        number_after(run.output, "number of transactions actually processed: "));
        FSADVISE_ASSIGN(const double failed, number_after(run.output, "number of failed transactions: "));
        FSADVISE_ASSIGN(const double per_second, number_after(run.output, "tps = "));
        if (per_second <= 0) return tl::unexpected(workplace().explain("pgbench", nullptr, {}, run.output));
        slice.errors = static_cast<std::uint64_t>(failed);
        slice.seconds = slice.operations / per_second;
        pacing_.learn(slice.operations, slice.seconds);
        return slice;
    }
    // The checkpointer and the writers of an idle server would work in the other side's slice.
    Result<void> pause() override { return server_.freeze(); }
    void resume() override { server_.thaw(); }
    [[nodiscard]] int server_process() const override { return server_.program(); }

  private:
    // One line a transaction: client, number, microseconds, ...; one file a thread.
    void read_latencies(Histogram& latency) {
        std::error_code error;
        for (fs::directory_iterator it(workplace().file(""), error), end; !error && it != end;) {
            const fs::path path = it->path();
            it.increment(error);
            if (!path.filename().string().starts_with("transactions")) continue;
            const std::string text = read_file(path).value_or("");
            ::unlink(path.c_str());
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t stop = std::min(text.find('\n', at), text.size());
                const std::string line = text.substr(at, stop - at);
                at = stop + 1;
                long long microseconds = 0;
                if (std::sscanf(line.c_str(), "%*d %*d %lld", &microseconds) == 1)
                    latency.record(microseconds * 1000);
            }
        }
    }

    Child server_;
    DriverTask task_;
    Pacing pacing_;
};

class PostgresDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "pgbench"; }
    [[nodiscard]] std::string title() const override { return "PostgreSQL under pgbench"; }
    [[nodiscard]] std::string about() const override {
        return "short transactions on four tables (TPC-B like), each made durable by the write-ahead log";
    }
    [[nodiscard]] std::string operation() const override { return "transaction"; }
    [[nodiscard]] std::vector<Program> programs() const override {
        return {{"postgres", "postgresql"}, {"initdb", "postgresql"}, {"pgbench", "postgresql"}};
    }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"clients", "8", "connections at the same time", {}, 1, 2000},
                {"scale", "100", "100000 accounts each, about 15 MiB", {}, 1, 100000},
                {"mode", "read-write", "what a transaction does", {"read-write", "read-only"}}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        // The log takes its limit of an eighth of the area beside the share for data.
        return {kEmptyCluster + 2 * kSegment,
                static_cast<std::uint64_t>(task.number("scale")) * kBytesPerScale};
    }
    [[nodiscard]] double starting_seconds() const override { return kFirstSeconds; }
    [[nodiscard]] double filling_bytes_per_s() const override { return kFillRate; }
    [[nodiscard]] double slice_seconds() const override { return 0.5; }

    Result<void> initialise(Workplace& place, const DriverTask& task) const override {
        const std::string data = place.data("postgres");
        RunOptions patient;
        patient.timeout_seconds = kLoadSeconds;
        FSADVISE_TRY(place.run_checked({"initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                                        "--locale=C", "--no-instructions"},
                                       patient));
        const std::uint64_t wal_mib = wal_bytes(place.area_bytes()) / kMiB;
        std::string settings = read_file(data + "/postgresql.conf").value_or("");
        settings += fmt::format(
            "\nlisten_addresses = ''\nmax_connections = {}\nmax_wal_size = {}MB\nmin_wal_size = {}MB\n",
            task.number("clients") + 10, wal_mib, std::min<std::uint64_t>(80, wal_mib));
        FSADVISE_TRY(place.write(data + "/postgresql.conf", settings));
        FSADVISE_ASSIGN(Child server, start_server(place));
        auto words = pgbench_words(place);
        for (const std::string& word : {std::string("-i"), std::string("-q"), std::string("-s"),
                                        std::to_string(task.scaled("scale")), std::string("postgres")})
            words.push_back(word);
        FSADVISE_ASSIGN(const ProgramRun run, place.run(words, patient));
        if (run.exit_code != 0)
            return tl::unexpected(place.explain("PostgreSQL", &server, kLog, run.errors));
        server.stop(SIGINT, kLoadSeconds);
        return {};
    }

    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        FSADVISE_ASSIGN(Child server, start_server(*place));
        return std::make_unique<PostgresSession>(std::move(place), std::move(server), task);
    }

  private:
    // What the server shares between its processes would be in /dev/shm, where a killed server leaves it. As
    // mapped files it is in a folder of the data directory, for which a link to the private folder stands: off
    // the area, and gone with the session.
    static Result<void> share_in_private_folder(const Workplace& place) {
        const std::string link = place.data("postgres/pg_dynshmem"), folder = place.file("shared-memory");
        FSADVISE_TRY(place.make_folder(folder));
        std::error_code ignored;
        fs::remove_all(link, ignored);  // the folder of initdb, or the link of an earlier session
        if (::symlink(folder.c_str(), link.c_str()) != 0)
            return fail(ErrorCode::kRunFailed, "cannot make a link: " + errno_text(errno), link);
        return {};
    }

    static Result<Child> start_server(const Workplace& place) {
        FSADVISE_TRY(share_in_private_folder(place));
        FSADVISE_ASSIGN(Child server,
                        place.start({"postgres", "-D", place.data("postgres"), "-k", place.file(""), "-c",
                                     "dynamic_shared_memory_type=mmap"},
                                    kLog));
        const std::string log = place.file(kLog);
        FSADVISE_TRY(place.wait_ready("PostgreSQL", server, kLog, kStartSeconds, [&] {
            return read_file(log).value_or("").find("ready to accept connections") != std::string::npos;
        }));
        return server;
    }
};

}  // namespace

const Driver& postgres_driver() {
    static const PostgresDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
