// The one answer type, out of advise and out of tune: ranked configurations with reasons, commands and warnings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "space/context.h"
#include "space/spelling.h"

namespace fsadvise {

inline constexpr int kAdviceSchemaVersion = 1;

// Ratio to the default configuration: 1.08 = 8 % more operations a second.
struct EffectEstimate {
    double ratio = 1.0, low = 1.0, high = 1.0;
    double level = 0.95;      // confidence of [low, high]
    std::string basis;        // "measured: 6 fresh-format duets", "predicted by ..."
    bool material = false;    // interval excludes 1 and the size is at least 2 %
};

// One non-default choice.
struct Choice {
    std::string parameter;    // id, or "filesystem"
    std::string spelled;      // "-m reflink=0", "noatime"
    Value value{};
    std::string why;
    std::string rule;         // id
    std::string strength;
    std::vector<std::string> sources;  // evidence ids or URLs
};

// A knob of the block layer or of memory management that belongs to the decision; shown, never applied.
struct BlockSetting {
    std::string parameter;  // id
    Value value{};
    std::string line;  // a udev rule, a sysctl line or a command
    std::string goes_to;  // where the line is kept: "/etc/udev/rules.d/60-fsadvise.rules"
    std::string why, rule, strength;
    std::vector<std::string> sources;
};

struct Recommendation {
    Configuration configuration;
    Commands commands;
    double score = 0;                     // points from rules; only the order matters
    std::vector<Choice> choices;          // why this filesystem, then one per non-default parameter
    std::vector<BlockSetting> settings;   // of the block layer, not part of the configuration
    std::vector<std::string> against;     // why it lost, or what it costs
    std::vector<std::string> warnings;
    std::optional<EffectEstimate> effect;
};

struct Rejected {
    std::string option;      // as people write it: "XFS nobarrier"
    std::string filesystem;
    std::string why;
    std::string versions;    // "removed in Linux 4.19"
    std::string rule;
    std::vector<std::string> sources;
};

struct ApplicationSetting {
    std::string application, name, value, why;
    std::vector<std::string> sources;
};

struct Confidence {
    std::string word;      // "high" | "moderate" | "low" | "measured"
    std::string rests_on;
};

// A configuration that no other measured one beats in all the figures asked for.
struct FrontEntry {
    Configuration configuration;
    struct Figure {
        std::string name;
        double value = 0, anchor = 0;  // mean of the duets, and of the default in the same duets
        double gain = 1;               // factor by which it is better than the default; below 1 worse
    };
    std::vector<Figure> figures;
    std::string text;  // the figures for people
};

// What tune adds.
struct MeasuredSummary {
    std::string study;            // path
    std::string stands_for;       // "a loop file on ext4: ..." and what carries over
    std::string metric;           // "operations/s, mean log-ratio of alternating windows"
    int trials = 0, failed = 0;
    bool material = false;
    std::string verdict;          // "no material difference: keep the default"
    std::string anchor;           // canonical text of the default it was compared with
    bool complete = true;         // false: interrupted or out of budget before confirmation
    std::vector<std::string> effects;  // "xfs.mkfs.log_size: +1.2 % (-0.3 .. +2.8)"
    std::vector<std::string> outliers; // repeats far from the others: flagged, kept in every figure
    std::vector<std::string> drifts;   // levels that changed while the study ran
    std::string objective;               // "70 % throughput, 30 % space"; "" = the workload's own
    std::vector<FrontEntry> front;       // of tune --pareto
    std::vector<std::string> violations; // measured configurations that break a constraint, with the figure
    std::string repeats;               // "4 more repeats show 2 %", or why more would not help; "" if none is needed
};

struct Advice {
    Request request;
    std::string workload_title;
    std::string knowledge_digest;
    std::vector<Recommendation> ranked;   // [0] is the advice
    std::vector<std::string> excluded;    // filesystems not considered, with the reason
    std::vector<Rejected> rejected;
    std::vector<ApplicationSetting> application;
    std::vector<std::string> warnings, notes;
    Confidence confidence;
    std::string prove_command;            // the tune command
    std::optional<MeasuredSummary> measured;
};

nlohmann::json to_json(const Advice& advice, const Knowledge& knowledge);

}  // namespace fsadvise
