// The study store: what is written is read back; stopped trials are found again; foreign files are refused.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <unistd.h>

#include "tuner/study/study.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = std::filesystem::temp_directory_path().string() + "/fsadvise-study.XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

Configuration xfs_with_groups(std::int64_t groups) {
    return {"xfs",
            {{"xfs.mkfs.agcount", Value(groups)},
             {"xfs.mkfs.reflink", Value(false)},
             {"xfs.test.ratio", Value(0.5)},
             {"xfs.mount.atime", Value(std::string("noatime"))}}};
}

void run_sql(const std::string& path, const char* script) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, script, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

}  // namespace

TEST_CASE("a study gives back what was written") {
    const TemporaryFolder folder;
    {
        auto study = Study::create(folder.file("a.study"));
        REQUIRE(study);
        CHECK((*study)->set("seed", "1"));
        CHECK((*study)->set("seed", "7"));
        CHECK((*study)->begin_trial(xfs_with_groups(8), "expert").value() == 0);
        CHECK((*study)->begin_trial(xfs_with_groups(16), "model").value() == 1);
        CHECK((*study)->add_measurement(0, {2, "search", 0.25, 0.01, "{\"a\":1}", "{}"}));
        CHECK((*study)->add_measurement(0, {3, "confirm", -0.5, 0.02, "{}", "{}"}));
        CHECK((*study)->finish_trial(0, "complete", ""));
        CHECK((*study)->finish_trial(1, "failed", "mkfs said no"));
    }
    const auto study = Study::open(folder.file("a.study"));
    REQUIRE(study);
    CHECK((*study)->path() == folder.file("a.study"));
    CHECK((*study)->get("seed") == "7");
    CHECK_FALSE((*study)->get("absent"));
    const auto trials = (*study)->trials();
    REQUIRE(trials);
    REQUIRE(trials->size() == 2);
    CHECK((*trials)[0].configuration == xfs_with_groups(8));
    CHECK((*trials)[0].origin == "expert");
    CHECK((*trials)[0].state == "complete");
    REQUIRE((*trials)[0].measurements.size() == 2);
    CHECK((*trials)[0].measurements[0].replicate == 2);
    CHECK((*trials)[0].measurements[0].metrics == "{\"a\":1}");
    CHECK((*trials)[0].measurements[1].phase == "confirm");
    CHECK((*trials)[0].measurements[1].log_ratio == -0.5);
    CHECK((*trials)[0].measurements[1].deviation == 0.02);
    CHECK((*trials)[1].state == "failed");
    CHECK((*trials)[1].reason == "mkfs said no");
}

TEST_CASE("a stopped trial is interrupted and is done over in its place") {
    const TemporaryFolder folder;
    {
        auto study = Study::create(folder.file("a.study"));
        REQUIRE(study);
        REQUIRE((*study)->begin_trial(xfs_with_groups(4), "default:xfs"));
        REQUIRE((*study)->finish_trial(0, "complete", ""));
        REQUIRE((*study)->begin_trial(xfs_with_groups(8), "expert"));
        REQUIRE((*study)->add_measurement(1, {0, "search", 1, 1, "{}", "{}"}));
        // The process that works on it does not take its own trial for a stopped one.
        CHECK((*study)->trials()->at(1).state == "running");
    }
    auto study = Study::open(folder.file("a.study"));
    REQUIRE(study);
    CHECK((*study)->trials()->at(1).state == "interrupted");
    // Something else may come first.
    CHECK((*study)->begin_trial(xfs_with_groups(32), "random").value() == 2);
    CHECK((*study)->begin_trial(xfs_with_groups(8), "expert").value() == 1);
    const auto trials = (*study)->trials();
    CHECK(trials->at(1).state == "running");
    CHECK(trials->at(1).measurements.empty());
    // A complete one is a new trial when proposed again.
    CHECK((*study)->begin_trial(xfs_with_groups(4), "model").value() == 3);
}

TEST_CASE("a study is made once and opened only if there") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.study");
    const auto missing = Study::open(path);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::kBadInput);
    CHECK(missing.error().message == "does not exist");
    CHECK_FALSE(std::filesystem::exists(path));

    REQUIRE(Study::create(path));
    const auto twice = Study::create(path);
    REQUIRE_FALSE(twice);
    CHECK(twice.error().message == "exists already");
    CHECK(Study::open(path));

    const auto nowhere = Study::create(folder.file("no/such/folder"));
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().code == ErrorCode::kRunFailed);
}

TEST_CASE("foreign files are refused, each with its reason") {
    const TemporaryFolder folder;
    std::string path = folder.file("text");
    std::ofstream(path)
        << "this is a text file, long enough to be taken for a database header, but it is none\n"
        << std::string(4096, 'x');
    auto opened = Study::open(path);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kBadInput);
    CHECK(opened.error().message.find("is no study") != std::string::npos);

    path = folder.file("empty");
    std::ofstream{path};
    opened = Study::open(path);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message.find("no study") != std::string::npos);

    path = folder.file("other.db");
    run_sql(path, "CREATE TABLE t (x); INSERT INTO t VALUES (1);");
    opened = Study::open(path);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message == "is an SQLite file, but no study");

    path = folder.file("newer.study");
    REQUIRE(Study::create(path));
    run_sql(path, "PRAGMA user_version = 2;");
    opened = Study::open(path);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kBadInput);
    CHECK(opened.error().message == "has schema version 2, this program reads 1");

    opened = Study::open(folder.file("."));
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kBadInput);
}

TEST_CASE("wrong calls are errors and leave the study as it was") {
    const TemporaryFolder folder;
    auto study = Study::create(folder.file("a.study"));
    REQUIRE(study);
    CHECK_FALSE((*study)->add_measurement(0, {0, "search", 0, 0, "{}", "{}"}));
    CHECK_FALSE((*study)->finish_trial(0, "complete", ""));
    REQUIRE((*study)->begin_trial(xfs_with_groups(8), "expert"));
    CHECK_FALSE((*study)->finish_trial(0, "done", ""));
    CHECK_FALSE((*study)->add_measurement(0, {0, "search", std::nan(""), 0, "{}", "{}"}));
    CHECK((*study)->trials()->at(0).measurements.empty());
    CHECK((*study)->trials()->at(0).state == "running");
}

TEST_CASE("a second process reads while the first writes") {
    const TemporaryFolder folder;
    auto writer = Study::create(folder.file("a.study"));
    REQUIRE(writer);
    auto reader = Study::open(folder.file("a.study"));
    REQUIRE(reader);
    REQUIRE((*writer)->begin_trial(xfs_with_groups(8), "expert"));
    CHECK((*reader)->trials()->size() == 1);
    REQUIRE((*writer)->finish_trial(0, "complete", ""));
    CHECK((*reader)->trials()->at(0).state == "complete");
}
