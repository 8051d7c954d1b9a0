// What knowledge verify tries can be written: a listed word that ends in # or * is a pattern for reading.
#include <doctest/doctest.h>

#include "space/knowledge_files.h"
#include "space/spelling.h"
#include "tuner/verify/trial_values.h"

using namespace fsadvise;

TEST_CASE("no trial writes a pattern") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    if (!knowledge) FAIL(to_text(knowledge.error()));
    Request request;
    request.host.kernel = "6.12";
    std::size_t tried = 0, patterns = 0;
    for (const Parameter& parameter : knowledge->parameters()) {
        if (parameter.layer == Layer::kBlock) continue;
        for (const auto& [text, words] : parameter.spelling.words)
            for (const std::string& word : words)
                patterns += word.ends_with('#') || word.ends_with('*') ? 1 : 0;
        const Context context(*knowledge, request, {parameter.filesystem, {}});
        for (const Value& value : tuner::trial_values(context, parameter)) {
            const Commands commands = spell(*knowledge, {parameter.filesystem, {{parameter.id, value}}});
            std::string last = commands.mount_options;
            if (parameter.layer == Layer::kMkfs && !commands.mkfs.empty()) last = commands.mkfs.back();
            ++tried;
            CAPTURE(last);
            CHECK_FALSE(last.ends_with('#'));
            CHECK_FALSE(last.ends_with('*'));
        }
    }
    CHECK(patterns > 5);
    CHECK(tried > 500);
}
