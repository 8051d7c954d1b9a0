// SQLite: copies of one program, each inserting rows into an indexed table of its own database, a transaction
// each.
//
// The client is a forked process of our own with the SQLite library, since the command-line shell would spend
// a slice on starting. Slices are exact: a copy ends the transaction in hand when the time is over. Source:
// SQLite documentation, pragma synchronous and journal_mode (the library's defaults are kept: FULL, DELETE).
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"
#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLog = "sqlite.log";
constexpr std::uint64_t kBytesPerRow = 240;  // with both indexes; measured with SQLite 3.40
constexpr std::size_t kReportedLatencies = 512;
// Beyond the slice: one transaction on a slow disk.
constexpr double kPatienceSeconds = 120;

struct Database {
    sqlite3* handle = nullptr;
    sqlite3_stmt* insert = nullptr;
    Database() = default;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database() {
        sqlite3_finalize(insert);
        sqlite3_close(handle);
    }
    bool open(const std::string& path, const std::string& journal) {
        if (sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) !=
            SQLITE_OK)
            return false;
        return execute("PRAGMA journal_mode = " + journal);
    }
    bool execute(const std::string& sql) {
        return sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    bool prepare() {
        return sqlite3_prepare_v2(handle, "INSERT INTO entries(account, moment, note) VALUES (?, ?, ?)", -1,
                                  &insert, nullptr) == SQLITE_OK;
    }
    bool insert_row(std::uint64_t random, std::int64_t moment) {
        char note[101];
        for (std::size_t i = 0; i + 1 < sizeof note; ++i)
            note[i] = static_cast<char>('a' + (random >> (i % 48)) % 26);
        note[100] = '\0';
        sqlite3_bind_int64(insert, 1, static_cast<std::int64_t>(random >> 16));
        sqlite3_bind_int64(insert, 2, moment);
        sqlite3_bind_text(insert, 3, note, 100, SQLITE_STATIC);
        const bool done = sqlite3_step(insert) == SQLITE_DONE;
        return sqlite3_reset(insert) == SQLITE_OK && done;
    }
    // With the reason of the operating system, which SQLite's own text hides.
    [[nodiscard]] std::string reason() const {
        if (handle == nullptr) return "out of memory";
        std::string text = sqlite3_errmsg(handle);
        const int code = sqlite3_errcode(handle);
        const int number = sqlite3_system_errno(handle);
        if (code == SQLITE_FULL) text += ": " + errno_text(ENOSPC);
        if (code == SQLITE_IOERR && number != 0) text += ": " + errno_text(number);
        return text;
    }
};

std::string database_path(const Workplace& place, std::int64_t copy) {
    return place.data(fmt::format("copy-{}.sqlite", copy));
}

// Error text of a copy that broke, empty if all is well.
std::string fill(const std::string& path, std::int64_t rows, std::uint64_t seed, const std::string& journal) {
    Database database;
    const bool made =
        database.open(path, journal) &&
        database.execute(
            "CREATE TABLE entries(id INTEGER PRIMARY KEY, account INTEGER, moment INTEGER, note TEXT)") &&
        database.execute("CREATE INDEX by_account ON entries(account)") &&
        database.execute("CREATE INDEX by_note ON entries(note)") && database.prepare() &&
        database.execute("BEGIN");
    if (!made) return database.reason();
    Random random(seed);
    for (std::int64_t row = 0; row < rows; ++row) {
        if (!database.insert_row(random.next(), row)) return database.reason();
    }
    return database.execute("COMMIT") ? std::string() : database.reason();
}

// What goes through the socket between the session and a copy, one packet each.
struct Order {
    double seconds = 0;  // 0 = end
};
struct Report {
    std::uint64_t operations = 0;
    double seconds = 0;
    std::uint32_t latencies = 0;
    std::uint32_t latency_us[kReportedLatencies] = {};
    char reason[200] = {};
};

// A copy's life: orders in, reports out.
int serve(const std::string& path, const std::string& journal, std::uint64_t seed, int channel) {
    Database database;
    Random random(seed);
    const bool ready = database.open(path, journal) && database.prepare();
    std::int64_t moment = 0;
    for (Order order; ::read(channel, &order, sizeof order) == sizeof order && order.seconds > 0;) {
        Report report;
        const auto begin = Clock::now();
        auto before = begin;
        bool good = ready;
        while (good && report.seconds < order.seconds) {
            good = database.insert_row(random.next(), ++moment);
            const auto now = Clock::now();
            report.seconds = std::chrono::duration<double>(now - begin).count();
            // A reservoir: every operation has the same chance to be reported.
            std::uint64_t place = report.operations++;
            if (place >= kReportedLatencies) place = random.next() % report.operations;
            if (place < kReportedLatencies) {
                report.latency_us[place] = static_cast<std::uint32_t>(
                    std::chrono::duration_cast<std::chrono::microseconds>(now - before).count());
                report.latencies = std::max(report.latencies, static_cast<std::uint32_t>(place + 1));
            }
            before = now;
        }
        if (!good) {
            const std::string reason = database.reason();
            std::strncpy(report.reason, reason.c_str(), sizeof report.reason - 1);
        }
        if (::send(channel, &report, sizeof report, MSG_NOSIGNAL) != sizeof report) return 1;
    }
    return 0;
}

struct Copy {
    Child child;
    Fd channel;
};

class SqliteSession final : public DriverSession {
  public:
    SqliteSession(std::unique_ptr<Workplace> workplace, const DriverTask& task)
        : DriverSession(std::move(workplace)), task_(task) {}
    ~SqliteSession() override { copies_.clear(); }

    Result<void> start_copies() {
        for (std::int64_t number = 0; number < task_.number("copies"); ++number) {
            int ends[2];
            if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
                return fail(ErrorCode::kRunFailed, "cannot make a socket pair: " + errno_text(errno));
            Fd ours(ends[0]), theirs(ends[1]);
            ChildRequest request;
            request.body_fds = {theirs.get()};
            request.body = [path = database_path(workplace(), number), journal = task_.text("journal"),
                            seed = task_.seed + 1000 + static_cast<std::uint64_t>(number),
                            channel = theirs.get()] { return serve(path, journal, seed, channel); };
            FSADVISE_ASSIGN(Child child, workplace().start({}, kLog, request));
            copies_.push_back(Copy{std::move(child), std::move(ours)});
        }
        return {};
    }

    Result<Slice> run_slice(double seconds) override {
        const auto begin = Clock::now();
        const Order order{seconds};
        for (Copy& copy : copies_) {
            if (::send(copy.channel.get(), &order, sizeof order, MSG_NOSIGNAL) != sizeof order)
                return tl::unexpected(broken(copy));
        }
        Slice slice;
        for (Copy& copy : copies_) {
            FSADVISE_ASSIGN(const Report report, read_report(copy, seconds + kPatienceSeconds));
            if (report.reason[0] != '\0')
                return tl::unexpected(workplace().explain("SQLite", nullptr, {}, report.reason));
            slice.operations += static_cast<double>(report.operations);
            for (std::uint32_t i = 0; i < report.latencies; ++i)
                slice.latency.record(static_cast<std::int64_t>(report.latency_us[i]) * 1000);
        }
        slice.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        return slice;
    }
    [[nodiscard]] int server_process() const override { return copies_.front().child.program(); }

  private:
    Error broken(Copy& copy) { return workplace().explain("SQLite", &copy.child, kLog, {}); }

    Result<Report> read_report(Copy& copy, double patience_seconds) {
        const auto deadline = Clock::now() + std::chrono::duration<double>(patience_seconds);
        for (;;) {
            pollfd wait{copy.channel.get(), POLLIN, 0};
            if (::poll(&wait, 1, 100) > 0) {
                Report report;
                if (::read(copy.channel.get(), &report, sizeof report) != sizeof report)
                    return tl::unexpected(broken(copy));
                return report;
            }
            if (task_.stopped()) return fail(ErrorCode::kInterrupted, "stopped");
            if (Clock::now() > deadline)
                return fail(ErrorCode::kRunFailed, "a transaction does not end", "SQLite",
                            "a hanging device shows so: look at the kernel's log");
        }
    }

    DriverTask task_;
    std::vector<Copy> copies_;
};

class SqliteDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "sqlite"; }
    [[nodiscard]] std::string title() const override { return "SQLite inserts"; }
    [[nodiscard]] std::string about() const override {
        return "copies of a program insert rows into an indexed table of their own database, a transaction "
               "each";
    }
    [[nodiscard]] std::string operation() const override { return "insert"; }
    [[nodiscard]] std::vector<Program> programs() const override { return {}; }  // the library is linked
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"copies", "1", "programs at the same time, each with a database", {}, 1, 256},
                {"rows", "100000", "rows that a database holds at the start", {}, 0, 1'000'000'000},
                {"journal", "delete", "journal mode", {"delete", "truncate", "persist", "wal"}}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        const auto copies = static_cast<std::uint64_t>(task.number("copies"));
        return {copies * 2 * kMiB, copies * static_cast<std::uint64_t>(task.number("rows")) * kBytesPerRow};
    }
    [[nodiscard]] double slice_seconds() const override { return 0.1; }

    Result<void> initialise(Workplace& place, const DriverTask& task) const override {
        const std::int64_t rows = task.scaled("rows", 0);
        for (std::int64_t copy = 0; copy < task.number("copies"); ++copy) {
            ChildRequest request;
            const std::string path = database_path(place, copy);
            const std::uint64_t seed = task.seed + static_cast<std::uint64_t>(copy);
            request.body = [path, rows, seed, journal = task.text("journal")] {
                const std::string reason = fill(path, rows, seed, journal);
                [[maybe_unused]] const ssize_t told = ::write(2, reason.data(), reason.size());
                return reason.empty() ? 0 : 1;
            };
            FSADVISE_ASSIGN(Child child, place.start({}, kLog, request));
            const auto code = child.wait(3600, task.stop);
            if (!code) return fail(ErrorCode::kInterrupted, "stopped");
            if (*code != 0) return tl::unexpected(place.explain("SQLite", nullptr, kLog, {}));
        }
        return {};
    }

    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        auto session = std::make_unique<SqliteSession>(std::move(place), task);
        FSADVISE_TRY(session->start_copies());
        return session;
    }
};

}  // namespace

const Driver& sqlite_driver() {
    static const SqliteDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
