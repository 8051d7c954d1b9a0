// fsadvise ask, with answers from standard input.
#include <doctest/doctest.h>

#include "support/command.h"

using namespace fsadvise;
using test::run_fsadvise;

TEST_CASE("five answers make a command line, which is shown and run") {
    const auto asked = run_fsadvise({"ask"}, "postgresql\nnvme\n500G\nsnapshots, compression\ndebian12\n");
    CAPTURE(asked.errors);
    CHECK(asked.exit_code == 0);
    CHECK(asked.errors.find("fsadvise recommend --workload postgres --media nvme --size 500g --require "
                            "snapshots,compression --distro debian12") != std::string::npos);
    CHECK(asked.errors.find("5 of 5: ") != std::string::npos);
    const auto same = run_fsadvise({"recommend", "--workload", "postgres", "--media", "nvme", "--size",
                                    "500G", "--require", "snapshots,compression", "--distro", "debian12"});
    CHECK(asked.output == same.output);
}

TEST_CASE("empty answers are defaults, and so is the end of the answers") {
    const auto asked = run_fsadvise({"ask"}, "mail\n");
    CHECK(asked.exit_code == 0);
    CHECK(asked.errors.find("fsadvise recommend --workload mail\n") != std::string::npos);
    CHECK(run_fsadvise({"ask"}, "mail\n\n\n\n\n").output == asked.output);
}

TEST_CASE("what is not understood is asked again, and then refused") {
    const auto again = run_fsadvise({"ask"}, "postgers\npostgres\nfloppy\nhdd\nmuch\n\n\n\n");
    CHECK(again.exit_code == 0);
    CHECK(again.errors.find("did you mean 'postgres'?") != std::string::npos);
    CHECK(again.errors.find("is no size") != std::string::npos);
    CHECK(again.errors.find("--workload postgres --media hdd\n") != std::string::npos);
    const auto refused = run_fsadvise({"ask"}, "a\nb\nc\npostgres\n");
    CHECK(refused.exit_code == 2);
    CHECK(refused.output.empty());
    CHECK(run_fsadvise({"ask"}, "").exit_code == 2);
    CHECK(run_fsadvise({"ask"}, "mail\n\n\n\n--help\n--help\n-x\n").exit_code == 2);
}
