#include <filesystem>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/file_reader.h"
#include "base/process.h"
#include "base/text.h"
#include "base/units.h"

using namespace fsadvise;

TEST_CASE("sizes are IEC, decimal with a B, and never negative") {
    CHECK(parse_size("4G").value() == 4 * kGiB);
    CHECK(parse_size("4GiB").value() == 4 * kGiB);
    CHECK(parse_size("512 m").value() == 512 * kMiB);
    CHECK(parse_size("1.5T").value() == 3 * kTiB / 2);
    CHECK(parse_size("2GB").value() == 2'000'000'000);
    CHECK(parse_size("4096").value() == 4096);
    for (const char* bad : {"", "G", "-1G", "4Q", "4GX", "1e400", "nan", "99999E"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_size(bad).has_value());
    }
    for (const std::uint64_t bytes : {std::uint64_t{1}, 1000ul, 1024ul, 3 * kMiB, 4 * kGiB, 7 * kTiB}) {
        CHECK(parse_size(size_text(bytes)).value() == bytes);
    }
    CHECK(human_size(3.7 * static_cast<double>(kGiB)) == "3.7 GiB");
}

TEST_CASE("durations add up their parts") {
    CHECK(parse_duration_ns("1m30s").value() == 90'000'000'000);
    CHECK(parse_duration_ns("250ms").value() == 250'000'000);
    CHECK(parse_duration_ns("20").value() == 20'000'000'000);
    CHECK_FALSE(parse_duration_ns("5 parsecs").has_value());
    CHECK_FALSE(parse_duration_ns("").has_value());
    CHECK(human_duration(90'000'000'000) == "1 min 30 s");
}

TEST_CASE("versions compare number by number") {
    CHECK(Version::parse("6.18.44-arch1") > Version::parse("6.9"));
    CHECK(Version::parse("6.1") == Version::parse("6.1.0"));
    CHECK(Version::parse("v1.47.0").text() == "1.47.0");
    CHECK_FALSE(Version::parse("unknown").known());
}

TEST_CASE("a typo finds its word, nonsense finds nothing") {
    const std::vector<std::string> words = {"postgres", "mysql", "mail"};
    CHECK(nearest("postgers", words).value() == "postgres");
    CHECK(nearest("mysq", words).value() == "mysql");
    CHECK_FALSE(nearest("kubernetes", words).has_value());
    CHECK(did_you_mean("malil", words) == " (did you mean 'mail'?)");
}

TEST_CASE("shell quoting survives sh") {
    SystemProcessRunner runner;
    for (const std::string word : {"plain", "two words", "it's", "$HOME `x` \"y\"", ""}) {
        const auto result = runner.run({{"sh", "-c", "printf %s " + shell_quote(word)}, {}});
        REQUIRE(result.has_value());
        CHECK(result->output == word);
    }
}

TEST_CASE("text from outside cannot drive a terminal") {
    CHECK(printable("a\x1b[31m\nb\x7f") == "a\\x1b[31m\\x0ab\\x7f");
    CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
    CHECK(is_plain_text("/srv/gr\xc3\xbc\xc3\x9f e"));
    for (const std::string bad : {"a\nb", "a\xff", "\xc3", "\xc3(", "\x1b", "\xf8\x88\x80\x80"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_plain_text(bad));
    }
}

TEST_CASE("the process runner reports exit status, both outputs, input, time-out and absence") {
    SystemProcessRunner runner;
    const auto both = runner.run({{"sh", "-c", "cat; echo no >&2; exit 3"}, "yes"});
    REQUIRE(both.has_value());
    CHECK(both->output == "yes");
    CHECK(both->errors == "no\n");
    CHECK(both->exit_code == 3);

    const auto slow = runner.run({{"sleep", "20"}, {}, std::chrono::milliseconds(200)});
    REQUIRE(slow.has_value());
    CHECK(slow->timed_out);

    const auto absent = runner.run({{"no-such-program-here"}, {}});
    REQUIRE_FALSE(absent.has_value());
    CHECK(absent.error().code == ErrorCode::kUnavailable);

    const auto failed = run_checked(runner, {{"sh", "-c", "echo why >&2; exit 1"}, {}});
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().message == "exit status 1: why");

    // More than a pipe holds on both streams at once must not block.
    const auto large =
        runner.run({{"sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"}, {}});
    REQUIRE(large.has_value());
    CHECK(large->output.size() == 300000);
    CHECK(large->errors.size() == 300000);
}

TEST_CASE("an atomic write replaces the whole file or leaves it") {
    const std::string path = "/tmp/fsadvise-base-test-" + std::to_string(::getpid());
    REQUIRE(write_file_atomically(path, "one").has_value());
    REQUIRE(write_file_atomically(path, "two").has_value());
    CHECK(read_file(path).value() == "two");
    ::unlink(path.c_str());
    const auto refused = write_file_atomically("/nonexistent/folder/file", "x");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().context == "/nonexistent/folder/file");
    CHECK_FALSE(read_file("/proc").has_value());
}

TEST_CASE("writing a file follows links, keeps its mode, and never replaces a device or a FIFO") {
    const std::string folder = "/tmp/fsadvise-write-" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    const std::string file = folder + "/file", link = folder + "/link", fifo = folder + "/fifo";
    REQUIRE(write_file_atomically(file, "old"));
    REQUIRE(::chmod(file.c_str(), 0600) == 0);
    REQUIRE(::symlink("file", link.c_str()) == 0);
    REQUIRE(write_file_atomically(link, "new"));
    CHECK(std::filesystem::is_symlink(link));
    CHECK(read_file(file).value() == "new");
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::all) == std::filesystem::perms(0600));

    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto reader = Fd::open(fifo, O_RDWR | O_NONBLOCK);
    REQUIRE(reader);
    REQUIRE(write_file_atomically(fifo, "through"));
    char text[16] = {};
    CHECK(::read(reader->get(), text, sizeof text) == 7);
    CHECK(std::string(text) == "through");
    CHECK(std::filesystem::is_fifo(fifo));

    REQUIRE(write_file_atomically("/dev/null", "nothing"));
    CHECK(std::filesystem::is_character_file("/dev/null"));
    if (std::filesystem::is_character_file("/dev/full")) CHECK_FALSE(write_file_atomically("/dev/full", "x").has_value());
    std::filesystem::remove_all(folder);
}

TEST_CASE("the fake reader lists folders and records what was asked") {
    FakeFileReader files;
    files.files = {
        {"/sys/block/sda/size", "8"}, {"/sys/block/sda/queue/rotational", "0"}, {"/sys/block/sdb/size", "9"}};
    CHECK(files.list("/sys/block") == std::vector<std::string>{"sda", "sdb"});
    CHECK(files.read("/sys/block/sda/size").value() == "8");
    CHECK_FALSE(files.read("/absent").has_value());
    CHECK(files.accesses.size() == 3);
}
