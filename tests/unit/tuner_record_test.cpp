// Recording: which configurations a grid has, and what its file survives.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <doctest/doctest.h>

#include "base/text.h"
#include "space/knowledge.h"
#include "space/knowledge_files.h"
#include "space/spelling.h"
#include "tuner/record/grid_design.h"
#include "tuner/record/grid_file.h"
#include "tuner/record/row.h"

#include "support/search_request.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using nlohmann::json;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

const Request& request() {
    static const Request kMade = test::search_request();
    return kMade;
}

const std::vector<Space>& spaces() {
    static const std::vector<Space> kSpaces = [] {
        std::vector<Space> made;
        for (const char* id : {"ext4", "xfs", "btrfs"}) made.emplace_back(knowledge(), request(), id);
        return made;
    }();
    return kSpaces;
}

std::string words_of(const Configuration& configuration) {
    const Commands commands = spell(knowledge(), configuration);
    return shell_join(commands.mkfs) + " -o " + commands.mount_options;
}

std::string read_all(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

json header(const std::string& workload) {
    return {{"replay_table",
             {{"schema_version", kTableSchemaVersion}, {"workload", workload}, {"seconds", 0.8}}}};
}

json row(int groups, int repeat) {
    return {{"configuration", {{"filesystem", "xfs"}, {"values", {{"xfs.mkfs.agcount", groups}}}}},
            {"repeat", repeat},
            {"state", "complete"},
            {"metrics", {{"log_ratio", 0.01}}}};
}

const std::vector<std::string> kSame = {"workload", "seconds"};

}  // namespace

TEST_CASE("record: a grid holds all defaults and only valid, differently written configurations") {
    for (const std::size_t count : {std::size_t{3}, std::size_t{30}, std::size_t{0}}) {
        CAPTURE(count);
        const auto grid = design_grid(knowledge(), spaces(), count, 7);
        if (count > 0) CHECK(grid.size() == count);
        std::set<std::string> written;
        std::set<std::string> defaults;
        for (const GridPoint& point : grid) {
            const auto space = std::find_if(spaces().begin(), spaces().end(), [&](const Space& candidate) {
                return candidate.filesystem() == point.configuration.filesystem;
            });
            REQUIRE(space != spaces().end());
            CHECK(space->valid(point.configuration));
            CHECK(written.insert(words_of(point.configuration)).second);
            if (point.origin == "default") defaults.insert(point.configuration.filesystem);
            if (point.origin == "single") CHECK(point.configuration.values.size() == 1);
        }
        CHECK(defaults == std::set<std::string>{"ext4", "xfs", "btrfs"});
    }
}

TEST_CASE(
    "record: the whole design has every valid single change, a small one is spread over the parameters") {
    const auto whole = design_grid(knowledge(), spaces(), 0, 7);
    std::set<std::string> there;
    for (const GridPoint& point : whole) there.insert(words_of(point.configuration));
    std::size_t changes = 0;
    for (const Space& space : spaces()) {
        for (const Dimension& dimension : space.dimensions()) {
            for (std::size_t level = 1; level < dimension.values.size(); ++level) {
                const Configuration change{space.filesystem(),
                                           {{dimension.parameter, dimension.values[level]}}};
                if (!space.valid(change)) continue;
                ++changes;
                CAPTURE(canonical_text(change));
                CHECK(there.contains(words_of(change)));
            }
        }
    }
    CHECK(changes > 40);
    CHECK(whole.size() > changes);

    std::set<std::string> parameters;
    std::size_t singles = 0, fillers = 0;
    for (const GridPoint& point : design_grid(knowledge(), spaces(), 30, 7)) {
        if (point.origin == "single") {
            ++singles;
            parameters.insert(point.configuration.values.begin()->first);
        }
        fillers += point.origin == "space-filling" ? 1 : 0;
    }
    CHECK(parameters.size() == singles);
    CHECK(singles == 17);
    CHECK(fillers == 10);
}

TEST_CASE("record: the same seed gives the same grid, another seed another") {
    const auto names = [](std::uint64_t seed) {
        std::vector<std::string> result;
        for (const GridPoint& point : design_grid(knowledge(), spaces(), 40, seed))
            result.push_back(canonical_text(point.configuration));
        return result;
    };
    CHECK(names(7) == names(7));
    CHECK(names(7) != names(8));
}

TEST_CASE("record: a grid of the user's own is read line by line") {
    const auto grid =
        read_grid(knowledge(), request(), "# mine\n\next4::noatime\nxfs:-m reflink=0\next4::noatime\n", "g");
    REQUIRE(grid.has_value());
    CHECK(grid->size() == 2);
    CHECK((*grid)[0].origin == "given");
    const auto bad = read_grid(knowledge(), request(), "xfs\next4::noatme\n", "g");
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().code == ErrorCode::kBadInput);
    CHECK(bad.error().context.starts_with("g:2"));
    CHECK_FALSE(read_grid(knowledge(), request(), "# nothing\n", "g").has_value());
}

TEST_CASE("record: a table goes on where it stopped, whatever byte the stop was at") {
    const test::TemporaryFolder folder("grid-file");
    const std::string path = folder.path("t.jsonl");
    {
        auto table = GridFile::open(path, header("mail"), kSame);
        REQUIRE_MESSAGE(table.has_value(), (table ? std::string() : to_text(table.error())));
        CHECK(table->measured().empty());
        REQUIRE(table->append(row(4, 0)).has_value());
        REQUIRE(table->append(row(8, 0)).has_value());
        // One writer at a time.
        const auto second = GridFile::open(path, header("mail"), kSame);
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().code == ErrorCode::kUnavailable);
    }
    const std::string whole = read_all(path);
    CHECK(std::count(whole.begin(), whole.end(), '\n') == 3);
    const std::size_t first_line = whole.find('\n') + 1, second_line = whole.find('\n', first_line) + 1;
    for (const std::size_t cut : {std::size_t{1}, first_line - 1, first_line, first_line + 5, second_line - 1,
                                  second_line, second_line + 9, whole.size() - 1, whole.size()}) {
        CAPTURE(cut);
        (void)folder.write("t.jsonl", whole.substr(0, cut));
        if (cut == 1) {
            // Less than the beginning of a header: could be anything.
            CHECK(GridFile::open(path, header("mail"), kSame).error().code == ErrorCode::kBadInput);
            CHECK(read_all(path).size() == 1);
            continue;
        }
        auto table = GridFile::open(path, header("mail"), kSame);
        REQUIRE_MESSAGE(table.has_value(), (table ? std::string() : to_text(table.error())));
        const std::size_t rows = cut >= whole.size() ? 2 : cut >= second_line ? 1 : 0;
        CHECK(table->measured().size() == rows);
        if (!table->measured().contains({"xfs{xfs.mkfs.agcount=4}", 0}))
            REQUIRE(table->append(row(4, 0)).has_value());
        if (!table->measured().contains({"xfs{xfs.mkfs.agcount=8}", 0}))
            REQUIRE(table->append(row(8, 0)).has_value());
        CHECK(read_all(path) == whole);
    }
}

TEST_CASE("record: tables of other conditions, damaged ones and other files are refused and kept") {
    const test::TemporaryFolder folder("grid-refuse");
    const std::string path = folder.path("t.jsonl");
    REQUIRE(GridFile::open(path, header("mail"), kSame).has_value());
    const auto other = GridFile::open(path, header("kafka"), kSame);
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().code == ErrorCode::kUsage);
    CHECK(other.error().message.find("workload") != std::string::npos);
    for (const std::string content : {"precious\n", "precious", "{\"a\":1}\n", "[]\n"}) {
        (void)folder.write("t.jsonl", content);
        const auto foreign = GridFile::open(path, header("mail"), kSame);
        REQUIRE_FALSE(foreign.has_value());
        CHECK(foreign.error().code == ErrorCode::kBadInput);
        CHECK(read_all(path) == content);
    }
    const std::string damaged = header("mail").dump() + "\n{\"repeat\":0}\n";
    (void)folder.write("t.jsonl", damaged);
    const auto refused = GridFile::open(path, header("mail"), kSame);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().context == path + ":2");
    CHECK(read_all(path) == damaged);
}

TEST_CASE("record: a reason keeps its words and loses the places of the machine") {
    const std::vector<std::string> devices = {"/dev/loop3", "/dev/loop14"};
    CHECK(without_places("mount -t xfs /dev/loop3 /run/fsadvise.12/area0: mounting failed: loop3: bad magic",
                         devices) == "mount -t xfs DEVICE DIRECTORY: mounting failed: DEVICE: bad magic");
}
