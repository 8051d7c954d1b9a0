// Tables of measurements, searches replayed on them, and the contract that every sampler keeps.
#include <cmath>
#include <numeric>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tuner/replay/serve.h"
#include "tuner/replay/session.h"

#include "support/replay_generator.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

const std::string kTwo =
    R"({"configuration":{"filesystem":"xfs","values":{"xfs.mkfs.agcount":8}},"metrics":{"log_ratio":0.1,"deviation":0.01}}
{"configuration":{"filesystem":"ext4","values":{}},"metrics":{"log_ratio":0.0,"deviation":0.01}}
)";

ReplayTable generated(test::GeneratedTableOptions options = {}) {
    return parse_replay_table(test::generated_table(options), "generated").value();
}

std::string refusal(const std::string& text) {
    const auto table = parse_replay_table(text, "t.jsonl");
    return table ? "accepted" : to_text(table.error());
}

Trial trial_of(const Proposal& proposal, int number, double value) {
    Trial trial;
    trial.number = number;
    trial.configuration = proposal.configuration;
    trial.origin = proposal.origin;
    trial.state = "complete";
    trial.measurements.push_back({0, "search", value, 0.01, "{}", "{}"});
    return trial;
}

class Script final : public LineChannel {
  public:
    explicit Script(std::vector<std::string> lines) : lines_(std::move(lines)) {}
    bool read(std::string& line) override {
        if (next_ == lines_.size()) return false;
        line = lines_[next_++];
        return true;
    }
    Result<void> write(const std::string& line) override {
        answers.push_back(nlohmann::json::parse(line));
        return {};
    }
    std::vector<nlohmann::json> answers;

  private:
    std::vector<std::string> lines_;
    std::size_t next_ = 0;
};

}  // namespace

TEST_CASE("a table is read whatever the order of its rows, with or without a header") {
    const auto table = generated();
    CHECK(table.rows.size() > 100);
    CHECK(table.measurements == static_cast<int>(table.rows.size()) * 5);
    REQUIRE(table.anchor.has_value());
    const auto row = table.find(*table.anchor);
    REQUIRE(row.has_value());
    CHECK(std::abs(*table.rows[*row].truth) < 0.03);

    const auto foreign = parse_replay_table(
        "{\"configuration\":{\"fs\":\"zfs\",\"recordsize\":8192.0,\"sync\":true},\"metrics\":{\"seconds\":2}}"
        "\n\n"
        "{\"configuration\":{\"xfs.mkfs.agcount\":4},\"metrics\":{\"seconds\":1}}\n",
        "f", {"seconds", true});
    REQUIRE(foreign.has_value());
    CHECK(foreign->rows[0].configuration.filesystem == "zfs");
    CHECK(std::get<std::int64_t>(foreign->rows[0].configuration.values.at("recordsize")) == 8192);
    CHECK(foreign->rows[1].configuration.filesystem == "xfs");
    CHECK(foreign->best() == doctest::Approx(0));
    CHECK(*foreign->rows[0].truth == doctest::Approx(-std::log(2)));
}

TEST_CASE("damage of a table is refused with its line") {
    CHECK(refusal(kTwo) == "accepted");
    CHECK(refusal("").find("no measurement") != std::string::npos);
    CHECK(refusal(kTwo + kTwo).find("t.jsonl:3: ") ==
          std::string::npos);  // repeats without a number count on
    const std::string numbered =
        R"({"configuration":{"filesystem":"xfs"},"repeat":0,"metrics":{"log_ratio":0.1}})";
    CHECK(refusal(kTwo + numbered + "\n" + numbered).find("t.jsonl:4: repeat 0 of xfs") != std::string::npos);
    CHECK(refusal(kTwo + R"({"configuration":{"filesystem":"xfs"},"metrics":{"log_ratio":NaN}})")
              .find("t.jsonl:3: NaN") != std::string::npos);
    CHECK(refusal(kTwo + R"({"configuration":{"filesystem":"xfs"},"metrics":{"log_ratio":null}})")
              .find("t.jsonl:3: ") != std::string::npos);
    CHECK(refusal(kTwo + R"({"configuration":{"filesystem":"xfs"},"metrics":{"operations":1}})")
              .find("no metric 'log_ratio'") != std::string::npos);
    CHECK(refusal(kTwo + R"({"configuration":{"filesystem":"xfs"}})").find("t.jsonl:3: no metrics") !=
          std::string::npos);
    CHECK(refusal(kTwo + R"({"configuration":{"filesystem":"xf)").find("cut short") != std::string::npos);
    CHECK(refusal(kTwo.substr(0, kTwo.find('\n'))).find("single configuration") != std::string::npos);
    CHECK(refusal(R"({"replay_table":{"schema_version":2}})"
                  "\n" +
                  kTwo)
              .find("t.jsonl:1: schema version 2") != std::string::npos);
    CHECK(refusal(kTwo + R"({"replay_table":{"schema_version":1}})").find("first line") != std::string::npos);
    const std::string failed =
        R"({"configuration":{"filesystem":"xfs"},"state":"failed","reason":"no space"})";
    CHECK(refusal(failed).find("every row") != std::string::npos);
    const auto counted = parse_replay_table(kTwo + failed, "t");
    REQUIRE(counted.has_value());
    CHECK(counted->failed == 1);
    CHECK(counted->unmeasured == 1);
}

TEST_CASE("every sampler proposes of the pool, in batches, alike for the same history, until all is tried") {
    test::GeneratedTableOptions small;
    small.singles = 4, small.combinations = 2, small.repeats = 2;
    const auto table = generated(small);
    const auto pool = pool_of(table);
    for (const std::string& name : sampler_names()) {
        CAPTURE(name);
        SamplerOptions options;
        options.stop_early = false;
        prepare_first(options, table, nullptr);
        const auto sampler = make_sampler(name, pool, options).value();
        CHECK_FALSE(sampler->recommend({}).has_value() !=
                    (name == "model"));  // only the anchor is known before
        std::vector<Trial> history;
        std::set<std::string> seen;
        for (int round = 0; round < 12; ++round) {
            const auto batch = sampler->ask(history, 3);
            const auto again = make_sampler(name, pool, options).value()->ask(history, 3);
            REQUIRE(batch.size() == again.size());
            std::set<std::string> in_batch;
            for (std::size_t i = 0; i < batch.size(); ++i) {
                CHECK(batch[i].configuration == again[i].configuration);
                CHECK(pool->contains(batch[i].configuration));
                CHECK(in_batch.insert(canonical_text(batch[i].configuration)).second);
                seen.insert(canonical_text(batch[i].configuration));
                history.push_back(
                    trial_of(batch[i], static_cast<int>(history.size()), 0.01 * static_cast<double>(i)));
            }
        }
        if (name != "model") {
            CHECK(seen.size() == table.rows.size());
            CHECK(sampler->ask(history, 1).empty());
            CHECK(sampler->stopped() == "nothing is left to try");
        }
        const auto best = sampler->recommend(history);
        REQUIRE(best.has_value());
        CHECK(pool->contains(best->configuration));
    }
    CHECK_FALSE(make_sampler("modle", pool, {}).has_value());
}

TEST_CASE("a sampler does not propose what failed, or what is under way") {
    const auto table = generated();
    for (const std::string& name : sampler_names()) {
        CAPTURE(name);
        SamplerOptions options;
        const auto sampler = make_sampler(name, pool_of(table), options).value();
        std::vector<Trial> history;
        for (int i = 0; i < 12; ++i) {
            const auto asked = sampler->ask(history, 1);
            REQUIRE(asked.size() == 1);
            for (const Trial& trial : history) CHECK_FALSE(trial.configuration == asked[0].configuration);
            history.push_back(trial_of(asked[0], i, 0));
            history.back().state = i % 2 == 0 ? "failed" : "running";
            history.back().measurements.clear();
        }
        history[3].state = "interrupted";
        CHECK(sampler->ask(history, 1).front().configuration == history[3].configuration);
    }
}

TEST_CASE("the model search needs far fewer trials than random, and stops when nothing is left to gain") {
    double ours = 0, random = 0, saved = 0, lost = 0;
    int runs = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        test::GeneratedTableOptions made;
        made.seed = seed;
        const auto table = generated(made);
        const auto area = [&](const std::string& name, bool stop) {
            SamplerOptions options;
            options.seed = seed;
            options.stop_early = stop;
            prepare_first(options, table, nullptr);
            const auto sampler = make_sampler(name, pool_of(table), options).value();
            const auto run = run_replay(table, *sampler, {60, seed, 0, 1});
            if (stop) {
                saved += 60 - static_cast<double>(run.trials.size());
                lost += run.regret.back();
            }
            double sum = 0;
            for (const double regret : run.regret) sum += regret;
            return sum;
        };
        ours += area("model", false);
        random += area("random", false);
        area("model", true);
        ++runs;
    }
    CHECK(ours < 0.7 * random);
    CHECK(saved >= 0);
    CHECK(lost / runs < 0.08);
}

TEST_CASE("effects learned from one table speed up the next, and lose their weight where they mislead") {
    test::GeneratedTableOptions made;
    made.family = 5;
    made.seed = 1;
    const auto teacher = learn_effects(generated(made));
    made.seed = 2;
    const auto table = generated(made);
    const auto json = to_json({teacher});
    const auto back = learned_effects_from_json(json, "f");
    REQUIRE(back.has_value());
    CHECK(back->front().effects.size() == teacher.effects.size());
    CHECK_FALSE(learned_effects_from_json(nlohmann::json::parse("{\"kind\":\"x\"}"), "f").has_value());
    const auto known = combine(*back, "mail", nullptr);
    const auto run = [&](EffectMemory memory) {
        double sum = 0;
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            SamplerOptions options;
            options.seed = seed;
            options.memory = memory;
            options.stop_early = false;
            prepare_first(options, table, nullptr);
            const auto done =
                run_replay(table, *make_sampler("model", pool_of(table), options).value(), {40, seed, 0, 1});
            sum += std::accumulate(done.regret.begin(), done.regret.begin() + 15, 0.0);
        }
        return sum;
    };
    CHECK(run(known) < run({}));
    EffectMemory opposite = known;
    for (auto& [name, effect] : opposite) effect.mean = -effect.mean;
    SamplerOptions options;
    options.memory = opposite;
    options.stop_early = false;
    prepare_first(options, table, nullptr);
    const auto misled =
        run_replay(table, *make_sampler("model", pool_of(table), options).value(), {80, 1, 0, 1});
    CHECK(misled.regret.back() < 0.06);
}

TEST_CASE("an optimizer of another program is answered line by line, and bad lines change nothing") {
    const auto table = parse_replay_table(kTwo, "t").value();
    const auto ours = make_sampler("random", pool_of(table), {}).value();
    Script script(
        {R"({"request":"space"})", "nonsense", R"({"request":"rnu"})",
         R"({"request":"run","configuration":{"filesystem":"xfs","values":{"xfs.mkfs.agcount":16}}})",
         R"({"request":"run","nearest":true,"configuration":{"filesystem":"xfs","values":{"xfs.mkfs.agcount":16}}})",
         R"({"request":"run","configuration":{"filesystem":"ext4"}})",
         R"({"request":"run","configuration":{"filesystem":"ext4"}})", R"({"request":"best"})",
         R"({"request":"stop"})", R"({"request":"best"})"});
    ServeOptions options;
    options.trials = 2;
    const auto summary = serve_replay(table, *ours, options, script);
    REQUIRE(summary.has_value());
    CHECK(summary->trials == 2);
    CHECK(summary->refused == 4);
    REQUIRE(script.answers.size() == 10);  // the greeting, and nothing after "stop"
    CHECK(script.answers[0]["serve"] == 1);
    CHECK(script.answers[1]["filesystems"].contains("ext4"));
    CHECK(script.answers[3]["error"].get<std::string>().find("did you mean 'run'") != std::string::npos);
    CHECK(script.answers[5]["value"] == doctest::Approx(0.1));
    CHECK(script.answers[7].contains("error"));
    CHECK(script.answers[8]["regret"] == doctest::Approx(0));
}
