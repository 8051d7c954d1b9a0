// One entry point a fuzz target: libFuzzer's when built with -DFSADVISE_FUZZ=ON, else a function that the
// replay of the corpus calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "advice/lint.h"
#include "space/knowledge_files.h"

#ifdef FSADVISE_FUZZING
#define FSADVISE_FUZZ_TARGET(name)                                                      \
    static void fuzz_body(std::string_view text);                                       \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
        fuzz_body({reinterpret_cast<const char*>(data), size});                         \
        return 0;                                                                       \
    }                                                                                   \
    static void fuzz_body(std::string_view text)
#else
#define FSADVISE_FUZZ_TARGET(name)             \
    void replay_##name(std::string_view text); \
    void replay_##name(std::string_view text)
#endif

namespace fsadvise::fuzzing {

inline const Knowledge& knowledge() {
    static const auto kKnowledge = Knowledge::load(embedded_knowledge());
    if (!kKnowledge) std::abort();
    return *kKnowledge;
}

inline void lint_as(std::string_view text, const char* file) {
    LintTarget target;
    target.host.kernel = "6.1";
    const auto result = lint(knowledge(), target, text, file);
    if (!result) return;
    // Findings stand on lines that exist; here-documents may end one line further.
    for (const auto& item : result->findings) {
        if (item.line < 1 || item.line > result->lines + 1) std::abort();
    }
}

}  // namespace fsadvise::fuzzing
