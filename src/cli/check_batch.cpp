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

Result<std::string> read_rows(const std::string& file) {
    if (file != "-") return read_file(file, kInputLimit);
    std::string text;
    char buffer[1 << 16];
    while (true) {
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0)
            return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), "standard input");
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
        if (text.size() > kInputLimit)
            return fail(ErrorCode::kBadInput, "is larger than 256 MiB", "standard input", "split the rows");
    }
}

}  // namespace

Outcome check_batch(const std::string& file, const HostOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_ASSIGN(const Host host, resolve_host(options, loaded.knowledge));
    FSADVISE_ASSIGN(const std::string text, read_rows(file));
    BatchCounts counts;
    const std::string name = file == "-" ? "<stdin>" : file;
    FSADVISE_TRY(emit(common, judge_batch(loaded.knowledge, host, text, name, counts)));
    if (counts.malformed == 0) return 0;
    return fail(ErrorCode::kBadInput,
                fmt::format("{} of {} rows are malformed, see their verdicts", counts.malformed, counts.rows),
                name, "see docs/batch.md");
}

}  // namespace fsadvise::cli
