// The JSON lines of a batch, in and out; their format is described in docs/batch.md.
#include "advice/batch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLineBytes = 1u << 20;

std::string_view text_of(BatchVerdict::Mkfs value) {
    constexpr std::string_view kTexts[] = {"ok", "refused", "silently-changed"};
    return kTexts[static_cast<std::size_t>(value)];
}
std::string_view text_of(BatchVerdict::Mount value) {
    constexpr std::string_view kTexts[] = {"ok", "refused", "not-tried"};
    return kTexts[static_cast<std::size_t>(value)];
}
std::string_view text_of(BatchVerdict::Remount value) {
    constexpr std::string_view kTexts[] = {"", "ok", "refused", "ignored", "not-tried"};
    return kTexts[static_cast<std::size_t>(value)];
}

std::string error_line(std::size_t line, const std::string& name, const Error& error) {
    json verdict{{"line", line}, {"error", error.message}, {"where", fmt::format("{}:{}", name, line)}};
    if (!error.hint.empty()) verdict["hint"] = error.hint;
    return verdict.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

json to_json(const BatchVerdict& verdict) {
    json document{{"mkfs", text_of(verdict.mkfs)},
                  {"mount", text_of(verdict.mount)},
                  {"effective", verdict.effective},
                  {"becomes", json::object()},
                  {"findings", verdict.findings}};
    for (const auto& [id, value] : verdict.becomes) document["becomes"][id] = to_json(value);
    if (!verdict.uncertain.empty()) document["uncertain"] = verdict.uncertain;
    if (!verdict.why.empty()) document["why"] = verdict.why;
    if (verdict.remount != BatchVerdict::Remount::kNotAsked) {
        document["remount"] = text_of(verdict.remount);
        document["changed"] = verdict.changed;
        document["effective_after"] = verdict.effective_after;
    }
    return document;
}

std::string judge_batch(const Knowledge& knowledge, const Host& base, std::string_view text,
                        const std::string& name, BatchCounts& counts) {
    std::string output;
    std::size_t number = 0;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++number;
        if (line.empty()) continue;
        ++counts.rows;
        const bool too_long = line.size() > kMostLineBytes;
        const json document = too_long ? json() : json::parse(line, nullptr, false);
        const auto row =
            too_long ? Result<BatchRow>(fail(ErrorCode::kBadInput, "is longer than 1 MiB"))
            : document.is_discarded()
                ? Result<BatchRow>(fail(ErrorCode::kBadInput, "is no JSON", "", "one object a line"))
                : batch_row(knowledge, base, document);
        if (!row) {
            ++counts.malformed;
            output += error_line(number, name, row.error());
            continue;
        }
        json verdict = to_json(judge_row(knowledge, *row));
        verdict["line"] = number;
        verdict["fs"] = row->filesystem;
        if (document.contains("id")) verdict["id"] = document["id"];
        if (!row->ignored_keys.empty()) verdict["ignored_keys"] = row->ignored_keys;
        output += verdict.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    }
    return output;
}

}  // namespace fsadvise
