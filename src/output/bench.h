// Renderers of a BenchResult: text for people, JSON (schema_version 1), CSV (one row a second and place).
#pragma once

#include <string>

#include "output/render.h"
#include "tuner/bench/bench_result.h"

namespace fsadvise {

// What was run, told with the result.
struct BenchSubject {
    std::string load;  // workload or file
    double scale = 1;
    std::uint64_t data_bytes = 0, files = 0;
    std::uint64_t seed = 1;
    std::string stands_for;  // "a loop file in RAM (tmpfs)"; empty for directories
};

std::string render_bench_text(const tuner::BenchResult& result, const BenchSubject& subject,
                              const TextStyle& style);
std::string render_bench_json(const tuner::BenchResult& result, const BenchSubject& subject);
// Columns: place, second, operations_per_s.
std::string render_bench_csv(const tuner::BenchResult& result);

}  // namespace fsadvise
