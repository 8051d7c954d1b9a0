// Dependencies point one way; this reads every #include and fails on an edge outside the map of
// docs/design.md.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <doctest/doctest.h>

namespace {

const std::map<std::string, std::set<std::string>> kAllowed = {
    {"base", {"base"}},
    {"host", {"base", "host"}},
    {"space", {"base", "host", "space"}},
    {"advice", {"base", "host", "space", "advice"}},
    {"models", {"base", "models"}},
    {"tuner", {"base", "host", "space", "advice", "models", "tuner"}},
    // Renderers read plain structs: of the tuner only the trials of a study, the outcomes of a
    // verification and of a bench, and the plan of an apply.
    {"output",
     {"base", "host", "space", "advice", "tuner/study", "tuner/verify", "tuner/bench", "tuner/apply",
      "output"}},
    {"cli", {"base", "host", "space", "advice", "models", "tuner", "output", "cli"}},
};

std::string module_of(const std::string& path) {
    std::string rest = path.starts_with("src/") ? path.substr(4) : path;
    return rest.substr(0, rest.find('/'));
}

}  // namespace

TEST_CASE("includes follow the dependency map") {
    const std::filesystem::path root = FSADVISE_SOURCE_DIR;
    const std::regex include("^#include \"([a-z_]+)(/[a-z_]+)?/[^\"]*\"");
    int edges = 0;
    for (const char* top : {"src", "models", "tuner"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            const std::string file = entry.path().lexically_relative(root).string();
            const auto& allowed = kAllowed.at(module_of(file));
            std::ifstream stream(entry.path());
            for (std::string line; std::getline(stream, line);) {
                std::smatch match;
                if (!std::regex_search(line, match, include)) continue;
                ++edges;
                const std::string module = match[1], folder = match[1].str() + match[2].str();
                CAPTURE(file);
                CAPTURE(line);
                CHECK((allowed.contains(module) || allowed.contains(folder)));
            }
        }
    }
    CHECK(edges > 200);  // the reader itself works
}

TEST_CASE("a type name of a header belongs to one header of its namespace") {
    // Two classes of one name in one namespace are undefined behaviour as soon as both are linked, and no
    // compiler says so.
    const std::filesystem::path root = FSADVISE_SOURCE_DIR;
    const std::regex opened("^namespace ([a-z_:]+) \\{"),
        declared("^(struct|class|enum class) ([A-Z][A-Za-z0-9]*)( final)?( : [^;]*)? \\{");
    std::map<std::string, std::string> home;
    for (const char* top : {"src", "models", "tuner"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            if (entry.path().extension() != ".h") continue;
            const std::string file = entry.path().lexically_relative(root).string();
            std::string space;
            std::ifstream stream(entry.path());
            std::smatch match;
            for (std::string line; std::getline(stream, line);) {
                if (std::regex_search(line, match, opened)) space = match[1];
                if (!std::regex_search(line, match, declared)) continue;
                const auto [known, added] = home.emplace(space + "::" + match[2].str(), file);
                CAPTURE(known->first);
                CAPTURE(known->second);
                CAPTURE(file);
                CHECK(added);
            }
        }
    }
    CHECK(home.size() > 200);  // the reader itself works
}

TEST_CASE("models know numbers, not filesystems") {
    const std::filesystem::path root = std::filesystem::path(FSADVISE_SOURCE_DIR) / "models";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
        std::ifstream stream(entry.path());
        const std::string text((std::istreambuf_iterator<char>(stream)), {});
        for (const char* word : {"ext4", "xfs", "btrfs", "f2fs"}) {
            CAPTURE(entry.path().string());
            CHECK(text.find(word) == std::string::npos);
        }
    }
}

TEST_CASE("no source file grows into a hall") {
    const std::filesystem::path root = FSADVISE_SOURCE_DIR;
    for (const char* top : {"src", "models", "tuner", "tests"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            std::ifstream stream(entry.path());
            const auto lines = std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
            CAPTURE(entry.path().string());
            CHECK(lines <= 450);
        }
    }
}
