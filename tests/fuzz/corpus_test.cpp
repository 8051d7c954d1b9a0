// Replays the kept corpus of every fuzz target: what once crashed must not crash again.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "base/fd.h"

void replay_fstab(std::string_view text);
void replay_script(std::string_view text);
void replay_yaml(std::string_view text);
void replay_expression(std::string_view text);
void replay_mkfs_argv(std::string_view text);
void replay_fio(std::string_view text);
void replay_wml(std::string_view text);
void replay_iolog(std::string_view text);
void replay_blktrace(std::string_view text);

namespace {

int replay(const std::string& target, void (*run)(std::string_view)) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(FSADVISE_SOURCE_DIR) +
                                                                 "/tests/fuzz/corpus/" + target)) {
        const auto text = fsadvise::read_file(entry.path().string());
        REQUIRE(text.has_value());
        run(*text);
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("the corpus of every fuzz target passes") {
    CHECK(replay("fstab", replay_fstab) > 0);
    CHECK(replay("script", replay_script) > 0);
    CHECK(replay("yaml", replay_yaml) > 0);
    CHECK(replay("expression", replay_expression) > 0);
    CHECK(replay("mkfs_argv", replay_mkfs_argv) > 0);
    CHECK(replay("fio", replay_fio) > 0);
    CHECK(replay("wml", replay_wml) > 0);
    CHECK(replay("iolog", replay_iolog) > 0);
    CHECK(replay("blktrace", replay_blktrace) > 0);
}
