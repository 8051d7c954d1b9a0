// Memory of the engine: constant in the length of a run and in the number of files.
//
// Bounds: 50,000 files, a million with FSADVISE_TEST_ALL=1; on the folder for temporary files in RAM where
// there is one.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/units.h"
#include "tuner/engine/engine.h"

namespace {

using namespace fsadvise;
using namespace fsadvise::tuner;

// Peak of resident memory since the last reset, in KiB; nullopt where the kernel does not tell.
std::optional<std::uint64_t> peak_kib() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word != "VmHWM:") continue;
        std::uint64_t kib = 0;
        status >> kib;
        return kib;
    }
    return std::nullopt;
}

bool reset_peak() {
    std::ofstream file("/proc/self/clear_refs");
    file << "5" << std::flush;
    return file.good();
}

class Folder {
  public:
    Folder() {
        const std::string parent = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp";
        path_ = parent + "/fsadvise-engine-bounds-" + std::to_string(::getpid());
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

Load many_files(std::uint64_t files) {
    FileSet set;
    set.name = "small";
    set.files = files;
    set.size_bytes = 1;
    set.directory_width = 1000;
    Stream stream;
    stream.name = "client";
    stream.file_set = "small";
    stream.depth = 4;
    Step create, stat, remove;
    create.operation = "create";
    stat.operation = "stat";
    remove.operation = "unlink";
    stream.steps = {create, stat, remove};
    Load load;
    load.file_sets = {set};
    load.streams = {stream};
    return load;
}

std::uint64_t files_below(const std::string& folder) {
    std::uint64_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        count += entry.is_regular_file();
    return count;
}

}  // namespace

TEST_CASE("the engine's memory does not grow with the number of files or the length of a run") {
    if (!reset_peak() || !peak_kib()) {
        MESSAGE("SKIPPED: the kernel does not report peak memory here");
        return;
    }
    const char* all = std::getenv("FSADVISE_TEST_ALL");
    const std::uint64_t files = all != nullptr && std::string(all) == "1" ? 1'000'000 : 50'000;
    const Folder folder;
    const Load load = many_files(files);
    EngineOptions options;
    options.seconds = 1;

    const auto before = *peak_kib();
    REQUIRE(lay_out(load, folder.path(), options));
    CHECK(files_below(folder.path()) == files);
    REQUIRE(run_single(load, folder.path(), options));
    const auto short_run = *peak_kib();
    options.seconds = 5;
    const auto longer = run_single(load, folder.path(), options);
    REQUIRE(longer);
    const auto long_run = *peak_kib();
    MESSAGE(files << " files, " << longer->operations << " loops: peak " << before << " KiB before, "
                  << short_run << " KiB after one second, " << long_run << " KiB after five more");
    CHECK(short_run < before + 32 * 1024);
    CHECK(long_run < short_run + 2 * 1024);
    CHECK(files_below(folder.path()) == files);  // what the run created is gone
}
