#include "tuner/study/study_file.h"

#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/study/sqlite.h"
#include "tuner/study/study.h"

namespace fsadvise::tuner {

namespace {

// "FSAD": tells a study from other SQLite files, see PRAGMA application_id.
constexpr std::int64_t kApplicationId = 0x46534144;
constexpr int kBusyMilliseconds = 5000;

constexpr const char* kSchema = R"(
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE trial (
    number INTEGER PRIMARY KEY,
    configuration_json TEXT NOT NULL,
    filesystem TEXT NOT NULL,
    origin TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    started TEXT NOT NULL,
    finished TEXT);
CREATE TABLE measurement (
    trial INTEGER NOT NULL REFERENCES trial (number),
    replicate INTEGER NOT NULL,
    phase TEXT NOT NULL,
    log_ratio REAL NOT NULL,
    deviation REAL NOT NULL,
    metrics_json TEXT NOT NULL,
    effective_json TEXT NOT NULL);
CREATE INDEX measurement_by_trial ON measurement (trial);
)";

struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, Closer>;

Result<Database> connect(const std::string& name, const std::string& path, int flags) {
    sqlite3* raw = nullptr;
    const int status = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(raw);
    if (!database) return fail(ErrorCode::kRunFailed, "out of memory", path);
    if (status != SQLITE_OK) return tl::unexpected(sqlite_error(database.get(), path));
    sqlite3_busy_timeout(database.get(), kBusyMilliseconds);
    return database;
}

Result<std::int64_t> ask_integer(sqlite3* database, const std::string& path, const char* question) {
    FSADVISE_ASSIGN(Statement statement, Statement::prepare(database, path, question));
    FSADVISE_TRY(statement.step());
    return statement.integer(0);
}

Result<void> write_schema(sqlite3* database, const std::string& path) {
    // WAL cannot be switched on inside a transaction. It survives in the file.
    FSADVISE_TRY(run_script(database, path, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"));
    FSADVISE_ASSIGN(Transaction transaction, Transaction::begin(database, path));
    FSADVISE_TRY(run_script(database, path, kSchema));
    const std::string identity = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                             kApplicationId, kStudySchemaVersion);
    FSADVISE_TRY(run_script(database, path, identity.c_str()));
    return transaction.commit();
}

Result<void> check_identity(sqlite3* database, const std::string& path) {
    FSADVISE_ASSIGN(const std::int64_t application, ask_integer(database, path, "PRAGMA application_id"));
    if (application != kApplicationId) {
        return fail(ErrorCode::kBadInput, "is an SQLite file, but no study", path,
                    "a study is made by 'fsadvise tune'");
    }
    FSADVISE_ASSIGN(const std::int64_t version, ask_integer(database, path, "PRAGMA user_version"));
    if (version != kStudySchemaVersion) {
        return fail(ErrorCode::kBadInput,
                    fmt::format("has schema version {}, this program reads {}", version, kStudySchemaVersion),
                    path, "use the release of fsadvise that made it");
    }
    // Studies are small; a torn page is better found here than in the middle of a report.
    FSADVISE_ASSIGN(Statement check, Statement::prepare(database, path, "PRAGMA quick_check(1)"));
    FSADVISE_TRY(check.step());
    if (check.text(0) != "ok") {
        return fail(ErrorCode::kBadInput, "is damaged: " + check.text(0), path,
                    "restore a copy, or start a new study");
    }
    return {};
}

// Characters that have a meaning in an SQLite URI are percent-encoded.
std::string immutable_uri(const std::string& path) {
    std::string uri = "file:";
    for (const char letter : path) {
        if (letter == '%' || letter == '?' || letter == '#')
            uri += fmt::format("%{:02X}", static_cast<int>(letter));
        else
            uri += letter;
    }
    return uri + "?immutable=1";
}

bool folder_is_writable(const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    return ::access(folder.c_str(), W_OK) == 0 && ::access(path.c_str(), W_OK) == 0;
}

}  // namespace

Result<sqlite3*> create_study_file(const std::string& path) {
    // SQLite would open an existing file; only the kernel can say "not there before".
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (file < 0) {
        if (errno == EEXIST) {
            return fail(ErrorCode::kRunFailed, "exists already", path,
                        "continue it with --resume, or name another file");
        }
        return fail(ErrorCode::kRunFailed, "cannot make the study: " + errno_text(errno), path,
                    "name a file in a folder that is writable");
    }
    ::close(file);
    auto written = [&]() -> Result<sqlite3*> {
        FSADVISE_ASSIGN(Database database, connect(path, path, SQLITE_OPEN_READWRITE));
        FSADVISE_TRY(write_schema(database.get(), path));
        return database.release();
    }();
    if (!written) ::unlink(path.c_str());
    return written;
}

Result<sqlite3*> open_study_file(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return fail(ErrorCode::kBadInput, errno == ENOENT ? "does not exist" : errno_text(errno), path,
                    "a study is made by 'fsadvise tune'");
    }
    if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kBadInput, "is no study: not a regular file", path);
    // Reading a WAL file needs a shared-memory file next to it, unless SQLite is told that nobody writes.
    const bool writable = folder_is_writable(path);
    FSADVISE_ASSIGN(Database database,
                    writable ? connect(path, path, SQLITE_OPEN_READWRITE)
                             : connect(immutable_uri(path), path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
    FSADVISE_TRY(check_identity(database.get(), path));
    if (writable) FSADVISE_TRY(run_script(database.get(), path, "PRAGMA synchronous = NORMAL"));
    return database.release();
}

}  // namespace fsadvise::tuner
