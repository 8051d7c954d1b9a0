#include "cli/ask.h"

#include <algorithm>
#include <functional>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

constexpr int kTries = 3;
constexpr std::size_t kMostExamples = 12;

// A question with what it takes; `accept` gives words, or why not.
struct Question {
    std::string text;
    bool needed = false;
    std::function<Result<std::vector<std::string>>(const std::string& answer)> accept;
};

Result<std::vector<std::string>> refuse(std::string why) {
    return fail(ErrorCode::kUsage, std::move(why), "ask");
}

Question workload_question(const Knowledge& knowledge) {
    std::vector<std::string> examples;
    for (const char* id : {"postgres", "mysql", "mail", "file-server", "web-static", "vm-images",
                           "container-images", "kubernetes", "backup", "git", "kafka", "desktop"})
        if (knowledge.workload(id) != nullptr && examples.size() < kMostExamples) examples.emplace_back(id);
    return {
        fmt::format("What is the filesystem for? (for example {}; 'list' shows all)", join(examples, ", ")),
        true, [&knowledge](const std::string& answer) -> Result<std::vector<std::string>> {
            if (answer == "list") return refuse(join(knowledge.workload_names(), ", "));
            const WorkloadDescription* workload = knowledge.workload(answer);
            if (workload == nullptr)
                return refuse("'" + printable(answer) + "' is not known" +
                              did_you_mean(answer, knowledge.workload_names()));
            return std::vector<std::string>{"--workload", workload->id};
        }};
}

Question media_question() {
    return {"Which kind of disk? nvme, ssd, hdd, cloud, or Enter if you do not know", false,
            [](const std::string& answer) -> Result<std::vector<std::string>> {
                static const std::vector<std::string> kMedia = {"nvme", "ssd", "hdd", "cloud"};
                if (std::ranges::find(kMedia, answer) == kMedia.end())
                    return refuse("one of " + join(kMedia, ", ") + did_you_mean(answer, kMedia));
                return std::vector<std::string>{"--media", answer};
            }};
}

Question size_question() {
    return {"How large is it? for example 500G or 4T, or Enter", false,
            [](const std::string& answer) -> Result<std::vector<std::string>> {
                const auto size = parse_size(answer);
                if (!size || *size == 0)
                    return refuse("'" + printable(answer) + "' is no size: write for example 500G");
                return std::vector<std::string>{"--size", answer};
            }};
}

Question needs_question() {
    return {
        "What must it have? snapshots, compression, data-checksums, shrink, reflink, project-quotas, "
        "encryption, or Enter for nothing of these",
        false, [](const std::string& answer) -> Result<std::vector<std::string>> {
            static const std::vector<std::string> kNeeds = {"snapshots",  "compression", "data-checksums",
                                                            "shrink",     "reflink",     "project-quotas",
                                                            "encryption", "case-folding"};
            std::vector<std::string> words;
            for (const std::string& part : split(answer, ',')) {
                const std::string word(trim(part));
                if (word.empty()) continue;
                if (std::ranges::find(kNeeds, word) == kNeeds.end())
                    return refuse("'" + printable(word) + "' is not known" + did_you_mean(word, kNeeds));
                words.push_back(word);
            }
            if (words.empty()) return std::vector<std::string>{};
            return std::vector<std::string>{"--require", join(words, ",")};
        }};
}

Question target_question() {
    return {
        "For which system? for example debian12, rhel9, ubuntu24.04, or Enter for this machine", false,
        [](const std::string& answer) -> Result<std::vector<std::string>> {
            if (!is_plain_text(answer) || answer.starts_with('-') || answer.find(' ') != std::string::npos)
                return refuse("one word, for example debian12");
            return std::vector<std::string>{"--distro", answer};
        }};
}

}  // namespace

Result<std::vector<std::string>> ask_words(const Knowledge& knowledge, std::istream& answers,
                                           std::ostream& questions) {
    std::vector<std::string> words = {"recommend"};
    const Question all[] = {workload_question(knowledge), media_question(), size_question(), needs_question(),
                            target_question()};
    int number = 0;
    for (const Question& question : all) {
        questions << fmt::format("{} of {}: {}\n> ", ++number, std::size(all), question.text) << std::flush;
        for (int attempt = 1;; ++attempt) {
            std::string line;
            const bool end = !std::getline(answers, line);
            const std::string answer(trim(line));
            if (answer.empty() && !question.needed) break;
            auto accepted = end && answer.empty() ? refuse("the first question needs an answer")
                                                  : question.accept(lower(answer));
            if (accepted) {
                words.insert(words.end(), accepted->begin(), accepted->end());
                break;
            }
            if (end || attempt == kTries) return tl::unexpected(accepted.error());
            questions << accepted.error().message << "\n> " << std::flush;
        }
    }
    questions << "\nfsadvise " << shell_join(words) << "\n\n" << std::flush;
    return words;
}

void add_ask(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand("ask", "five questions to an answer");
    add_common(*command, invocation.common);
    command->callback([&invocation] {
        invocation.action = [&invocation]() -> Outcome {
            FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(invocation.common));
            // Questions are talk, not result: a redirected output holds the advice alone.
            FSADVISE_ASSIGN(const auto words, ask_words(loaded.knowledge, std::cin, std::cerr));
            return run_words(words);
        };
    });
}

}  // namespace fsadvise::cli
