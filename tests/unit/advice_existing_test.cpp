// Advice for a filesystem that exists: what each change needs, and whether a reformat is worth it.
#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "advice/existing.h"
#include "output/existing.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = [] {
        auto loaded = Knowledge::load(embedded_knowledge());
        if (!loaded) FAIL(to_text(loaded.error()));
        return *loaded;
    }();
    return kLoaded;
}

const RuleNetwork& network() {
    static const RuleNetwork kNetwork = *RuleNetwork::build(knowledge());
    return kNetwork;
}

Request request_of(const std::string& workload) {
    Request request;
    request.workload = workload;
    request.host.kernel = "6.12";
    request.host.tools = {
        {"e2fsprogs", "1.47.2"}, {"xfsprogs", "6.13.0"}, {"btrfs-progs", "6.14"}, {"f2fs-tools", "1.16.0"}};
    request.host.device.emplace().size_bytes = std::uint64_t{500} << 30U;
    return request;
}

ExistingFilesystem listed(const std::string& filesystem, const std::string& options) {
    const auto text = R"({"filesystems": [{"target": "/srv/data", "source": "/dev/sdq1", "fstype": ")" + filesystem +
                      R"(", "options": ")" + options + R"("}]})";
    auto existing = existing_from_text(knowledge(), text, "test", "/srv/data");
    if (!existing) FAIL(to_text(existing.error()));
    return *existing;
}

ExistingAdvice must(const Request& request, const ExistingFilesystem& facts) {
    auto advice = advise_existing(knowledge(), network(), request, facts);
    if (!advice) FAIL(to_text(advice.error()));
    return *advice;
}

const ExistingStep* step_for(const ExistingAdvice& advice, const std::string& parameter) {
    for (const auto& step : advice.steps)
        if (step.parameter == parameter) return &step;
    return nullptr;
}

using Argv = std::vector<std::string>;

}  // namespace

TEST_CASE("a remount that works is a command; what is already set is not asked for again") {
    const auto advice = must(request_of("web-static"), listed("ext4", "rw,relatime"));
    const auto* atime = step_for(advice, "ext4.mount.atime");
    REQUIRE(atime != nullptr);
    CHECK(atime->moment == Moment::kNow);
    CHECK(atime->commands == std::vector<Argv>{{"mount", "-o", "remount,noatime", "/srv/data"}});
    CHECK(atime->from == "relatime");
    CHECK(advice.fstab_options.find("noatime") != std::string::npos);
    CHECK(advice.fstab_options.find("relatime") == std::string::npos);

    const auto again = must(request_of("web-static"), listed("ext4", "rw,noatime"));
    CHECK(step_for(again, "ext4.mount.atime") == nullptr);
    CHECK(std::find(again.already.begin(), again.already.end(), "noatime") != again.already.end());
}

TEST_CASE("XFS: what a remount ignores waits for a fresh mount") {
    std::size_t waiting = 0;
    for (const auto& workload : knowledge().workloads()) {
        CAPTURE(workload.id);
        const auto advice = must(request_of(workload.id), listed("xfs", "rw,relatime,attr2,inode64,noquota"));
        for (const auto& step : advice.steps) {
            const auto* parameter = knowledge().parameter(step.parameter);
            if (parameter->change != "fresh-mount") continue;
            ++waiting;
            CHECK(step.moment == Moment::kFreshMount);
            REQUIRE(step.commands.size() == 2);
            CHECK(step.commands[0] == Argv{"umount", "/srv/data"});
            for (const auto& argv : step.commands)
                for (const auto& word : argv) CHECK(word.find("remount") == std::string::npos);
        }
    }
    CHECK(waiting > 0);
}

TEST_CASE("an option that risks the data goes back to its default") {
    const auto advice = must(request_of("postgres"), listed("ext4", "rw,noatime,nobarrier"));
    const auto* barrier = step_for(advice, "ext4.mount.barrier");
    REQUIRE(barrier != nullptr);
    CHECK(barrier->moment == Moment::kNow);
    CHECK(barrier->commands == std::vector<Argv>{{"mount", "-o", "remount,barrier", "/srv/data"}});
    CHECK(advice.fstab_options.find("nobarrier") == std::string::npos);
}

TEST_CASE("keep it is the usual answer; a requirement that it lacks is not") {
    const auto keep = must(request_of("postgres"), listed("xfs", "rw,noatime"));
    CHECK(keep.verdict == "keep");
    CHECK(keep.verdict_why.find("keep it") != std::string::npos);

    auto request = request_of("file-server");
    request.requirements.needs = {"snapshots"};
    const auto move = must(request, listed("ext4", "rw,noatime"));
    CHECK(move.verdict == "reformat");
    CHECK(move.verdict_why.find("snapshots") != std::string::npos);
    CHECK(move.reformat.configuration.filesystem == "btrfs");
}

TEST_CASE("a superblock that was not seen is said to be unseen, and nothing is claimed about it") {
    const auto advice = must(request_of("mail"), listed("ext4", "rw,relatime"));
    REQUIRE_FALSE(advice.facts.unseen.empty());
    for (const auto& step : advice.steps) {
        if (knowledge().parameter(step.parameter)->layer == Layer::kMkfs) CHECK(step.from == "unknown");
    }
}

TEST_CASE("words that are no parameters survive in the fstab options") {
    const auto advice = must(request_of("file-server"), listed("btrfs", "rw,relatime,subvolid=257,subvol=/@data"));
    CHECK(advice.fstab_options.find("subvol=/@data") != std::string::npos);
}

TEST_CASE("a saved mountinfo, a saved probe and a findmnt tree say the same") {
    const std::string mountinfo = "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
                                  "30 22 8:17 / /srv/data rw,noatime - xfs /dev/sdq1 rw,inode64\n"
                                  "31 22 0:5 / /proc rw - proc proc rw\n";
    const auto a = existing_from_text(knowledge(), mountinfo, "m", "/srv/data/below");
    REQUIRE(a);
    CHECK(a->filesystem == "xfs");
    CHECK(a->directory == "/srv/data");
    const auto saved = nlohmann::json{{"existing", to_json(*a)}, {"host", nullptr}}.dump();
    const auto b = existing_from_text(knowledge(), saved, "p", "");
    REQUIRE(b);
    CHECK(b->values == a->values);
    CHECK(b->source == "/dev/sdq1");
    const auto c = existing_from_text(
        knowledge(),
        R"({"filesystems": [{"target": "/", "source": "/dev/sda1", "fstype": "ext4", "options": "rw", "children":
            [{"target": "/srv/data", "source": "/dev/sdq1[/@x]", "fstype": "xfs", "options": "rw,noatime,inode64"}]}]})",
        "f", "/srv/data");
    REQUIRE(c);
    CHECK(c->values == a->values);
    CHECK(c->source == "/dev/sdq1");
}

TEST_CASE("bad saved files are refused with what to do") {
    const auto code = [](const std::string& text, const std::string& directory) {
        const auto existing = existing_from_text(knowledge(), text, "saved", directory);
        REQUIRE_FALSE(existing);
        CHECK_FALSE(existing.error().message.empty());
        return existing.error().code;
    };
    CHECK(code("", "") == ErrorCode::kBadInput);
    CHECK(code("{", "") == ErrorCode::kBadInput);
    CHECK(code("{\"a\": 1}", "") == ErrorCode::kBadInput);
    CHECK(code("{\"filesystems\": 7}", "") == ErrorCode::kBadInput);
    CHECK(code("{\"existing\": {}}", "") == ErrorCode::kBadInput);
    CHECK(code("garbage \x01\x02", "") == ErrorCode::kBadInput);
    CHECK(code("30 22 8:17 / /a rw - xfs /dev/b rw\n31 22 8:18 / /b rw - xfs /dev/c rw\n", "") == ErrorCode::kUsage);
    CHECK(code("31 22 0:5 / /proc rw - proc proc rw\n", "/proc") == ErrorCode::kUsage);
}

TEST_CASE("every renderer tells the commands and the verdict") {
    const auto advice = must(request_of("web-static"), listed("ext4", "rw,relatime"));
    for (const auto& text : {render_existing_text(advice, knowledge(), {}), render_existing_markdown(advice, knowledge())}) {
        CHECK(text.find("mount -o remount,noatime /srv/data") != std::string::npos);
        CHECK(text.find(advice.verdict_why.substr(0, 20)) != std::string::npos);
    }
    const auto json = nlohmann::json::parse(render_existing_json(advice, knowledge()));
    CHECK(json.at("schema_version") == kExistingSchemaVersion);
    CHECK(json.at("verdict").at("word") == advice.verdict);
    CHECK(json.at("steps").size() == advice.steps.size());
}
