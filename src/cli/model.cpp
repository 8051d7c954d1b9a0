// fsadvise model train|show|validate: what measured tables say about workloads that were not measured.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/shipped_model.h"

namespace fsadvise::cli {
namespace {

struct ModelOptions {
    std::vector<std::string> tables;
    std::string model, workload, medium;
};

Result<std::vector<tuner::ReplayTable>> read_tables(const std::vector<std::string>& files) {
    std::vector<tuner::ReplayTable> tables;
    for (const std::string& file : files) {
        FSADVISE_ASSIGN(auto table, tuner::read_replay_table(file));
        if (!table.is_log_ratio)
            return fail(ErrorCode::kBadInput, "its metric is no ratio to the default", file,
                        "use a table of tune --record-grid");
        const bool twice =
            std::ranges::any_of(tables, [&](const auto& other) { return other.name == table.name; });
        if (twice)
            return fail(ErrorCode::kBadInput, fmt::format("a second table named '{}'", table.name), file,
                        "name each table once");
        tables.push_back(std::move(table));
    }
    return tables;
}

Outcome train(const ModelOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_ASSIGN(const auto tables, read_tables(options.tables));
    FSADVISE_ASSIGN(const auto model, tuner::train_effect_model(loaded.knowledge, tables));
    FSADVISE_TRY(emit(common, tuner::effect_model_text(model)));
    return 0;
}

std::string percent(double log_ratio) {
    return fmt::format("{:+.1f} %", 100 * std::expm1(log_ratio));
}

Outcome show(const ModelOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_ASSIGN(const auto model, effect_model(options.model));
    std::string out = fmt::format("{} tables; intervals stretched by {:.2f} in calibration\n",
                                  model.tables.size(), model.stretch);
    for (const auto& table : model.tables)
        out += fmt::format("  {}: {} on {}, {} configurations, {} effects\n", table.table, table.workload,
                           table.medium, table.configurations, table.effects.size());
    if (options.workload.empty()) {
        FSADVISE_TRY(emit(common, out));
        return 0;
    }
    const WorkloadDescription* workload = loaded.knowledge.workload(options.workload);
    if (workload == nullptr)
        return fail(ErrorCode::kUsage,
                    "unknown workload '" + options.workload + "'" +
                        did_you_mean(options.workload, loaded.knowledge.workload_names()),
                    "--workload");
    const tuner::Described described{workload->traits, tuner::medium_of(options.medium)};
    out += fmt::format("for {}, against the default of ext4 (90 % intervals):\n", workload->id);
    std::set<std::string> choices;
    for (const auto& table : model.tables)
        for (const auto& [choice, effect] : table.effects) choices.insert(choice);
    std::vector<std::pair<double, std::string>> lines;
    for (const std::string& choice : choices) {
        const auto prediction = tuner::predict_choice(model, described, choice);
        const double half = tuner::kHalfWidth90 * prediction.deviation;
        lines.emplace_back(
            -prediction.log_ratio,
            fmt::format("  {:<52} {:>9} ({} to {})\n", choice, percent(prediction.log_ratio),
                        percent(prediction.log_ratio - half), percent(prediction.log_ratio + half)));
    }
    std::ranges::sort(lines);
    for (const auto& [order, line] : lines) out += line;
    const auto plain = tuner::predict_ratio(model, described, {"ext4", {}});
    out += fmt::format("nearest measured: {}{}\n", plain.from.empty() ? "none" : join(plain.from, ", "),
                       plain.extrapolates ? "; this extrapolates" : "");
    FSADVISE_TRY(emit(common, out));
    return 0;
}

std::string validation_table(const std::string& title, const std::vector<tuner::LeftOut>& rows) {
    std::string out = title +
                      "\n  table                     configurations  Spearman  inside 90 %   regret  against "
                      "the best default\n";
    double regret = 0;
    for (const auto& row : rows) {
        out += fmt::format("  {:<25} {:>14}  {:>8.2f}  {:>9.0f} %  {:>7}  {:>9}\n", row.table,
                           row.configurations, row.rank_correlation, 100 * row.coverage, percent(-row.regret),
                           percent(row.against_default));
        regret += row.regret / static_cast<double>(rows.size());
    }
    if (!rows.empty())
        out += fmt::format("  geometric mean of what the choice loses to the best measured: {}\n",
                           percent(-regret));
    return out;
}

Outcome validate(const ModelOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_ASSIGN(const auto tables, read_tables(options.tables));
    if (tables.size() < 2)
        return fail(ErrorCode::kUsage, "two tables at least: one is left out and predicted from the others",
                    "validate");
    FSADVISE_TRY(tuner::train_effect_model(loaded.knowledge, tables));
    std::string out = validation_table("each table predicted from the others",
                                       tuner::validate_effect_model(loaded.knowledge, tables, false));
    out += validation_table("each table predicted from those of the other medium",
                            tuner::validate_effect_model(loaded.knowledge, tables, true));
    FSADVISE_TRY(emit(common, out));
    return 0;
}

}  // namespace

void add_model(CLI::App& app, Invocation& invocation) {
    CLI::App* command =
        app.add_subcommand("model", "what measured tables say about workloads that were not measured");
    command->require_subcommand(1);
    auto options = std::make_shared<ModelOptions>();
    const auto add = [&](const char* name, const char* title,
                         Outcome (*run)(const ModelOptions&, const Common&)) {
        CLI::App* sub = command->add_subcommand(name, title);
        add_common(*sub, invocation.common);
        sub->callback([options, &invocation, run] {
            invocation.action = [options, &invocation, run] { return run(*options, invocation.common); };
        });
        return sub;
    };
    for (CLI::App* sub : {add("train", "learn effects from tables of tune --record-grid", train),
                          add("validate", "predict each table from the others", validate)})
        sub->add_option("tables", options->tables, "tables, docs/replay-table.md")
            ->required()
            ->type_name("TABLE");
    CLI::App* shown = add("show", "what a model knows, and what it says for a workload", show);
    shown->add_option("--model", options->model, "model file (default: the shipped one)")->type_name("FILE");
    shown->add_option("-w,--workload", options->workload, "what it says for this workload")
        ->type_name("NAME");
    shown->add_option("--medium", options->medium, "ram or disk")
        ->check(CLI::IsMember({"ram", "disk"}))
        ->type_name("M");
}

}  // namespace fsadvise::cli
