#include "tuner/replay/session.h"

#include <algorithm>

#include "advice/advise.h"

namespace fsadvise::tuner {
namespace {

// What following the advice is worth before anything is measured: a little, and it may be wrong.
constexpr models::EffectPrior kAdvised = {0.03, 0.08};
// Points of rules are roughly ln(ratio) * 100; half of it is believed.
constexpr double kPointsToLog = 0.005;

// The row that differs least from what is advised; nullptr without a row of that filesystem.
const Configuration* nearest(const ReplayTable& table, const Configuration& wish) {
    const Configuration* best = nullptr;
    std::size_t least = SIZE_MAX;
    for (const ReplayRow& row : table.rows) {
        const Configuration& have = row.configuration;
        if (have.filesystem != wish.filesystem) continue;
        std::size_t distance = 0;
        for (const auto& [id, value] : have.values) {
            const auto wanted = wish.values.find(id);
            distance += wanted == wish.values.end() ? 2 : equal(value, wanted->second) ? 0 : 2;
        }
        for (const auto& [id, value] : wish.values) distance += have.values.contains(id) ? 0 : 1;
        if (distance < least) least = distance, best = &have;
    }
    return best;
}

}  // namespace

void prepare_first(SamplerOptions& options, const ReplayTable& table, const Knowledge* knowledge) {
    if (table.is_log_ratio && table.anchor) options.anchor = table.anchor;
    std::vector<Configuration> wishes;
    Request request;
    request.workload = table.workload;
    std::set<std::string> filesystems;
    for (const ReplayRow& row : table.rows) filesystems.insert(row.configuration.filesystem);
    if (knowledge != nullptr && knowledge->workload(table.workload) != nullptr) {
        request.requirements.filesystems.assign(filesystems.begin(), filesystems.end());
        std::erase_if(request.requirements.filesystems,
                      [&](const std::string& id) { return knowledge->filesystem(id) == nullptr; });
        request.requirements.durability = "scratch";
        request.host.device = BlockDevice{};
        const auto network = RuleNetwork::build(*knowledge);
        const auto advice = network ? advise(*knowledge, *network, request) : tl::unexpected(network.error());
        if (advice && !request.requirements.filesystems.empty()) {
            for (const auto& recommendation : advice->ranked) {
                const Configuration& configuration = recommendation.configuration;
                if (!filesystems.contains(configuration.filesystem)) continue;
                wishes.push_back(configuration);
                const double points = recommendation.score - advice->ranked.front().score;
                options.memory.try_emplace(configuration.filesystem,
                                           models::EffectPrior{points * kPointsToLog, 0.3});
                for (const auto& [id, value] : configuration.values) {
                    options.memory.try_emplace(id + "=" + to_text(value), kAdvised);
                }
            }
        }
    }
    const auto add = [&](const Configuration& configuration, const std::string& origin) {
        const bool known =
            std::any_of(options.first.begin(), options.first.end(),
                        [&](const Proposal& other) { return other.configuration == configuration; });
        if (!known) options.first.push_back({configuration, origin, 0});
    };
    // Without a known anchor a level is needed to compare with.
    if (!options.anchor) {
        const auto plain = std::min_element(
            table.rows.begin(), table.rows.end(), [](const ReplayRow& a, const ReplayRow& b) {
                return a.configuration.values.size() < b.configuration.values.size();
            });
        const bool in_table = table.anchor && table.find(*table.anchor);
        const Configuration& base = in_table ? *table.anchor : plain->configuration;
        add(base, "default:" + base.filesystem);
    }
    if (!wishes.empty()) {
        if (const Configuration* row = nearest(table, wishes.front())) add(*row, "expert");
    }
}

}  // namespace fsadvise::tuner
