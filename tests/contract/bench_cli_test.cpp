// What `fsadvise bench` refuses, before anything is formatted.
#include <doctest/doctest.h>

#include "support/command.h"

using fsadvise::test::check_refusal;

namespace {

std::vector<std::string> with_scratch(std::vector<std::string> words) {
    const std::vector<std::string> start = {
        "bench", "--workload", "postgres", "--scratch-file", "/nonexistent/scratch", "--size", "2G"};
    words.insert(words.begin(), start.begin(), start.end());
    return words;
}

}  // namespace

TEST_CASE("bench wants exactly one thing to measure, and a place for it") {
    check_refusal({"bench", "--workload", "postgres"}, 2, {"nothing to measure", "--path DIR"});
    check_refusal({"bench", "--workload", "postgres", "--path", "/tmp", "--config", "xfs"}, 2,
                  {"more than one"});
    check_refusal({"bench", "--workload", "postgres", "--config", "xfs"}, 2, {"name one place"});
    check_refusal({"bench", "--path", "/tmp"}, 2, {"no workload"});
    check_refusal({"bench", "--workload", "postgres", "--path", "/nonexistent"}, 2,
                  {"/nonexistent", "no directory"});
    check_refusal({"bench", "--workload", "postgres", "--path", "/tmp", "--data", "900000T"}, 2,
                  {"does not fit"});
    check_refusal({"bench", "--workload", "postgres", "--path", "/tmp", "--seconds", "0"}, 2, {"--seconds"});
}

TEST_CASE("bench refuses a configuration that would not work, and says why") {
    check_refusal(with_scratch({"--config", "xsf"}), 2, {"did you mean 'xfs'"});
    check_refusal(with_scratch({"--config", "xfs::nobarrier"}), 2, {"nobarrier"});
    check_refusal(with_scratch({"--config", "xfs:-m reflinc=0"}), 2, {"reflinc"});
    check_refusal(with_scratch({"--config", "xfs:-m reflink=7"}), 2, {"reflink=7"});
    check_refusal(with_scratch({"--config", "ext4:-m"}), 2, {"-m"});
    check_refusal(with_scratch({"--compare", "xfs", "/tmp"}), 2, {"cannot be compared"});
}
