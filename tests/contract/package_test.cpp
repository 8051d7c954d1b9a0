// Manual pages, and the Debian package: made, unpacked and run.
#include <filesystem>

#include <doctest/doctest.h>

#include "base/fd.h"
#include "base/text.h"

#include "support/command.h"
#include "support/temporary_folder.h"

using namespace fsadvise;

TEST_CASE("every command has a manual page that roff reads without a warning") {
    const test::TemporaryFolder folder("man-pages");
    const std::string where = folder.path("man1");
    std::filesystem::create_directories(where);
    REQUIRE(test::run_fsadvise({"man-pages", where}).exit_code == 0);
    SystemProcessRunner runner;
    const bool groff = !runner.find("groff").empty();
    if (!groff) MESSAGE("SKIPPED: groff is not installed, the pages are not formatted");
    int pages = 0;
    for (const auto& entry : std::filesystem::directory_iterator(where)) {
        ++pages;
        const auto text = read_file(entry.path().string());
        REQUIRE(text.has_value());
        for (const char* part : {".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS"})
            CHECK(text->find(part) != std::string::npos);
        if (!groff) continue;
        const auto formatted = runner.run({{"groff", "-man", "-ww", "-Tutf8", entry.path().string()}, {}});
        REQUIRE(formatted.has_value());
        CAPTURE(entry.path().string());
        CHECK(formatted->errors == "");
    }
    CHECK(pages > 20);
    CHECK(std::filesystem::exists(where + "/fsadvise-knowledge-verify.1"));
    CHECK(test::run_fsadvise({"man-pages", folder.path("none")}).exit_code != 0);
}

TEST_CASE("the Debian package installs a program that runs, with its pages and completions") {
    SystemProcessRunner runner;
    for (const char* tool : {"cpack", "dpkg-deb", "dpkg-shlibdeps"}) {
        if (runner.find(tool).empty()) {
            MESSAGE("SKIPPED: " << std::string(tool) << " is not installed");
            return;
        }
    }
    const test::TemporaryFolder folder("package");
    const std::string build = std::filesystem::path(FSADVISE_BINARY).parent_path();
    const auto made =
        runner.run({{"cpack", "--config", build + "/CPackConfig.cmake", "-B", folder.path("out")},
                    {},
                    std::chrono::minutes(5)});
    REQUIRE(made.has_value());
    CAPTURE(made->output);
    CAPTURE(made->errors);
    REQUIRE(made->exit_code == 0);
    std::string package;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("out")))
        if (entry.path().extension() == ".deb") package = entry.path().string();
    REQUIRE_FALSE(package.empty());
    const auto about =
        runner.run({{"dpkg-deb", "--field", package, "Depends", "Recommends", "Architecture"}, {}});
    REQUIRE(about.has_value());
    CHECK(about->output.find("libsqlite3-0") != std::string::npos);
    CHECK(about->output.find("xfsprogs") != std::string::npos);
    const std::string root = folder.path("root");
    REQUIRE(runner.run({{"dpkg-deb", "--extract", package, root}, {}})->exit_code == 0);
    const auto advice =
        runner.run({{root + "/usr/bin/fsadvise", "--workload", "mail", "--distro", "debian12"}, {}});
    REQUIRE(advice.has_value());
    CHECK(advice->exit_code == 0);
    CHECK(advice->output.find("Mail server") != std::string::npos);
    for (const char* file :
         {"/usr/share/man/man1/fsadvise.1", "/usr/share/man/man1/fsadvise-tune.1",
          "/usr/share/bash-completion/completions/fsadvise", "/usr/share/zsh/vendor-completions/_fsadvise",
          "/usr/share/fish/vendor_completions.d/fsadvise.fish",
          "/usr/share/fsadvise/knowledge/filesystems/xfs/mkfs.json"}) {
        CAPTURE(file);
        CHECK((std::filesystem::exists(root + file) ||
               std::filesystem::exists(root + file + std::string(".gz"))));
    }
}
