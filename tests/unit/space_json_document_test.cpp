// The JSON reader of the loader, held against nlohmann-json.
#include <random>

#include "space/json_document.h"

#include "knowledge/sample_files.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

// The document rebuilt node by node, for comparison.
nlohmann::json rebuilt(JsonValue value) {
    switch (value.type()) {
        case JsonType::kNull:
            return nullptr;
        case JsonType::kBool:
            return value.boolean();
        case JsonType::kNumber:
            return nlohmann::json::parse(value.text());
        case JsonType::kString:
            return std::string(value.text());
        case JsonType::kArray: {
            nlohmann::json array = nlohmann::json::array();
            for (const JsonValue element : value) array.push_back(rebuilt(element));
            return array;
        }
        case JsonType::kObject: {
            nlohmann::json object = nlohmann::json::object();
            for (const JsonValue member : value) object[std::string(member.key())] = rebuilt(member);
            return object;
        }
    }
    return {};
}

// Accepts the same texts as nlohmann-json, with the same content.
void check_agreement(const std::string& text) {
    CAPTURE(text);
    JsonDocument document("t.json", text);
    const auto parsed = document.parse();
    const auto reference = nlohmann::json::parse(text, nullptr, false);
    REQUIRE(parsed.has_value() == !reference.is_discarded());
    if (parsed) CHECK(rebuilt(document.root()) == reference);
}

std::string problem(const std::string& text) {
    JsonDocument document("t.json", text);
    const auto parsed = document.parse();
    return parsed ? "" : to_text(parsed.error());
}

}  // namespace

TEST_CASE("json: agrees with nlohmann-json on values, escapes and malformed text") {
    for (const char* text : {"null",
                             "true",
                             "false",
                             "0",
                             "-0",
                             "12",
                             "-1.5e3",
                             "1E+2",
                             "\"\"",
                             "\"a\"",
                             "[]",
                             "{}",
                             " [ 1 , 2 ] ",
                             R"({"a": {"b": [1, {"c": null}]}, "d": "e"})",
                             R"("\"\\\/\b\f\n\r\t")",
                             R"("\u00e9\u20ac\uD83D\uDE00")",
                             "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
                             R"({"\u0061b": 1})",
                             "",
                             " ",
                             "nul",
                             "tru",
                             "truex",
                             "01",
                             "1.",
                             ".5",
                             "-",
                             "1e",
                             "+1",
                             "\"",
                             "\"\\",
                             "\"\\\"",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\uD83D\"",
                             "\"\\uD83D\\u0041\"",
                             "\"\\uDE00\"",
                             "\"\x01\"",
                             "\"\xC3\"",
                             "\"\xFF\"",
                             "\"\xC0\x80\"",
                             "\"\xED\xA0\x80\"",
                             "\"\xF4\x90\x80\x80\"",
                             "[",
                             "]",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,1]",
                             "[1 2]",
                             "{",
                             "}",
                             "{\"a\"",
                             "{\"a\":",
                             "{\"a\":1",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{\"a\" 1}",
                             "{1:2}",
                             "1 2",
                             "[] []",
                             "{\"a\":1}}",
                             "'a'",
                             "// c\n1"}) {
        check_agreement(text);
    }
}

TEST_CASE("json: agrees with nlohmann-json on every knowledge file") {
    const auto directory = read_knowledge_directory(std::string(FSADVISE_SOURCE_DIR) + "/knowledge");
    REQUIRE(directory);
    for (const auto& [name, text] : directory->files) {
        CAPTURE(name);
        JsonDocument document(name, text);
        REQUIRE(document.parse());
        CHECK(rebuilt(document.root()) == nlohmann::json::parse(text));
    }
}

TEST_CASE("json: agrees with nlohmann-json on damaged documents") {
    const std::string sound = R"({"a": [1, -2.5e1, "x\u0041\n", true], "b": {"c": null, "é": ""}})";
    const std::string alphabet = "{}[],:\"\\u0-1.eEtrfalsn \n\x01\xC3\xA9\xFF";
    std::mt19937_64 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text = sound;
        for (std::size_t edit = 0; edit <= random() % 3; ++edit) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text.erase(at, 1 + random() % 4);
                    break;
                case 1:
                    text[at] = alphabet[random() % alphabet.size()];
                    break;
                default:
                    text.insert(at, 1, alphabet[random() % alphabet.size()]);
                    break;
            }
            if (text.empty()) text = "1";
        }
        check_agreement(text);
    }
}

TEST_CASE("json: deep nesting is refused") {
    CHECK(problem(std::string(64, '[') + std::string(64, ']')) == "");
    CHECK(problem(std::string(1U << 20U, '[')).find("nested too deeply") != std::string::npos);
}

TEST_CASE("json: an error has file, line and column") {
    CHECK(problem("{\n  \"a\": 1\n  \"b\": 2\n}") == "t.json:3:3: not valid JSON: expected ',' or '}'");
}

TEST_CASE("json: a node knows its pointer") {
    const std::string text = R"({"a": [1, {"b/c": [2, 3]}], "d~": 4})";
    JsonDocument document("t.json", text);
    REQUIRE(document.parse());
    std::vector<std::string> pointers;
    const auto collect = [&](auto& self, JsonValue value) -> void {
        pointers.push_back(value.pointer());
        if (value.type() != JsonType::kArray && value.type() != JsonType::kObject) return;
        for (const JsonValue child : value) self(self, child);
    };
    collect(collect, document.root());
    CHECK(pointers == std::vector<std::string>{"", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/b~1c/0",
                                               "/a/1/b~1c/1", "/d~0"});
    const auto reference = nlohmann::json::parse(text);
    for (const std::string& pointer : pointers)
        CHECK(reference.contains(nlohmann::json::json_pointer(pointer)));
}
