// What the tests of application drivers share: tiny tasks, a directory that the applications' user may enter,
// skips.
#pragma once

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/drivers/driver.h"

namespace fsadvise::test {

class OpenFolder {
  public:
    OpenFolder() {
        std::string pattern = "/dev/shm/fsadvise-driver-test.XXXXXX";
        path_ = ::mkdtemp(pattern.data());
        ::chmod(path_.c_str(), 0711);
    }
    ~OpenFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

// The smallest task that still does what the driver does.
inline tuner::DriverTask tiny_task(const std::string& driver) {
    static const std::map<std::string, std::map<std::string, std::string>> kTiny = {
        {"pgbench", {{"scale", "1"}, {"clients", "2"}}},
        {"mariadb", {{"rows", "500"}, {"tables", "1"}, {"clients", "2"}}},
        {"sqlite", {{"rows", "50"}, {"copies", "2"}}},
        {"dbench", {{"clients", "2"}}},
        {"nginx", {{"files", "50"}, {"size-kib", "4"}, {"clients", "2"}}},
        {"build", {{"sources", "2"}}},
        {"git", {{"files", "30"}}},
        {"command",
         {{"command", "dd if=/dev/zero of={dir}/file bs=1M count=2"},
          {"metric-regex", ", ([0-9.]+) [MG]B/s"}}}};
    auto task = tuner::resolve_task(driver, kTiny.at(driver));
    REQUIRE_MESSAGE(task, to_text(task.error()));
    return *task;
}

// Prints the skip if a program is missing or the driver needs root.
inline bool can_drive(const std::string& id) {
    const auto driver = tuner::find_driver(id);
    REQUIRE(driver);
    if (const auto programs = tuner::check_programs(**driver); !programs) {
        MESSAGE("SKIPPED: ", to_text(programs.error()));
        return false;
    }
    if (id == "nginx" && ::geteuid() != 0) {
        MESSAGE("SKIPPED: a private network needs root");
        return false;
    }
    return true;
}

// Private folders in the temporary directory that belong to this process.
inline int private_folders() {
    int count = 0;
    const std::string prefix = "fsadvise-driver." + std::to_string(::getpid()) + ".";
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
        if (entry.path().filename().string().starts_with(prefix)) ++count;
    }
    return count;
}

}  // namespace fsadvise::test
