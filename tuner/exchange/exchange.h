// Workloads in and out: job files and traces of other tools become workload documents, and back.
//
// What is carried over and what is not: docs/exchange.md.
// Errors: kBadInput with "file:line" (text) or "file, byte N" (binary traces) as context. What a source says
// and a load
//         cannot is an error too, or with `lenient` a note of the document.
// Bounds: job files up to 16 MiB; traces are streamed, memory does not grow with their length.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// A file of kind "workload" (docs/knowledge.md) with its load decoded.
struct WorkloadDocument {
    std::string id, title, summary;
    std::vector<std::string> traits;
    std::string mount_point, durability = "strict";
    std::optional<std::uint64_t> mean_file_bytes;
    std::string derivation;
    std::vector<std::string> notes;  // what was approximated, left out or not seen
    std::vector<std::string> sources;
    Load load;
};

enum class ExchangeFormat { kFio, kWml, kIolog, kBlktrace };
std::string_view to_text(ExchangeFormat format);
std::optional<ExchangeFormat> exchange_format(std::string_view name);  // "fio", "wml", "iolog", "blktrace"

struct ImportOptions {
    std::string id;        // empty: from the file's name
    bool lenient = false;  // what cannot be carried over becomes a note
    std::string section;   // fio: this job only
};

// By content. Errors: kBadInput if it is none of them.
Result<ExchangeFormat> detect_format(const std::string& path);

// Several paths are the per-CPU files of one blktrace recording; the others take one.
Result<WorkloadDocument> import_workload(const std::vector<std::string>& paths,
                                         std::optional<ExchangeFormat> format, const ImportOptions& options);

// The "load" object of a workload file; load_from_json() reads it back to an equal load.
std::string load_to_json(const Load& load);
std::string document_to_json(const WorkloadDocument& document);
// Errors: kBadInput with "file#/json/pointer".
Result<WorkloadDocument> document_from_json(const std::string& text, const std::string& name);

// Words of the rules that the operations themselves show; what only people know (backups, retention) is never
// guessed.
std::vector<std::string> derive_traits(const Load& load);

struct FioExport {
    std::string text;
    std::vector<std::string> warnings;  // also in the text, as comments
};
// Errors: kBadInput if nothing of the load can be said in fio's words.
Result<FioExport> export_fio(const Load& load, const std::string& title);

}  // namespace fsadvise::tuner
