// What a study is after: one figure, a weighted sum of several, or the front of the best compromises; and
// limits.
//
// trial_gain() and for_goal() are all that a search or a decision needs: the first is the scalar log
// objective of a trial, the second puts it in the place of the workload's own, so that whoever reads
// Measurement::log_ratio follows the goal. A goal that asks for nothing changes nothing. Errors: kUsage names
// the word and the nearest known figure. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tuner/objective/figure.h"

namespace fsadvise::tuner {

struct Weight {
    Figure figure = Figure::kThroughput;
    double share = 1;
};

// "p99 < 5 ms"; with the unit "x" relative to the default: "space < 1.1x".
struct Limit {
    Figure figure = Figure::kThroughput;
    bool most = true;       // else least
    bool relative = false;  // to the default, measured in the same duets
    double bound = 0;
    std::string text;  // as asked
};

struct Goal {
    std::vector<Weight> weights;  // shares sum to 1; empty = the workload's own objective
    std::vector<Figure>
        front;  // with at least two: also the configurations that no other beats in all of them
    std::vector<Limit> limits;
    [[nodiscard]] bool asks() const { return !weights.empty() || !limits.empty(); }
    [[nodiscard]] bool wants(Figure figure) const;
};

// "throughput:0.7,space:0.3" or "p99"; "throughput,space"; "p99 < 5 ms".
Result<Goal> read_goal(const std::string& objective, const std::string& front,
                       const std::vector<std::string>& limits);
// As given to read_goal(), for a study to keep; "" for a goal that asks for nothing.
std::string goal_text(const Goal& goal);  // JSON
Result<Goal> goal_from_text(const std::string& json_text, const std::string& name);
// "70 % throughput, 30 % space".
std::string goal_title(const Goal& goal);

// Weighted sum of the log gains; nullopt where one of them is not known.
std::optional<LogGain> measurement_gain(const Measurement& measurement, const Goal& goal);
// Precision-weighted mean over the measurements of a phase ("" = all).
std::optional<LogGain> trial_gain(const Trial& trial, const Goal& goal, const std::string& phase = {});

// Mean over the measurements: absolute value of one side.
std::optional<double> trial_figure(const Trial& trial, const std::string& side, Figure figure);
// One sentence a broken limit: "p99 7.2 ms, but the limit is p99 < 5 ms". A figure that is not known breaks
// it too.
std::vector<std::string> broken_limits(const Trial& trial, const std::string& side, const Goal& goal);

// Measurements carry the goal's gain as log_ratio; trials that break a limit, or lack a figure, are failed
// with the reason, so they are neither learned from as good nor confirmed.
std::vector<Trial> for_goal(std::vector<Trial> trials, const Goal& goal);
// The goal with other weights for each turn, where a front is wanted: proposals then spread along the front.
// Source: Knowles, ParEGO, IEEE Transactions on Evolutionary Computation 10 (2006), 50-66 (random weights a
// turn; here a sum of logarithms).
Goal goal_of_turn(const Goal& goal, std::size_t turn);

// Complete trials within the limits that no other is better than in all figures of the front, by
// trial_figure() of the candidate relative to the anchor. Places in `trials`, best in the first figure first.
struct FrontPoint {
    std::size_t trial = 0;
    std::vector<LogGain> gains;  // one a figure of the front
};
std::vector<FrontPoint> front_of(const std::vector<Trial>& trials, const Goal& goal);

}  // namespace fsadvise::tuner
