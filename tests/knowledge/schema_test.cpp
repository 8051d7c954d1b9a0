// The JSON Schemas and the loader agree on what a knowledge document is.
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "knowledge/sample_files.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

nlohmann::json schema_json(const std::string& kind) {
    const auto text =
        read_file(std::string(FSADVISE_SOURCE_DIR) + "/knowledge/schema/" + kind + ".schema.json");
    REQUIRE_MESSAGE(text.has_value(), kind);
    return nlohmann::json::parse(*text);
}

// Every schema, compiled once.
class Schemas {
  public:
    Schemas() {
        for (const std::string& kind : knowledge_kinds()) {
            const nlohmann::json json = schema_json(kind);
            valijson::SchemaParser parser;
            parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schemas_[kind]);
        }
    }
    // "" if valid, else what is wrong.
    std::string judge(const std::string& kind, const nlohmann::json& document) const {
        const auto schema = schemas_.find(kind);
        if (schema == schemas_.end()) return "no schema for kind '" + kind + "'";
        valijson::Validator validator;
        valijson::ValidationResults results;
        const valijson::adapters::NlohmannJsonAdapter target(document);
        if (validator.validate(schema->second, target, &results)) return {};
        std::string text;
        valijson::ValidationResults::Error error;
        while (results.popError(error)) {
            for (const std::string& part : error.context) text += part;
            text += ": " + error.description + "\n";
        }
        return text.empty() ? "invalid" : text;
    }

  private:
    std::map<std::string, valijson::Schema> schemas_;
};

std::vector<Error> problems_with(const std::string& kind, const std::string& text) {
    auto texts = complete_samples();
    texts[kind] = text;
    return Knowledge::check(files_of(texts));
}

std::string all_of(const std::vector<Error>& problems) {
    std::string text;
    for (const Error& problem : problems) text += to_text(problem) + "\n";
    return text;
}

}  // namespace

TEST_CASE("schema: every knowledge file conforms to the schema of its kind") {
    const Schemas schemas;
    const auto directory = read_knowledge_directory(std::string(FSADVISE_SOURCE_DIR) + "/knowledge");
    REQUIRE(directory);
    for (const auto& [name, text] : directory->files) {
        CAPTURE(name);
        const auto document = nlohmann::json::parse(text);
        CHECK(schemas.judge(document.value("kind", ""), document) == "");
    }
}

TEST_CASE("schema: good samples pass the schema and the loader") {
    const Schemas schemas;
    for (const std::string& kind : knowledge_kinds()) {
        for (const std::string& name : sample_names(kind, "good")) {
            CAPTURE(name);
            const std::string text = sample_text(name);
            CHECK(schemas.judge(kind, nlohmann::json::parse(text)) == "");
            CHECK(all_of(problems_with(kind, text)) == "");
        }
    }
}

TEST_CASE("schema: bad samples fail the schema and the loader, which says where and what") {
    const Schemas schemas;
    const auto expected = nlohmann::json::parse(sample_text("expected.json"));
    std::size_t judged = 0;
    for (const std::string& kind : knowledge_kinds()) {
        for (const std::string& name : sample_names(kind, "bad")) {
            CAPTURE(name);
            ++judged;
            const std::string text = sample_text(name);
            // What depends on other keys or on known names is beyond a schema: the loader alone must see it.
            static const std::set<std::string> kLoaderOnly = {
                "constraints/bad/let-later-part.json", "constraints/bad/let-unused.json",
                "parameters/bad/remount-of-mkfs.json", "parameters/bad/unknown-kernel-feature.json",
                "tables/bad/unknown-column.json",      "tables/bad/no-first-cell.json",
                "tables/bad/unknown-parameter.json"};
            if (!kLoaderOnly.contains(name)) CHECK(schemas.judge(kind, nlohmann::json::parse(text)) != "");
            const auto problems = problems_with(kind, text);
            REQUIRE_FALSE(problems.empty());
            CHECK(problems.front().code == ErrorCode::kBadInput);
            REQUIRE_MESSAGE(expected.contains(name), "expected.json has no entry for the sample");
            const std::string said = all_of(problems);
            CAPTURE(said);
            CHECK(said.find(kind + "#") != std::string::npos);
            CHECK(said.find(expected.at(name).get<std::string>()) != std::string::npos);
        }
    }
    CHECK(judged == expected.size());
}

TEST_CASE("schema: every schema forbids unknown keys at the top") {
    for (const std::string& kind : knowledge_kinds()) {
        CAPTURE(kind);
        const auto json = schema_json(kind);
        CHECK(json.at("$schema") == "http://json-schema.org/draft-07/schema#");
        CHECK(json.at("additionalProperties") == false);
    }
}
