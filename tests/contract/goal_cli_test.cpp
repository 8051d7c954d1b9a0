// What tune refuses about goals and grids before it touches anything.
#include <doctest/doctest.h>

#include "support/command.h"
#include "support/temporary_folder.h"

using namespace fsadvise;

namespace {

std::vector<std::string> with(std::vector<std::string> more) {
    std::vector<std::string> words = {"tune", "--workload", "mail"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

TEST_CASE("a goal that cannot be meant is refused with the nearest known figure") {
    test::check_refusal(with({"--objective", "spaces"}), 2, {"--objective", "did you mean 'space'"});
    test::check_refusal(with({"--pareto", "throughput"}), 2, {"--pareto", "two figures"});
    test::check_refusal(with({"--constraint", "p99"}), 2, {"--constraint", "p99 < 5 ms"});
    test::check_refusal({"tune", "--resume", "--study", "s.sqlite", "--objective", "space"}, 2,
                        {"keeps its goal"});
}
