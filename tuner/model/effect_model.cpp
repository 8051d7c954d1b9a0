#include "tuner/model/effect_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "models/linear_regression.h"
#include "models/rank_correlation.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kFewestConfigurations = 10;
// How far effects of tables differ beyond their own errors, and what is held possible of an effect nobody
// measured.
constexpr double kBetweenTables = 0.10;
constexpr double kPriorFilesystem = 0.35, kPriorParameter = 0.08;
constexpr double kOtherMedium = 0.6;  // weight of a table on another medium
constexpr double kLeastLikeness = 0.25;
constexpr double kLeastDeviation = 0.01;
constexpr const char* kReference = "ext4";

std::string choice_name(const std::string& parameter, const Value& value) {
    return parameter + "=" + to_text(value);
}

// The choices of a configuration; the reference filesystem has none of its own.
std::vector<std::string> choices_of(const Configuration& configuration) {
    std::vector<std::string> choices;
    if (configuration.filesystem != kReference) choices.push_back(configuration.filesystem);
    for (const auto& [parameter, value] : configuration.values)
        choices.push_back(choice_name(parameter, value));
    return choices;
}

bool is_filesystem(const std::string& choice) {
    return choice.find('.') == std::string::npos;
}

struct Measured {
    const Configuration* configuration = nullptr;
    double value = 0, deviation = 0;
};

std::vector<Measured> measured_rows(const ReplayTable& table) {
    std::vector<Measured> rows;
    for (const ReplayRow& row : table.rows) {
        std::vector<double> values;
        for (const ReplayRepeat& repeat : row.repeats)
            if (!repeat.failed && std::isfinite(repeat.value)) values.push_back(repeat.value);
        if (values.empty()) continue;
        double mean = 0, square = 0;
        for (const double value : values) mean += value / static_cast<double>(values.size());
        for (const double value : values) square += (value - mean) * (value - mean);
        const double spread =
            values.size() > 1 ? std::sqrt(square / static_cast<double>(values.size() - 1)) : 0.1;
        rows.push_back({&row.configuration, mean,
                        std::max(kLeastDeviation, spread / std::sqrt(static_cast<double>(values.size())))});
    }
    return rows;
}

// What the reference measured in its own table, so that effects are against it.
double level_of_reference(const std::vector<Measured>& rows) {
    for (const Measured& row : rows)
        if (row.configuration->filesystem == kReference && row.configuration->values.empty())
            return row.value;
    return 0;  // by definition of a log ratio to the default
}

Result<TableEffects> effects_of(const Knowledge& knowledge, const ReplayTable& table) {
    const WorkloadDescription* workload = knowledge.workload(table.workload);
    if (workload == nullptr)
        return fail(ErrorCode::kBadInput, fmt::format("the workload '{}' is not known", table.workload),
                    table.file, "name a table of a known workload");
    const auto rows = measured_rows(table);
    if (rows.size() < kFewestConfigurations)
        return fail(ErrorCode::kBadInput, fmt::format("{} measured configurations are too few", rows.size()),
                    table.file, fmt::format("{} are the least", kFewestConfigurations));
    std::set<std::string> filesystems, parameters;
    for (const Measured& row : rows)
        for (const std::string& choice : choices_of(*row.configuration))
            (is_filesystem(choice) ? filesystems : parameters).insert(choice);
    std::vector<std::string> names(filesystems.begin(), filesystems.end());
    names.insert(names.end(), parameters.begin(), parameters.end());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                                   static_cast<Eigen::Index>(names.size()));
    Eigen::VectorXd targets(matrix.rows()), noise(matrix.rows());
    const double reference = level_of_reference(rows);
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        const Measured& row = rows[static_cast<std::size_t>(i)];
        for (const std::string& choice : choices_of(*row.configuration))
            matrix(i, std::ranges::find(names, choice) - names.begin()) = 1;
        targets(i) = row.value - reference;
        noise(i) = row.deviation * row.deviation;
    }
    FSADVISE_ASSIGN(const auto fit,
                    models::LinearRegression::fit(matrix, targets, noise, filesystems.size()));
    TableEffects result{table.name,       workload->id, medium_of(table.media),
                        workload->traits, {},           static_cast<int>(rows.size())};
    std::ranges::sort(result.traits);
    constexpr double kHalf95 = 1.96;
    for (const models::Coefficient& coefficient : fit.coefficients())
        result.effects[names[coefficient.feature]] = {coefficient.effect,
                                                      (coefficient.high - coefficient.low) / (2 * kHalf95)};
    return result;
}

double likeness(const TableEffects& table, const Described& described) {
    std::set<std::string> all(table.traits.begin(), table.traits.end());
    std::size_t shared = 0;
    for (const std::string& trait : described.traits)
        if (!all.insert(trait).second) ++shared;
    const double traits = all.empty() ? 0 : static_cast<double>(shared) / static_cast<double>(all.size());
    const bool same = described.medium.empty() || table.medium == described.medium;
    return traits * (same ? 1 : kOtherMedium);
}

// Precision-weighted mean over the tables, drawn towards no effect.
Effect borrowed(const EffectModel& model, const std::vector<double>& weights, const std::string& choice,
                bool& measured) {
    const double prior = is_filesystem(choice) ? kPriorFilesystem : kPriorParameter;
    double precision = 1 / (prior * prior), sum = 0;
    for (std::size_t i = 0; i < model.tables.size(); ++i) {
        const auto found = model.tables[i].effects.find(choice);
        if (found == model.tables[i].effects.end() || weights[i] <= 0) continue;
        measured = true;
        const double variance = found->second.deviation * found->second.deviation +
                                kBetweenTables * kBetweenTables * (is_filesystem(choice) ? 1 : 0.25);
        precision += weights[i] / variance;
        sum += weights[i] * found->second.mean / variance;
    }
    return {sum / precision, 1 / std::sqrt(precision)};
}

RatioPrediction predict_choices(const EffectModel& model, const Described& described,
                                const std::vector<std::pair<std::string, double>>& choices) {
    RatioPrediction prediction;
    std::vector<double> weights;
    std::vector<std::pair<double, std::string>> order;
    for (const TableEffects& table : model.tables) {
        weights.push_back(likeness(table, described));
        order.emplace_back(-weights.back(), table.table);
        prediction.likeness = std::max(prediction.likeness, weights.back());
    }
    double variance = 0;
    for (const auto& [choice, sign] : choices) {
        bool measured = false;
        const Effect effect = borrowed(model, weights, choice, measured);
        prediction.log_ratio += sign * effect.mean;
        variance += effect.deviation * effect.deviation;
        if (!measured) prediction.unmeasured.push_back(choice);
    }
    prediction.deviation = model.stretch * std::sqrt(variance);
    prediction.extrapolates = prediction.likeness < kLeastLikeness || !prediction.unmeasured.empty();
    std::ranges::sort(order);
    for (const auto& [weight, table] : order)
        if (-weight >= kLeastLikeness) prediction.from.push_back(table);
    return prediction;
}

Described described_by(const TableEffects& table) {
    return {table.traits, table.medium};
}

EffectModel without(const EffectModel& model, const TableEffects& left_out, bool by_medium) {
    EffectModel rest{{}, model.stretch};
    for (const TableEffects& table : model.tables)
        if (by_medium ? table.medium != left_out.medium : table.table != left_out.table)
            rest.tables.push_back(table);
    return rest;
}

// Errors of left-out predictions in units of their deviation.
std::vector<double> standardised_errors(const EffectModel& model, const std::vector<ReplayTable>& tables) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const EffectModel rest = without(model, model.tables[i], false);
        const auto rows = measured_rows(tables[i]);
        const double reference = level_of_reference(rows);
        for (const Measured& row : rows) {
            const auto prediction = predict_ratio(rest, described_by(model.tables[i]), *row.configuration);
            if (prediction.deviation <= 0) continue;
            errors.push_back(std::abs(row.value - reference - prediction.log_ratio) /
                             std::hypot(prediction.deviation, row.deviation));
        }
    }
    std::ranges::sort(errors);
    return errors;
}

}  // namespace

std::string medium_of(std::string_view media) {
    if (media.empty()) return "";
    return media == "ram" ? "ram" : "disk";
}

Result<EffectModel> train_effect_model(const Knowledge& knowledge, const std::vector<ReplayTable>& tables) {
    if (tables.empty())
        return fail(ErrorCode::kBadInput, "no table to learn from", "", "name tables of tune --record-grid");
    EffectModel model;
    for (const ReplayTable& table : tables) {
        FSADVISE_ASSIGN(auto effects, effects_of(knowledge, table));
        model.tables.push_back(std::move(effects));
    }
    if (model.tables.size() < 3) return model;  // too few to calibrate: the deviations stay as they are
    const auto errors = standardised_errors(model, tables);
    if (!errors.empty()) {
        const auto place = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(errors.size()))) - 1;
        model.stretch = std::max(1.0, errors[place] / kHalfWidth90);
    }
    // Sorted, so that the order on the command line does not matter.
    std::ranges::sort(model.tables, {}, &TableEffects::table);
    return model;
}

RatioPrediction predict_ratio(const EffectModel& model, const Described& described,
                              const Configuration& configuration) {
    std::vector<std::pair<std::string, double>> choices;
    for (const std::string& choice : choices_of(configuration)) choices.emplace_back(choice, 1);
    return predict_choices(model, described, choices);
}

RatioPrediction predict_ratio(const EffectModel& model, const Described& described,
                              const Configuration& candidate, const Configuration& against) {
    std::map<std::string, double> signs;
    for (const std::string& choice : choices_of(candidate)) signs[choice] += 1;
    for (const std::string& choice : choices_of(against)) signs[choice] -= 1;
    std::erase_if(signs, [](const auto& entry) { return entry.second == 0; });
    return predict_choices(model, described, {signs.begin(), signs.end()});
}

RatioPrediction predict_choice(const EffectModel& model, const Described& described,
                               const std::string& choice) {
    return predict_choices(model, described, {{choice, 1}});
}

std::vector<LeftOut> validate_effect_model(const Knowledge& knowledge, const std::vector<ReplayTable>& tables,
                                           bool by_medium) {
    std::vector<LeftOut> result;
    const auto whole = train_effect_model(knowledge, tables);
    if (!whole) return result;
    for (const ReplayTable& table : tables) {
        const auto found = std::ranges::find(whole->tables, table.name, &TableEffects::table);
        std::vector<ReplayTable> others;
        for (const ReplayTable& other : tables)
            if (by_medium ? medium_of(other.media) != found->medium : other.name != table.name)
                others.push_back(other);
        const auto rest = train_effect_model(knowledge, others);  // calibrated without the table too
        if (!rest) continue;
        const auto rows = measured_rows(table);
        const double reference = level_of_reference(rows);
        std::vector<double> predicted, measured;
        int inside = 0;
        double chosen = 0, chosen_prediction = -INFINITY, best = -INFINITY, best_default = -INFINITY;
        for (const Measured& row : rows) {
            const auto prediction = predict_ratio(*rest, described_by(*found), *row.configuration);
            const double value = row.value - reference;
            predicted.push_back(prediction.log_ratio);
            measured.push_back(value);
            if (std::abs(value - prediction.log_ratio) <=
                kHalfWidth90 * std::hypot(prediction.deviation, row.deviation))
                ++inside;
            if (prediction.log_ratio > chosen_prediction)
                chosen_prediction = prediction.log_ratio, chosen = value;
            best = std::max(best, value);
            if (row.configuration->values.empty()) best_default = std::max(best_default, value);
        }
        const auto correlation = models::spearman(predicted, measured);
        result.push_back({table.name, static_cast<int>(rows.size()), correlation ? correlation->value : 0,
                          static_cast<double>(inside) / static_cast<double>(rows.size()), best - chosen,
                          std::isfinite(best_default) ? chosen - best_default : 0});
    }
    return result;
}

}  // namespace fsadvise::tuner
