// A list of facts that is no parameter, constraint or rule: what other programs accept, what a tool can
// change later.
//
// Errors: none; a cell that was left out is "". The loader has refused unknown columns.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fsadvise {

struct FactRow {
    std::map<std::string, std::string, std::less<>> cells;
    [[nodiscard]] std::string_view operator[](std::string_view column) const {
        const auto cell = cells.find(column);
        return cell == cells.end() ? std::string_view() : std::string_view(cell->second);
    }
    // A cell that says "yes".
    [[nodiscard]] bool is(std::string_view column) const { return (*this)[column] == "yes"; }
};

struct FactTable {
    std::string id;  // "tune2fs-features", permanent
    std::string title;
    std::vector<std::string> columns;
    std::vector<FactRow> rows;
    std::vector<std::string> sources;
    std::string origin;  // knowledge file

    // The first row with this text in that column, or null.
    [[nodiscard]] const FactRow* find(std::string_view column, std::string_view text) const {
        for (const FactRow& row : rows)
            if (row[column] == text) return &row;
        return nullptr;
    }
    [[nodiscard]] std::vector<std::string> column(std::string_view name) const {
        std::vector<std::string> texts;
        for (const FactRow& row : rows) texts.emplace_back(row[name]);
        return texts;
    }
};

}  // namespace fsadvise
