// Requests that people made in public: the order of filesystems, the commands and the warnings of the answer.
#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "advice/advise.h"
#include "advice/example.h"
#include "base/text.h"
#include "space/knowledge_files.h"

#include "knowledge/sample_files.h"

using namespace fsadvise;
using Json = nlohmann::json;

namespace {

std::string words_of(const Advice& advice) {
    std::string text = join(advice.warnings, "\n") + join(advice.notes, "\n");
    for (const auto& setting : advice.application) text += "\n" + setting.name + "=" + setting.value;
    return advice.ranked.empty() ? text : text + "\n" + join(advice.ranked.front().warnings, "\n");
}

std::string command_of(const Recommendation& recommendation) {
    return join(recommendation.commands.mkfs, " ") + " " + recommendation.commands.mount_options;
}

void check_question(const Knowledge& knowledge, const RuleNetwork& network, const Json& question) {
    const auto id = question.at("id").get<std::string>();
    auto example = request_from_example(question.at("request").dump());
    if (!example) FAIL_CHECK(id << ": " << to_text(example.error()));
    if (!example) return;
    if (question.contains("only"))
        example->request.requirements.filesystems = {question.at("only").get<std::string>()};
    const auto advice = advise(knowledge, network, example->request);
    if (!advice) FAIL_CHECK(id << ": " << to_text(advice.error()));
    if (!advice) return;
    const auto order = question.at("order").get<std::vector<std::string>>();
    REQUIRE_MESSAGE(advice->ranked.size() >= order.size(), id << ": too few filesystems");
    for (std::size_t place = 0; place < order.size(); ++place) {
        CHECK_MESSAGE(advice->ranked[place].configuration.filesystem == order[place],
                      id << ": not at place " << place + 1 << ": " << order[place]);
    }
    const std::string words = words_of(*advice);
    const std::string command = advice->ranked.empty() ? std::string() : command_of(advice->ranked.front());
    const auto check = [&](const char* key, const std::string& text, bool expected) {
        for (const auto& word : question.value(key, std::vector<std::string>{})) {
            const bool found = text.find(word) != std::string::npos;
            CHECK_MESSAGE(found == expected, id << ": " << std::string(expected ? "misses '" : "has '")
                                                << word << "': " << text);
        }
    };
    check("must", words, true);
    check("must_command", command, true);
    check("must_not_command", command, false);
}

}  // namespace

TEST_CASE("requests that people made are answered as experts did") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    if (!knowledge) FAIL(to_text(knowledge.error()));
    const auto network = RuleNetwork::build(*knowledge);
    if (!network) FAIL(to_text(network.error()));
    const auto document = Json::parse(testing::sample_text("questions_recommend.json"), nullptr, false);
    REQUIRE(document.is_object());
    for (const auto& question : document.at("questions")) check_question(*knowledge, *network, question);
}

TEST_CASE("every workload has an answer on every medium") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    if (!knowledge) FAIL(to_text(knowledge.error()));
    const auto network = RuleNetwork::build(*knowledge);
    if (!network) FAIL(to_text(network.error()));
    CHECK(knowledge->workloads().size() >= 25);
    for (const auto& workload : knowledge->workloads()) {
        for (const char* media : {"nvme", "ssd", "hdd", "cloud", "pmem"}) {
            const Json request = {{"workload", workload.id},
                                  {"media", media},
                                  {"size", "500Gi"},
                                  {"cores", 8},
                                  {"kernel", "6.1"}};
            const auto example = request_from_example(request.dump());
            REQUIRE(example);
            const auto advice = advise(*knowledge, *network, example->request);
            CHECK_MESSAGE((advice && !advice->ranked.empty()), workload.id << " on " << media);
        }
    }
}
