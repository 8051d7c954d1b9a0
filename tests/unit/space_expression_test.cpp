// The expression language: grammar, three-valued logic, arithmetic, hostile input.
#include <cstdint>
#include <random>

#include "space/expression.h"

using namespace fsadvise;

namespace {

class MapScope final : public Scope {
  public:
    std::map<std::string, Value, std::less<>> values;
    std::map<std::string, bool, std::less<>> given;
    std::optional<Value> lookup(std::string_view name) const override {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional<Value>(found->second);
    }
    bool is_set(std::string_view id) const override { return given.contains(id); }
};

MapScope scope() {
    MapScope result;
    result.values = {{"yes", true},
                     {"no", false},
                     {"four", std::int64_t{4}},
                     {"half", 0.5},
                     {"kernel", std::string("6.10.3-arch1")},
                     {"media", std::string("nvme")},
                     {"device.size", std::int64_t{1} << 40}};
    result.given = {{"xfs.mkfs.agcount", true}};
    return result;
}

// "unknown", or the value as text.
std::string run(std::string_view text) {
    const auto expression = Expression::parse(text);
    if (!expression) return "error: " + expression.error().message;
    const auto value = expression->evaluate(scope());
    return value ? to_text(*value) : "unknown";
}

std::string problem(std::string_view text) {
    const auto expression = Expression::parse(text);
    return expression ? "" : expression.error().message;
}

std::string repeat(std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

}  // namespace

TEST_CASE("literals") {
    CHECK(run("true") == "true");
    CHECK(run("12") == "12");
    CHECK(run("0.5") == "0.5");
    CHECK(run("'zstd:1'") == "zstd:1");
    CHECK(run("''") == "");
    CHECK(run("64Ki") == "65536");
    CHECK(run("64Mi") == "67108864");
    CHECK(run("4Gi") == "4294967296");
    CHECK(run("300Mi") == "314572800");
    CHECK(run("0.5Ki") == "512");
    CHECK(run("8192Pi == 2 * 4096Pi") == "true");  // one more than a 64-bit number holds
    CHECK(run("8192Pi > 4096Pi") == "true");
    CHECK(run("-3") == "-3");
    CHECK(run("99999999999999999999 > 1") == "true");
}

TEST_CASE("precedence: arithmetic, comparison, not, and, or") {
    CHECK(run("1 + 2 * 3") == "7");
    CHECK(run("(1 + 2) * 3") == "9");
    CHECK(run("10 - 2 - 3") == "5");
    CHECK(run("2 * 3 == 6") == "true");
    CHECK(run("not no and yes") == "true");
    CHECK(run("not (no and yes)") == "true");
    CHECK(run("not four == 4") == "false");
    CHECK(run("yes or no and no") == "true");
    CHECK(run("(yes or no) and no") == "false");
    CHECK(run("- 2 * 3") == "-6");
}

TEST_CASE("quotients are whole when exact; floor and ceil make them whole") {
    CHECK(run("8 / 2") == "4");
    CHECK(run("7 / 2") == "3.5");
    CHECK(run("floor(7 / 2)") == "3");
    CHECK(run("ceil(7 / 2)") == "4");
    CHECK(run("floor(device.size / 16Mi)") == "65536");
    CHECK(run("7 % 4") == "3");
    CHECK(run("floor(-0.5)") == "-1");
}

TEST_CASE("division by zero and overflow never trap") {
    CHECK(run("1 / 0") == "unknown");
    CHECK(run("1 % 0") == "unknown");
    CHECK(run("0.5 / 0") == "unknown");
    CHECK(run("9223372036854775807 + 1 > 1") == "true");
    CHECK(run("(-9223372036854775807 - 1) / -1 > 0") == "true");
    CHECK(run("(-9223372036854775807 - 1) % -1") == "-0");
    CHECK(run("9223372036854775807 * 9223372036854775807 > 0") == "true");
}

TEST_CASE("functions") {
    CHECK(run("min(32, four * 4)") == "16");
    CHECK(run("max(1, 2.5, 2)") == "2.5");
    CHECK(run("lowbit(48)") == "16");
    CHECK(run("highbit(48)") == "32");
    CHECK(run("highbit(64)") == "64");
    CHECK(run("highbit(0)") == "unknown");
    CHECK(run("log2(4096)") == "12");
    CHECK(run("log2(0)") == "unknown");
    CHECK(run("length('seventeen-letters')") == "17");
    CHECK(run("length('')") == "0");
    CHECK(run("length(17)") == "unknown");
    CHECK(run("pow2(4096)") == "true");
    CHECK(run("pow2(4097)") == "false");
    CHECK(run("pow2(0)") == "false");
    CHECK(run("pow2(8192Pi)") == "true");
    CHECK(run("multiple(1Mi, 4Ki)") == "true");
    CHECK(run("multiple(1Mi, 3)") == "false");
    CHECK(run("multiple(1, 0)") == "unknown");
    CHECK(run("count(yes, no, four == 4)") == "2");
    CHECK(run("count(no)") == "0");
    CHECK(run("count(yes, nowhere)") == "unknown");
    CHECK(run("count(yes, four)") == "unknown");
    CHECK(run("set(xfs.mkfs.agcount)") == "true");
    CHECK(run("set(xfs.mkfs.reflink)") == "false");
    CHECK(run("known(four)") == "true");
    CHECK(run("known(elsewhere)") == "false");
    CHECK(run("min(elsewhere, 3)") == "unknown");
}

TEST_CASE("versions are compared number by number") {
    CHECK(run("since(kernel, '6.9')") == "true");
    CHECK(run("since(kernel, '6.10')") == "true");
    CHECK(run("since(kernel, '6.11')") == "false");
    CHECK(run("before(kernel, '6.11')") == "true");
    CHECK(run("before(kernel, '6.10.3')") == "false");
    CHECK(run("since(elsewhere, '6.10')") == "unknown");
    CHECK(run("since(media, '6.10')") == "unknown");
    // A bare 4.20 would mean 4.2.
    CHECK(problem("since(kernel, 4.20)").find("quoted version") != std::string::npos);
    CHECK(problem("since(kernel, 'new')").find("quoted version") != std::string::npos);
}

TEST_CASE("membership") {
    CHECK(run("media in ['nvme', 'ssd']") == "true");
    CHECK(run("media in ['hdd']") == "false");
    CHECK(run("media not in ['hdd']") == "true");
    CHECK(run("media in []") == "false");
    CHECK(run("four in [1, 2 + 2]") == "true");
    CHECK(run("elsewhere in ['hdd']") == "unknown");
    CHECK(run("media in ['nvme', elsewhere]") == "true");
    CHECK(run("media in ['hdd', elsewhere]") == "unknown");
}

TEST_CASE("unknown decides nothing, but one known side may decide (Kleene)") {
    CHECK(run("elsewhere and no") == "false");
    CHECK(run("no and elsewhere") == "false");
    CHECK(run("elsewhere and yes") == "unknown");
    CHECK(run("elsewhere or yes") == "true");
    CHECK(run("yes or elsewhere") == "true");
    CHECK(run("elsewhere or no") == "unknown");
    CHECK(run("not elsewhere") == "unknown");
    CHECK(run("elsewhere == 4") == "unknown");
    CHECK(run("elsewhere + 1") == "unknown");
}

TEST_CASE("a type mismatch is unknown in order and in arithmetic, unequal in equality") {
    CHECK(run("'a' < 3") == "unknown");
    CHECK(run("'a' < 'b'") == "unknown");
    CHECK(run("'a' == 3") == "false");
    CHECK(run("'a' != 3") == "true");
    CHECK(run("'a' + 1") == "unknown");
    CHECK(run("four and yes") == "unknown");
    CHECK(run("four == 4.0") == "true");
    const auto number = Expression::parse("four");
    REQUIRE(number);
    CHECK_FALSE(number->test(scope()).has_value());
}

TEST_CASE("names are reported once, sorted, including those inside functions") {
    const auto expression = Expression::parse("set(b.c) and a > 1 and known(z) or a < 0 and m in [k]");
    REQUIRE(expression);
    CHECK(expression->names() == std::vector<std::string>{"a", "b.c", "k", "m", "z"});
    CHECK(expression->text() == "set(b.c) and a > 1 and known(z) or a < 0 and m in [k]");
}

TEST_CASE("an empty expression is true and has neither names nor text") {
    const Expression expression;
    CHECK(expression.empty());
    CHECK(expression.test(scope()) == true);
    CHECK(expression.names().empty());
    CHECK(expression.text().empty());
    CHECK(problem("") != "");
    CHECK(problem("   ") != "");
}

TEST_CASE("a literal can hold what the syntax cannot") {
    const Expression expression = Expression::literal(std::string("it's"));
    const auto value = expression.evaluate(scope());
    REQUIRE(value);
    CHECK(std::get<std::string>(*value) == "it's");
}

TEST_CASE("errors name the column and what was expected") {
    CHECK(problem("a and") == "column 6: expected a value but found the end");
    CHECK(problem("(a or b") == "column 8: expected ')' but found the end");
    CHECK(problem("a b") == "column 3: expected the end or an operator but found 'b'");
    CHECK(problem("a < b < c") == "column 7: expected the end or an operator but found '<'");
    CHECK(problem("a in b") == "column 6: expected '[' but found 'b'");
    CHECK(problem("a in [1 2]") == "column 9: expected ',' or ']' but found '2'");
    CHECK(problem("a not b") == "column 7: expected 'in' but found 'b'");
    CHECK(problem("'open") == "column 1: the quoted word does not end, expected '");
    CHECK(problem("a = b") == "column 3: unexpected character '='");
    CHECK(problem("4MB") == "column 2: unknown unit 'MB'");
    CHECK(problem("4k") == "column 2: unknown unit 'k'");
    CHECK(problem("1.2.3") == "column 1: this is not a number");
    CHECK(problem("min(1)").find("takes 2 arguments, not 1") != std::string::npos);
    CHECK(problem("set(1)").find("parameter id") != std::string::npos);
    CHECK(problem("a. b") == "column 2: unexpected character '.'");
    CHECK(problem("\x01") == "column 1: unexpected byte 0x01");
    const auto unknown = Expression::parse("ceiling(2)");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::kBadInput);
    CHECK(unknown.error().message == "column 1: unknown function 'ceiling'");
    const auto typo = Expression::parse("flor(2)");
    REQUIRE_FALSE(typo);
    CHECK(typo.error().hint == "did you mean 'floor'?");
    CHECK(typo.error().context == "flor(2)");
}

TEST_CASE("hostile input is refused without overflowing the stack") {
    CHECK(problem(repeat("(", 60) + "1" + repeat(")", 60)) == "");
    CHECK(problem(repeat("(", 3000) + "1" + repeat(")", 3000)).find("nested too deeply") !=
          std::string::npos);
    CHECK(problem(repeat("not ", 2000) + "a").find("nested too deeply") != std::string::npos);
    CHECK(problem(repeat("-", 2000) + "1").find("nested too deeply") != std::string::npos);
    CHECK(problem(repeat("floor(", 1000) + "1").find("nested too deeply") != std::string::npos);
    CHECK(problem("1" + repeat("+1", 400)) == "");
    CHECK(problem("1" + repeat("+1", 2000)).find("too long") != std::string::npos);
    CHECK(problem(std::string(1U << 20U, ' ') + "1").find("longer than") != std::string::npos);
    CHECK(problem("a in [" + repeat("1,", 2000) + "]") == "");
}

TEST_CASE("random texts parse or fail, and what parses evaluates") {
    const std::vector<std::string> parts = {"a",      "four",  "yes",   "and", "or",    "not", "in",   "[",
                                            "]",      "(",     ")",     "<",   "==",    "+",   "-",    "*",
                                            "/",      "%",     "'x'",   "12",  "0.5Ki", ",",   "min(", "set(",
                                            "since(", "'6.1'", "pow2(", "!",   "'"};
    std::mt19937_64 random(20240229);
    int parsed = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        const std::size_t length = 1 + random() % 12;
        for (std::size_t i = 0; i < length; ++i) text += parts[random() % parts.size()] + " ";
        const auto expression = Expression::parse(text);
        if (!expression) {
            CHECK(expression.error().message.starts_with("column "));
            continue;
        }
        ++parsed;
        (void)expression->evaluate(scope());
    }
    CHECK(parsed > 100);
}
