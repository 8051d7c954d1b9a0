#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "tuner/engine/plan.h"
#include "tuner/executor/load_source.h"
#include "tuner/workload/workload.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

const char* const kDocument = R"({
  "metric": "operations", "flush_in_window": true, "window_seconds": 0.2,
  "file_sets": [{"name": "heap", "files": 4, "size": "64Mi", "compressible": 0.25},
                {"name": "mail", "files": 10000, "size_min": "1Ki", "size_max": "128Ki", "directory_width": 500}],
  "streams": [{"name": "backend", "file_set": "heap", "threads": 2, "depth": 4, "direct": true, "skew": 0.5,
               "steps": [{"operation": "read", "block": "8Ki"},
                         {"operation": "write", "block": 16384, "probability": 0.5, "repeat": 3},
                         {"operation": "fdatasync"}]},
              {"name": "delivery", "file_set": "mail", "counts": false,
               "steps": [{"operation": "create"}, {"operation": "unlink"},
                         {"operation": "think", "think_ns": 5000}]}]})";

Load good() {
    const auto load = load_from_json(kDocument, "test");
    REQUIRE_MESSAGE(load.has_value(), (load ? "" : to_text(load.error())));
    return *load;
}

// The error of the document after one change.
Error error_after(const std::string& pointer, const nlohmann::json& value) {
    auto document = nlohmann::json::parse(kDocument);
    document[nlohmann::json::json_pointer(pointer)] = value;
    const auto load = load_from_json(document.dump(), "test");
    REQUIRE_MESSAGE(!load.has_value(), pointer);
    CHECK(load.error().code == ErrorCode::kBadInput);
    return load.error();
}

}  // namespace

TEST_CASE("workload: every key of a load is read") {
    const Load load = good();
    CHECK(load.flush_in_window);
    CHECK(load.window_seconds == doctest::Approx(0.2));
    REQUIRE(load.file_sets.size() == 2);
    CHECK(load.file_sets[0].size_bytes == 64u << 20);
    CHECK(load.file_sets[0].compressible == doctest::Approx(0.25));
    CHECK(load.file_sets[1].directory_width == 500);
    CHECK(load.file_sets[1].size_max_bytes == 128u << 10);
    REQUIRE(load.streams.size() == 2);
    CHECK(load.streams[0].direct);
    CHECK(load.streams[0].depth == 4);
    CHECK(load.streams[0].steps[1].block_bytes == 16384);
    CHECK(load.streams[0].steps[1].repeat == 3);
    CHECK_FALSE(load.streams[1].counts);
    CHECK(load.streams[1].steps[2].think_ns == 5000);
}

TEST_CASE("workload: an error has a JSON pointer and the nearest name") {
    Error error = error_after("/streams/0/steps/0/operaton", "read");
    CHECK(error.context == "test#/streams/0/steps/0/operaton");
    CHECK(error.message.find("operation") != std::string::npos);
    error = error_after("/streams/0/steps/0/operation", "raed");
    CHECK(error.context == "test#/streams/0/steps/0/operation");
    CHECK(error.message.find("'read'") != std::string::npos);
    error = error_after("/streams/1/file_set", "mial");
    CHECK(error.message.find("'mail'") != std::string::npos);
    CHECK(error_after("/file_sets/0/size", "64 bananas").context == "test#/file_sets/0/size");
    CHECK(error_after("/streams/0/depth", "four").context == "test#/streams/0/depth");
    CHECK(error_after("/streams/0/depth", -1).context == "test#/streams/0/depth");
    CHECK_FALSE(load_from_json("{", "test").has_value());
    CHECK_FALSE(load_from_json("[]", "test").has_value());
}

TEST_CASE("workload: contradictions are refused") {
    error_after("/metric", "happiness");
    error_after("/file_sets/0/files", 0);
    error_after("/file_sets/0/name", "../etc");
    error_after("/file_sets/1/name", "heap");
    error_after("/file_sets/1/size", "4Ki");
    error_after("/file_sets/0/compressible", 1.5);
    error_after("/streams/0/counts", false);
    error_after("/streams/0/steps/0/block", "8193");
    error_after("/streams/0/steps/0/block", "128Mi");
    error_after("/streams/0/steps/0/probability", 0);
    error_after("/streams/0/steps/0/operation", "unlink");
    error_after("/streams/1/steps", nlohmann::json::parse(R"([{"operation": "think", "think_ns": 1}])"));
    error_after("/streams/1/steps/2/think_ns", 0);
    error_after("/window_seconds", 0);
}

TEST_CASE("workload: scaling keeps the shape and fits the area") {
    const Load load = good();
    const std::uint64_t whole = data_bytes(load, 1.0);
    CHECK(whole > 256u << 20);
    CHECK(file_count(load, 1.0) >= 10'004);
    CHECK(data_bytes(load, 0.5) < whole * 6 / 10);
    CHECK(fitting_scale(load, 100ull << 30) == 1.0);
    for (const std::uint64_t area : {256ull << 20, 512ull << 20, 1024ull << 20}) {
        const double scale = fitting_scale(load, area);
        CHECK(scale < 1.0);
        CHECK(static_cast<double>(data_bytes(load, scale)) <= static_cast<double>(area) * 0.45);
        CHECK(static_cast<double>(data_bytes(load, scale)) > static_cast<double>(area) * 0.35);
    }
    EngineOptions options;
    options.scale = 0.1;
    const auto plan = make_plan(load, options);
    REQUIRE(plan.has_value());
    CHECK(plan->sets[0].shape.files == 4);
    CHECK(plan->sets[0].shape.size_bytes < 7u << 20);
    CHECK(plan->sets[1].shape.files == 1000);
    CHECK(plan->sets[1].shape.size_max_bytes == 128u << 10);
    CHECK(plan->sets[1].directories == 2);
}

TEST_CASE("workload: a load that no scale brings onto the area is refused before anything is formatted") {
    const nlohmann::json changed = nlohmann::json::parse(R"({"file_sets": [{"name": "big", "files": 100,
        "size": "1Gi"}], "streams": [{"name": "s", "file_set": "big",
        "steps": [{"operation": "read"}]}]})");
    const auto load = load_from_json(changed.dump(), "test");
    REQUIRE(load.has_value());
    const auto source = engine_source(*load);
    const auto refused = source->fitting_scale(256 << 20);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::kUnavailable);
    CHECK(refused.error().message.find("256 MiB") != std::string::npos);
    CHECK_FALSE(refused.error().hint.empty());
    const auto fits = source->fitting_scale(300ull << 30);
    REQUIRE(fits.has_value());
    CHECK(*fits == 1.0);
}

TEST_CASE("workload: file sizes are log-uniform, named by index and reproducible") {
    const auto plan = make_plan(good(), EngineOptions{});
    REQUIRE(plan.has_value());
    const SetPlan& mail = plan->sets[1];
    double total = 0;
    for (std::uint64_t i = 0; i < mail.shape.files; ++i) {
        REQUIRE(mail.size_of(i) >= 1024);
        REQUIRE(mail.size_of(i) <= 128 * 1024);
        total += static_cast<double>(mail.size_of(i));
    }
    CHECK(total / 10'000 == doctest::Approx(static_cast<double>(mail.shape.size_bytes)).epsilon(0.05));
    PathBuffer path;
    mail.file_path(path, 1234);
    CHECK(std::string(path.data()) == "mail/d00002/f00001234");
    EngineOptions other;
    other.seed = 2;
    CHECK(make_plan(good(), other)->sets[1].size_of(5) != mail.size_of(5));
}

TEST_CASE("workload: every shipped load is well-formed") {
    const std::filesystem::path folder = std::string(FSADVISE_SOURCE_DIR) + "/knowledge/workloads";
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto text = read_file(entry.path().string());
        REQUIRE(text.has_value());
        const auto document = nlohmann::json::parse(*text);
        const auto load = load_from_json(document.at("load").dump(), entry.path().filename().string());
        CHECK_MESSAGE(load.has_value(), (load ? "" : to_text(load.error())));
        ++seen;
    }
    CHECK(seen > 0);
}
