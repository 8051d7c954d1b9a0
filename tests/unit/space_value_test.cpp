// Text, JSON and comparison of parameter values.
#include <cmath>
#include <cstdint>
#include <limits>

#include "space/value.h"

using namespace fsadvise;

namespace {
Value whole(std::int64_t number) {
    return number;
}
Value word(const char* text) {
    return std::string(text);
}
}  // namespace

TEST_CASE("a value prints as the knowledge writes it") {
    CHECK(to_text(Value(true)) == "true");
    CHECK(to_text(Value(false)) == "false");
    CHECK(to_text(whole(4096)) == "4096");
    CHECK(to_text(whole(-1)) == "-1");
    CHECK(to_text(Value(0.5)) == "0.5");
    CHECK(to_text(word("zstd:1")) == "zstd:1");
}

TEST_CASE("equal values print alike, so that an identity does not depend on the number's type") {
    CHECK(equal(whole(4), Value(4.0)));
    CHECK(to_text(whole(4)) == to_text(Value(4.0)));
}

TEST_CASE("JSON keeps kind and value") {
    for (const Value& value : {Value(true), whole(-7), whole(std::numeric_limits<std::int64_t>::max()),
                               Value(0.1), word(""), word("noatime")}) {
        CHECK(value_from_json(to_json(value)) == value);
        CHECK(value_from_json(nlohmann::json::parse(to_json(value).dump())) == value);
    }
}

TEST_CASE("a number above the signed range becomes real instead of negative") {
    const Value value = value_from_json(nlohmann::json(18446744073709551615ULL));
    REQUIRE(std::holds_alternative<double>(value));
    CHECK(std::get<double>(value) > 1.8e19);
}

TEST_CASE("values of different kinds are unequal") {
    CHECK_FALSE(equal(Value(true), whole(1)));
    CHECK_FALSE(equal(word("1"), whole(1)));
    CHECK_FALSE(equal(word("true"), Value(true)));
    CHECK_FALSE(equal(word("a"), word("b")));
    CHECK(equal(word("a"), word("a")));
}

TEST_CASE("whole and real numbers are compared exactly, also beyond 2^53") {
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;
    CHECK_FALSE(equal(whole(odd), Value(static_cast<double>(odd))));
    CHECK(equal(Value(0x1p53), whole(std::int64_t{1} << 53)));
    CHECK_FALSE(equal(whole(std::numeric_limits<std::int64_t>::max()), Value(0x1p63)));
    CHECK_FALSE(equal(whole(0), Value(std::nan(""))));
    CHECK_FALSE(equal(whole(1), Value(1.5)));
}
