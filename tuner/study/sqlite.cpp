#include "tuner/study/sqlite.h"

#include <sqlite3.h>

namespace fsadvise::tuner {

Error sqlite_error(sqlite3* database, const std::string& path) {
    const std::string said = sqlite3_errmsg(database);
    switch (sqlite3_errcode(database) & 0xff) {  // extended codes keep the primary one in the low byte
        case SQLITE_NOTADB:
            return {ErrorCode::kBadInput, "is no study: " + said, path, "a study is made by 'fsadvise tune'"};
        case SQLITE_CORRUPT:
            return {ErrorCode::kBadInput, "is damaged: " + said, path,
                    "restore a copy, or start a new study"};
        case SQLITE_FULL:
            return {ErrorCode::kRunFailed, "the disk is full", path,
                    "free space; what was measured so far is kept"};
        case SQLITE_READONLY:
            return {ErrorCode::kRunFailed, "can only be read: " + said, path,
                    "copy it to a folder that is writable"};
        case SQLITE_BUSY:
            return {ErrorCode::kRunFailed, "is in use by another program", path, "wait for it to end"};
        case SQLITE_CANTOPEN:
            return {ErrorCode::kRunFailed, "cannot be opened: " + said, path, "is its folder writable?"};
        default:
            return {ErrorCode::kRunFailed, said, path, {}};
    }
}

Result<void> run_script(sqlite3* database, const std::string& path, const char* script) {
    if (sqlite3_exec(database, script, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return tl::unexpected(sqlite_error(database, path));
}

Result<Statement> Statement::prepare(sqlite3* database, const std::string& path, std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
        SQLITE_OK) {
        return tl::unexpected(sqlite_error(database, path));
    }
    return Statement(database, statement, path);
}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

// Binding fails only for a wrong position or lack of memory; the step that follows reports it.
Statement& Statement::bind(int position, std::int64_t value) {
    sqlite3_bind_int64(statement_, position, value);
    return *this;
}

Statement& Statement::bind(int position, double value) {
    sqlite3_bind_double(statement_, position, value);
    return *this;
}

Statement& Statement::bind(int position, std::string_view value) {
    sqlite3_bind_text64(statement_, position, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Result<bool> Statement::step() {
    switch (sqlite3_step(statement_)) {
        case SQLITE_ROW:
            return true;
        case SQLITE_DONE:
            return false;
        default:
            return tl::unexpected(sqlite_error(database_, path_));
    }
}

Result<void> Statement::run() {
    FSADVISE_TRY(step());
    return {};
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
                : std::string();
}

Result<Transaction> Transaction::begin(sqlite3* database, const std::string& path) {
    // IMMEDIATE: a second writer is noticed here and not in the middle.
    FSADVISE_TRY(run_script(database, path, "BEGIN IMMEDIATE"));
    return Transaction(database, path);
}

Transaction::~Transaction() {
    if (database_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit() {
    FSADVISE_TRY(run_script(database_, path_, "COMMIT"));
    database_ = nullptr;
    return {};
}

}  // namespace fsadvise::tuner
