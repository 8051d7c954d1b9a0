// docs/findings.md is what the program generates, and the catalogue has every id that the sources use.
// FSADVISE_UPDATE_GOLDEN=1 rewrites the page.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include <doctest/doctest.h>

#include "advice/finding_catalogue.h"
#include "base/fd.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

TEST_CASE("docs/findings.md is up to date") {
    const auto directory = read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    REQUIRE(directory);
    const auto files = directory->view();
    const auto knowledge = Knowledge::load(files);
    REQUIRE_MESSAGE(knowledge, (knowledge ? "" : to_text(knowledge.error())));
    const std::string path = FSADVISE_SOURCE_DIR "/docs/findings.md";
    const std::string text = render_findings_markdown(*knowledge);
    if (std::getenv("FSADVISE_UPDATE_GOLDEN") != nullptr) REQUIRE(write_file_atomically(path, text));
    const auto page = read_file(path);
    REQUIRE(page);
    CHECK_MESSAGE(*page == text, "run the test with FSADVISE_UPDATE_GOLDEN=1 and review the difference");
}

TEST_CASE("the catalogue is sorted and has every id in the sources") {
    const auto kinds = finding_catalogue();
    CHECK(
        std::ranges::is_sorted(kinds, {}, [](const FindingKind& kind) { return std::string_view(kind.id); }));
    const std::regex id(R"(finding\(\s*\"([a-z0-9-]+)\")");
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FSADVISE_SOURCE_DIR "/src/advice")) {
        if (entry.path().extension() != ".cpp") continue;
        const auto text = read_file(entry.path().string());
        REQUIRE(text);
        for (auto at = std::sregex_iterator(text->begin(), text->end(), id); at != std::sregex_iterator();
             ++at) {
            ++seen;
            CHECK_MESSAGE(finding_kind((*at)[1].str()) != nullptr, entry.path().filename().string()
                                                                       << ": " << (*at)[1].str()
                                                                       << " is not in the catalogue");
        }
    }
    CHECK(seen > 8);
}
