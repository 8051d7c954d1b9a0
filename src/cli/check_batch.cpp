// fsadvise check --batch: one JSON verdict for each JSON row.
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "advice/batch.h"
#include "base/fd.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kInputLimit = 256u << 20;

}  // namespace

Outcome check_batch(const std::string& file, const HostOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_ASSIGN(const Host host, resolve_host(options, loaded.knowledge));
    FSADVISE_ASSIGN(const std::string text, read_input(file, kInputLimit));
    BatchCounts counts;
    const std::string name = file == "-" ? "<stdin>" : file;
    FSADVISE_TRY(emit(common, judge_batch(loaded.knowledge, host, text, name, counts)));
    if (counts.malformed == 0) return 0;
    return fail(ErrorCode::kBadInput,
                fmt::format("{} of {} rows are malformed, see their verdicts", counts.malformed, counts.rows),
                name, "see docs/batch.md");
}

}  // namespace fsadvise::cli
