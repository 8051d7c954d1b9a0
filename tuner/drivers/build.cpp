// A build from an archive: unpack, compile with make, delete.
//
// Slices are whole runs. Sources are made up from a seed, so that every machine builds the same.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"
#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kHeaders = 20;
constexpr int kFunctions = 12;
// Source, object, dependency file and share of archive and program, with block rounding.
constexpr std::uint64_t kBytesPerSource = 48 * kKiB;

std::string header(int number) {
    std::string text =
        fmt::format("#pragma once\nstruct record{} {{ long value[{}]; }};\n", number, number + 1);
    for (int i = 0; i < kFunctions; ++i)
        text += fmt::format("static inline long h{}_{}(long x) {{ return x * {} + {}; }}\n", number, i,
                            number + 3, i);
    return text;
}

std::string source(std::int64_t number, Random& random) {
    std::string text;
    for (int i = 0; i < kHeaders; ++i) text += fmt::format("#include \"include/h{}.h\"\n", i);
    for (int i = 0; i < kFunctions; ++i) {
        text += fmt::format(
            "long f{}_{}(long x) {{ long s = {}; for (long i = 0; i < x; ++i) s += h{}_{}(i) ^ (s >> {}); "
            "return s; "
            "}}\n",
            number, i, random.next() % 1000, random.next() % kHeaders, random.next() % kFunctions,
            random.next() % 8);
    }
    return text;
}

constexpr const char* kMakefile =
    "SOURCES := $(wildcard *.c)\n"
    "program: $(SOURCES:.c=.o)\n\tgcc -o $@ $^\n"
    "%.o: %.c\n\tgcc -O1 -MMD -c -o $@ $<\n";

class BuildSession final : public DriverSession {
  public:
    BuildSession(std::unique_ptr<Workplace> workplace, const DriverTask& task)
        : DriverSession(std::move(workplace)), task_(task) {}

    Result<Slice> run_slice(double) override {
        Workplace& place = workplace();
        const std::string tree = place.data("tree");
        const auto begin = Clock::now();
        FSADVISE_TRY(place.make_folder(tree));
        FSADVISE_TRY(place.run_checked({"tar", "-xf", place.data("source.tar"), "-C", tree}));
        FSADVISE_TRY(
            place.run_checked({"make", "-s", "-C", tree, fmt::format("-j{}", task_.threads()), "program"}));
        std::error_code error;
        fs::remove_all(tree, error);
        if (error) return fail(ErrorCode::kRunFailed, "cannot delete the tree: " + error.message(), tree);
        return Slice{1, std::chrono::duration<double>(Clock::now() - begin).count(), 0, {}, 0};
    }

  private:
    DriverTask task_;
};

class BuildDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "build"; }
    [[nodiscard]] std::string title() const override { return "building from an archive"; }
    [[nodiscard]] std::string about() const override {
        return "unpacks sources, compiles and links them with make, deletes the tree";
    }
    [[nodiscard]] std::string operation() const override { return "build"; }
    [[nodiscard]] std::vector<Program> programs() const override {
        return {{"tar", "tar"}, {"make", "make"}, {"gcc", "gcc"}};
    }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"sources", "40", "source files", {}, 1, 100000}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        return {2 * kMiB, static_cast<std::uint64_t>(task.number("sources")) * kBytesPerSource};
    }
    [[nodiscard]] double slice_seconds() const override { return 0; }
    [[nodiscard]] bool whole_runs() const override { return true; }
    [[nodiscard]] bool flush_counts() const override { return true; }

    Result<void> initialise(Workplace& place, const DriverTask& task) const override {
        const std::string tree = place.file("source");
        FSADVISE_TRY(place.make_folder(tree));
        FSADVISE_TRY(place.make_folder(tree + "/include"));
        FSADVISE_TRY(place.write(tree + "/Makefile", kMakefile));
        for (int i = 0; i < kHeaders; ++i)
            FSADVISE_TRY(place.write(fmt::format("{}/include/h{}.h", tree, i), header(i)));
        Random random(task.seed);
        for (std::int64_t i = 0; i < task.scaled("sources"); ++i)
            FSADVISE_TRY(place.write(fmt::format("{}/s{}.c", tree, i), source(i, random)));
        FSADVISE_TRY(place.write(tree + "/main.c", "int main(void) { return 0; }\n"));
        FSADVISE_TRY(place.run_checked({"tar", "-cf", place.data("source.tar"), "-C", tree, "."}));
        return {};
    }
    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        return std::make_unique<BuildSession>(std::move(place), task);
    }
};

}  // namespace

const Driver& build_driver() {
    static const BuildDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
