// The little of SQLite that a study needs: scripts, prepared statements, errors as values.
//
// Errors: kBadInput for a damaged file or one that is no database, kRunFailed for everything else.
// Source: SQLite C interface, https://www.sqlite.org/c3ref/intro.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fsadvise::tuner {

// The error state of a connection as a value; `path` becomes the context.
Error sqlite_error(sqlite3* database, const std::string& path);

// Runs statements without results.
Result<void> run_script(sqlite3* database, const std::string& path, const char* script);

// Invariant: a compiled statement of an open connection, finalized here.
class Statement {
  public:
    static Result<Statement> prepare(sqlite3* database, const std::string& path, std::string_view sql);
    Statement(Statement&& other) noexcept
        : database_(other.database_),
          statement_(std::exchange(other.statement_, nullptr)),
          path_(other.path_) {}
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    // Positions count from 1, as in SQLite.
    Statement& bind(int position, std::int64_t value);
    Statement& bind(int position, int value) { return bind(position, static_cast<std::int64_t>(value)); }
    Statement& bind(int position, double value);
    Statement& bind(int position, std::string_view value);

    // True if there is a row, false at the end.
    Result<bool> step();
    // For statements that return nothing.
    Result<void> run();

    // Columns count from 0.
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;

  private:
    Statement(sqlite3* database, sqlite3_stmt* statement, const std::string& path)
        : database_(database), statement_(statement), path_(path) {}

    sqlite3* database_;
    sqlite3_stmt* statement_;
    std::string path_;
};

// Invariant: rolls back unless committed.
class Transaction {
  public:
    static Result<Transaction> begin(sqlite3* database, const std::string& path);
    Transaction(Transaction&& other) noexcept
        : database_(std::exchange(other.database_, nullptr)), path_(other.path_) {}
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    Result<void> commit();

  private:
    Transaction(sqlite3* database, const std::string& path) : database_(database), path_(path) {}

    sqlite3* database_;
    std::string path_;
};

}  // namespace fsadvise::tuner
