// Documents of kind "tables".
#include <fmt/format.h>

#include "space/decode.h"

namespace fsadvise {
namespace {

// A column of this name holds ids of parameters, one of that name ids of filesystems.
constexpr std::string_view kParameterColumn = "parameter", kFilesystemColumn = "filesystem";

void decode_row(Decoder& decoder, JsonValue value, FactTable& table) {
    FactRow& row = table.rows.emplace_back();
    if (!decoder.expect(value, JsonType::kObject)) return;
    for (const JsonValue cell : value) {
        if (std::find(table.columns.begin(), table.columns.end(), cell.key()) == table.columns.end()) {
            decoder.problem(cell, fmt::format("the table has no column '{}'", cell.key()),
                            hint_for(cell.key(), table.columns, "column"));
            continue;
        }
        if (cell.key() == kParameterColumn) decoder.refer(IdKind::kParameter, cell);
        if (cell.key() == kFilesystemColumn) decoder.refer(IdKind::kFilesystem, cell);
        const auto [entry, fresh] = row.cells.try_emplace(std::string(cell.key()));
        if (!fresh) decoder.problem(cell, "the key appears twice");
        decode(decoder, cell, entry->second);
    }
    if (row[table.columns.front()].empty())
        decoder.problem(value, fmt::format("the first column, '{}', is empty", table.columns.front()));
}

void decode_table(Decoder& decoder, JsonValue item, FactTable& table) {
    Id id{IdKind::kTable, table.id};
    Sources sources{table.sources};
    JsonArray rows;
    const Field fields[] = {required("id", id), required("title", table.title),
                            required("columns", table.columns), required("rows", rows),
                            required("sources", sources)};
    if (!decoder.object(item, fields) || !rows.value) return;
    if (table.columns.empty()) return decoder.problem(item, "'columns' is empty");
    reserve_for(*rows.value, table.rows);
    for (const JsonValue row : *rows.value) decode_row(decoder, row, table);
}

}  // namespace

void decode_tables(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    std::int64_t version = 0;
    std::string kind;
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind),
                            required("tables", items)};
    if (!decoder.object(root, fields) || !items.value) return;
    reserve_for(*items.value, data.tables);
    for (const JsonValue item : *items.value) {
        FactTable& table = data.tables.emplace_back();
        table.origin = root.document().name();
        decode_table(decoder, item, table);
    }
}

}  // namespace fsadvise
