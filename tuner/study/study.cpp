#include "tuner/study/study.h"

#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "tuner/study/sqlite.h"
#include "tuner/study/study_file.h"

namespace fsadvise::tuner {

namespace {

// "2026-05-20T14:03:07Z": sorts as text, understood by SQLite's date functions.
std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm fields{};
    gmtime_r(&now, &fields);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
    return text;
}

// Ids are not checked against knowledge here: a study must stay readable when a parameter is retired.
Result<Configuration> parse_configuration(const std::string& text, const std::string& path, int trial) {
    const auto damaged = [&] {
        return fail(ErrorCode::kBadInput,
                    fmt::format("is damaged: trial {} has no readable configuration", trial), path);
    };
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return damaged();
    const auto filesystem = json.find("filesystem");
    const auto values = json.find("values");
    if (filesystem == json.end() || !filesystem->is_string() || values == json.end() ||
        !values->is_object()) {
        return damaged();
    }
    Configuration configuration{filesystem->get<std::string>(), {}};
    for (const auto& [id, value] : values->items()) {
        if (value.is_structured() || value.is_null()) return damaged();
        configuration.values[id] = value_from_json(value);
    }
    return configuration;
}

}  // namespace

Result<std::unique_ptr<Study>> Study::create(const std::string& path) {
    std::unique_ptr<Study> study(new Study);
    study->path_ = path;
    FSADVISE_ASSIGN(study->db_, create_study_file(path));
    return study;
}

Result<std::unique_ptr<Study>> Study::open(const std::string& path) {
    std::unique_ptr<Study> study(new Study);
    study->path_ = path;
    FSADVISE_ASSIGN(study->db_, open_study_file(path));
    return study;
}

Study::~Study() {
    sqlite3_close(db_);
}

Result<void> Study::set(const std::string& key, const std::string& value) {
    FSADVISE_ASSIGN(Statement statement,
                    Statement::prepare(db_, path_,
                                       "INSERT INTO study (key, value) VALUES (?, ?) "
                                       "ON CONFLICT (key) DO UPDATE SET value = excluded.value"));
    return statement.bind(1, key).bind(2, value).run();
}

std::optional<std::string> Study::get(const std::string& key) const {
    auto statement = Statement::prepare(db_, path_, "SELECT value FROM study WHERE key = ?");
    if (!statement) return std::nullopt;
    const auto row = statement->bind(1, key).step();
    if (!row || !*row) return std::nullopt;
    return statement->text(0);
}

Result<int> Study::begin_trial(const Configuration& configuration, const std::string& origin) {
    const std::string text = to_json(configuration).dump();
    FSADVISE_ASSIGN(Transaction transaction, Transaction::begin(db_, path_));
    // A stopped trial of this configuration is done over in its own place.
    int number = -1;
    {
        FSADVISE_ASSIGN(Statement stopped,
                        Statement::prepare(db_, path_,
                                           "SELECT number FROM trial WHERE state = 'running' AND "
                                           "configuration_json = ? ORDER BY number"));
        stopped.bind(1, text);
        while (number < 0) {
            FSADVISE_ASSIGN(const bool row, stopped.step());
            if (!row) break;
            if (const int found = static_cast<int>(stopped.integer(0)); !begun_.contains(found))
                number = found;
        }
    }
    if (number < 0) {
        FSADVISE_ASSIGN(Statement next,
                        Statement::prepare(db_, path_, "SELECT coalesce(max(number) + 1, 0) FROM trial"));
        FSADVISE_TRY(next.step());
        number = static_cast<int>(next.integer(0));
    } else {
        FSADVISE_ASSIGN(Statement forget,
                        Statement::prepare(db_, path_, "DELETE FROM measurement WHERE trial = ?"));
        FSADVISE_TRY(forget.bind(1, number).run());
    }
    {
        FSADVISE_ASSIGN(
            Statement insert,
            Statement::prepare(db_, path_,
                               "INSERT OR REPLACE INTO trial (number, configuration_json, filesystem, "
                               "origin, state, started) VALUES (?, ?, ?, ?, 'running', ?)"));
        insert.bind(1, number)
            .bind(2, text)
            .bind(3, configuration.filesystem)
            .bind(4, origin)
            .bind(5, utc_now());
        FSADVISE_TRY(insert.run());
    }
    FSADVISE_TRY(transaction.commit());
    begun_.insert(number);
    return number;
}

Result<void> Study::add_measurement(int trial, const Measurement& measurement) {
    if (!std::isfinite(measurement.log_ratio) || !std::isfinite(measurement.deviation)) {
        return fail(ErrorCode::kRunFailed, fmt::format("trial {} measured no finite ratio", trial), path_);
    }
    FSADVISE_ASSIGN(
        Statement statement,
        Statement::prepare(db_, path_,
                           "INSERT INTO measurement (trial, replicate, phase, log_ratio, deviation, "
                           "metrics_json, effective_json) SELECT number, ?, ?, ?, ?, ?, ? FROM trial "
                           "WHERE number = ?"));
    statement.bind(1, measurement.replicate).bind(2, measurement.phase).bind(3, measurement.log_ratio);
    statement.bind(4, measurement.deviation).bind(5, measurement.metrics).bind(6, measurement.effective);
    FSADVISE_TRY(statement.bind(7, trial).run());
    if (sqlite3_changes(db_) == 1) return {};
    return fail(ErrorCode::kRunFailed, fmt::format("there is no trial {}", trial), path_);
}

Result<void> Study::finish_trial(int trial, const std::string& state, const std::string& reason) {
    if (state != "complete" && state != "failed") {
        return fail(ErrorCode::kRunFailed, "a trial ends complete or failed, not '" + state + "'", path_);
    }
    FSADVISE_ASSIGN(Statement statement,
                    Statement::prepare(
                        db_, path_, "UPDATE trial SET state = ?, reason = ?, finished = ? WHERE number = ?"));
    FSADVISE_TRY(statement.bind(1, state).bind(2, reason).bind(3, utc_now()).bind(4, trial).run());
    if (sqlite3_changes(db_) == 1) return {};
    return fail(ErrorCode::kRunFailed, fmt::format("there is no trial {}", trial), path_);
}

Result<std::vector<Trial>> Study::trials() const {
    // One read transaction, so that both tables are of the same moment while another process writes.
    FSADVISE_TRY(run_script(db_, path_, "BEGIN"));
    auto read = [&]() -> Result<std::vector<Trial>> {
        std::vector<Trial> trials;
        FSADVISE_ASSIGN(Statement rows,
                        Statement::prepare(db_, path_,
                                           "SELECT number, configuration_json, origin, state, reason "
                                           "FROM trial ORDER BY number"));
        while (true) {
            FSADVISE_ASSIGN(const bool row, rows.step());
            if (!row) break;
            Trial trial;
            trial.number = static_cast<int>(rows.integer(0));
            FSADVISE_ASSIGN(trial.configuration, parse_configuration(rows.text(1), path_, trial.number));
            trial.origin = rows.text(2);
            trial.state = rows.text(3);
            trial.reason = rows.text(4);
            if (trial.state == "running" && !begun_.contains(trial.number)) trial.state = "interrupted";
            if (trial.number != static_cast<int>(trials.size())) {
                return fail(ErrorCode::kBadInput,
                            fmt::format("is damaged: trial {} is missing", trials.size()), path_);
            }
            trials.push_back(std::move(trial));
        }
        FSADVISE_ASSIGN(Statement numbers,
                        Statement::prepare(db_, path_,
                                           "SELECT trial, replicate, phase, log_ratio, deviation, "
                                           "metrics_json, effective_json FROM measurement "
                                           "ORDER BY rowid"));
        while (true) {
            FSADVISE_ASSIGN(const bool row, numbers.step());
            if (!row) break;
            const auto trial = static_cast<std::size_t>(numbers.integer(0));
            if (trial >= trials.size()) {
                return fail(ErrorCode::kBadInput, fmt::format("is damaged: trial {} is missing", trial),
                            path_);
            }
            trials[trial].measurements.push_back({static_cast<int>(numbers.integer(1)), numbers.text(2),
                                                  numbers.real(3), numbers.real(4), numbers.text(5),
                                                  numbers.text(6)});
        }
        return trials;
    }();
    sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
    return read;
}

}  // namespace fsadvise::tuner
