#include "tuner/drivers/registry.h"

namespace fsadvise::tuner {

const std::vector<const Driver*>& drivers() {
    static const std::vector<const Driver*> all = {&postgres_driver(), &mariadb_driver(), &sqlite_driver(),
                                                   &dbench_driver(),   &nginx_driver(),   &build_driver(),
                                                   &git_driver(),      &command_driver()};
    return all;
}

// The application tests of a published comparison of four filesystems, so that its numbers can be checked on
// one's own disk. Source: Phoronix, "Linux 5.14 SSD File-System Benchmarks", August 2021 (test names and
// parameters).
const std::vector<DriverSetting>& driver_settings() {
    static const std::vector<DriverSetting> all = {
        {"sqlite-1", "sqlite", "SQLite, 1 copy", {{"copies", "1"}}},
        {"sqlite-8", "sqlite", "SQLite, 8 copies", {{"copies", "8"}}},
        {"dbench-6", "dbench", "Dbench, 6 clients", {{"clients", "6"}}},
        {"mariadb-128", "mariadb", "MariaDB, 128 clients", {{"clients", "128"}}},
        {"mariadb-256", "mariadb", "MariaDB, 256 clients", {{"clients", "256"}}},
        {"mariadb-512", "mariadb", "MariaDB, 512 clients", {{"clients", "512"}}},
        {"pgbench-100-read-write",
         "pgbench",
         "pgbench, scale 100, 50 clients, read and write",
         {{"scale", "100"}, {"clients", "50"}, {"mode", "read-write"}}},
        {"pgbench-1000-read-write",
         "pgbench",
         "pgbench, scale 1000, 50 clients, read and write",
         {{"scale", "1000"}, {"clients", "50"}, {"mode", "read-write"}}},
        {"pgbench-1000-read-only",
         "pgbench",
         "pgbench, scale 1000, 50 clients, read only",
         {{"scale", "1000"}, {"clients", "50"}, {"mode", "read-only"}}},
    };
    return all;
}

}  // namespace fsadvise::tuner
