// What measured tables say about workloads that were not measured: the effect of each filesystem and of each
// parameter value, per table, and how alike the workloads are.
//
// Each table gives effects on the log metric, against ext4 as its mkfs makes it (or the table's anchor), by
// Bayesian regression. A described workload borrows them from all tables, in proportion to how many traits it
// shares with theirs and whether the medium is the same; what is borrowed from afar is drawn towards "no
// effect", and its interval is wide. The width is calibrated by leaving out one table after the other, so
// that nine of ten measured configurations lie inside. Source of the idea: Wistuba, Schilling,
// Schmidt-Thieme, Machine Learning 107 (2018) 43-78 (surrogates weighted by likeness). Units: natural
// logarithms of ratios. Errors: kBadInput for a file that is no model, damaged, or of another schema version.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/knowledge.h"
#include "tuner/replay/table.h"

namespace fsadvise::tuner {

inline constexpr int kEffectModelSchemaVersion = 1;

struct Effect {
    double mean = 0, deviation = 0;
};

struct TableEffects {
    std::string table, workload;
    std::string medium;  // "ram" or "disk"
    std::vector<std::string> traits;
    std::map<std::string, Effect> effects;  // "xfs", "xfs.mkfs.agcount=8"; what is missing was not measured
    int configurations = 0;
};

struct EffectModel {
    std::vector<TableEffects> tables;
    double stretch = 1;  // of the deviation of a prediction, from calibration
};

// What is to be predicted for.
struct Described {
    std::vector<std::string> traits;
    std::string medium;  // "ram", "disk", or "" = unknown
};

struct RatioPrediction {
    double log_ratio = 0, deviation = 0;  // against ext4 by default
    double likeness = 0;                  // of the table most alike, 0..1
    bool extrapolates = false;            // nothing like it was measured, or a choice never was
    std::vector<std::string> from;        // tables that count, the most alike first
    std::vector<std::string> unmeasured;  // choices that no table has
};

// Tables without an anchor of a known workload, or with fewer than 10 measured configurations, are refused
// (kBadInput).
Result<EffectModel> train_effect_model(const Knowledge& knowledge, const std::vector<ReplayTable>& tables);
RatioPrediction predict_ratio(const EffectModel& model, const Described& described,
                              const Configuration& configuration);
// Candidate against another configuration, by what they do not share.
RatioPrediction predict_ratio(const EffectModel& model, const Described& described,
                              const Configuration& candidate, const Configuration& against);

// One choice alone, against the default: "xfs", "xfs.mkfs.agcount=8".
RatioPrediction predict_choice(const EffectModel& model, const Described& described,
                               const std::string& choice);
inline constexpr double kHalfWidth90 = 1.645;  // of a 90 % interval, in deviations

// Deterministic: the same model, the same bytes.
std::string effect_model_text(const EffectModel& model);
Result<EffectModel> parse_effect_model(std::string_view text, const std::string& file);
std::string medium_of(std::string_view media);  // of a host or a table: "ram" or "disk"; "" stays

// How well one table is predicted from the others.
struct LeftOut {
    std::string table;
    int configurations = 0;
    double rank_correlation = 0;  // Spearman, predicted against measured
    double coverage = 0;          // share of measured configurations inside the 90 % interval
    double regret = 0;  // log: what the configuration chosen by prediction loses to the best measured
    double against_default = 0;  // log: what it wins against the default that is best
};
// Leaves out each table; `by_medium`: all tables of its medium.
std::vector<LeftOut> validate_effect_model(const Knowledge& knowledge, const std::vector<ReplayTable>& tables,
                                           bool by_medium);

}  // namespace fsadvise::tuner
