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

TEST_CASE("a grid has no study, and needs a place to measure on") {
    test::check_refusal(with({"--record-grid", "t.jsonl", "--resume"}), 2, {"--record-grid", "same command"});
    test::check_refusal(with({"--record-grid", "t.jsonl", "--study", "s.sqlite"}), 2, {"no study"});
    test::check_refusal(with({"--record-grid", "t.jsonl", "--objective", "p99"}), 2,
                        {"records every figure"});
    test::check_refusal(with({"--record-grid", "t.jsonl"}), 2, {"--scratch-file"});
}
