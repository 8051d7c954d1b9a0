#include "tuner/record/grid_design.h"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "space/configuration_text.h"
#include "space/spelling.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kFillAttempts = 2000;

// Collects configurations that differ in what is written.
class Collection {
  public:
    explicit Collection(const Knowledge& knowledge) : knowledge_(&knowledge) {}

    bool add(Configuration configuration, const std::string& origin) {
        const Commands commands = spell(*knowledge_, configuration);
        if (!written_.insert(shell_join(commands.mkfs) + "\n" + commands.mount_options).second) return false;
        points_.push_back({std::move(configuration), origin});
        return true;
    }
    [[nodiscard]] std::size_t size() const { return points_.size(); }
    std::vector<GridPoint> take() { return std::move(points_); }

  private:
    const Knowledge* knowledge_;
    std::set<std::string> written_;
    std::vector<GridPoint> points_;
};

// One change of every dimension before the second of any, in random order: a prefix is spread over the
// parameters.
std::vector<Configuration> single_changes(const std::vector<Space>& spaces, std::mt19937_64& random) {
    std::vector<Configuration> result;
    for (std::size_t level = 1, more = 1; more > 0; ++level) {
        std::vector<Configuration> round;
        more = 0;
        for (const Space& space : spaces) {
            for (const Dimension& dimension : space.dimensions()) {
                if (level >= dimension.values.size()) continue;
                ++more;
                Configuration change{space.filesystem(), {{dimension.parameter, dimension.values[level]}}};
                if (space.valid(change)) round.push_back(std::move(change));
            }
        }
        std::shuffle(round.begin(), round.end(), random);
        result.insert(result.end(), round.begin(), round.end());
    }
    return result;
}

}  // namespace

std::vector<GridPoint> design_grid(const Knowledge& knowledge, const std::vector<Space>& spaces,
                                   std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Collection grid(knowledge);
    for (const Space& space : spaces) grid.add({space.filesystem(), {}}, "default");
    const std::vector<Configuration> changes = single_changes(spaces, random);
    const std::size_t all = grid.size() + changes.size();
    const std::size_t singles_end = count == 0 ? all : std::min(all, std::max(grid.size(), count * 2 / 3));
    if (count == 0) count = all + changes.size() / 3;
    for (const Configuration& change : changes) {
        if (grid.size() >= singles_end) break;
        grid.add(change, "single");
    }
    // Filesystems take turns, so that each is as well covered as its space allows.
    for (std::size_t attempt = 0; attempt < kFillAttempts && grid.size() < count && !spaces.empty();
         ++attempt) {
        if (auto sample = spaces[attempt % spaces.size()].sample(random))
            grid.add(*std::move(sample), "space-filling");
    }
    return grid.take();
}

Result<std::vector<GridPoint>> read_grid(const Knowledge& knowledge, const Request& request,
                                         const std::string& text, const std::string& name) {
    Collection grid(knowledge);
    std::size_t number = 0;
    for (const std::string& raw : split(text, '\n')) {
        ++number;
        const std::string line(trim(raw));
        if (line.empty() || line.front() == '#') continue;
        auto configuration = configuration_from_text(knowledge, request, line);
        if (!configuration) {
            Error error = configuration.error();
            error.code = ErrorCode::kBadInput;
            error.context = fmt::format("{}:{}: {}", name, number, error.context);
            return tl::unexpected(std::move(error));
        }
        grid.add(*std::move(configuration), "given");
    }
    if (grid.size() == 0) {
        return fail(ErrorCode::kBadInput, "the grid names no configuration", name,
                    "write one a line, for example: xfs:-m reflink=0:noatime");
    }
    return grid.take();
}

}  // namespace fsadvise::tuner
