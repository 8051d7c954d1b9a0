// Formats and mounts random configurations that the knowledge calls valid: none may be refused, and each must
// read back as asked.
//
// Bounds: 40 configurations a filesystem, 2000 with FSADVISE_TEST_ALL=1, or as FSADVISE_TEST_CONFIGURATIONS
// says; the seed is fixed, FSADVISE_TEST_SEED sets another; FSADVISE_TEST_FILESYSTEM picks one. What this
// kernel cannot mount is tried under the guest kernel, all of it in one boot.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "base/fd.h"
#include "base/text.h"
#include "space/fact_table.h"
#include "space/parameter_value.h"
#include "space/read_back.h"
#include "space/space.h"
#include "space/spelling.h"
#include "space/validity.h"
#include "tuner/target/guest.h"
#include "tuner/target/mount_namespace.h"
#include "tuner/target/work_directory.h"

#include "support/interrupt.h"
#include "support/loop.h"

namespace {

using namespace fsadvise;

constexpr std::uint64_t kSizeBytes = 1ull << 30;
constexpr int kAttempts = 3000;
// A configuration with more changes is rarely valid, and says less about what is wrong with it.
constexpr int kMostChanges = 6;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::size_t configurations_wanted() {
    const bool all = number_from("FSADVISE_TEST_ALL", 0) == 1;
    return number_from("FSADVISE_TEST_CONFIGURATIONS", all ? 2000 : 40);
}

class RandomConfigurations {
  public:
    RandomConfigurations(const Knowledge& knowledge, const Request& request, std::string filesystem,
                         std::uint64_t seed)
        : knowledge_(knowledge), request_(request), filesystem_(std::move(filesystem)), random_(seed) {
        const FactTable* nothing = knowledge.table("makes-no-filesystem");
        REQUIRE(nothing != nullptr);
        for (const Parameter* parameter : knowledge.parameters_of(filesystem_))
            // Names of files and devices need those files; the number of devices is always one here.
            if (parameter->layer != Layer::kBlock && !parameter->id.ends_with(".devices") &&
                nothing->find("parameter", parameter->id) == nullptr)
                parameters_.push_back(parameter);
    }

    std::optional<Configuration> next() {
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            Configuration candidate{filesystem_, {}};
            const std::size_t changes = 1 + below(kMostChanges);
            for (std::size_t i = 0; i < changes; ++i) {
                const Parameter& parameter = *parameters_[below(parameters_.size())];
                const Context context(knowledge_, request_, candidate);
                if (const auto value = value_of(parameter, context)) candidate.values[parameter.id] = *value;
            }
            if (!candidate.values.empty() && succeeds(candidate)) return candidate;
        }
        return std::nullopt;
    }

  private:
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }

    std::optional<Value> value_of(const Parameter& parameter, const Context& context) {
        const Domain& domain = parameter.domain;
        if (parameter.type == ValueType::kBool) return Value{below(2) == 1};
        if (!domain.special.empty() && below(6) == 0) return domain.special[below(domain.special.size())];
        if (!domain.values.empty()) return domain.values[below(domain.values.size())];
        if (!parameter.search.empty() && (below(2) == 0 || parameter.type == ValueType::kText)) {
            const auto value = parameter.search[below(parameter.search.size())].evaluate(context);
            return value ? coerce(parameter, *value) : std::nullopt;
        }
        if (parameter.type == ValueType::kText) return std::nullopt;
        return number_of(parameter, context);
    }

    // Even over the logarithm, because small values matter as much as large ones.
    std::optional<Value> number_of(const Parameter& parameter, const Context& context) {
        const auto low = bound(parameter.domain.minimum, context);
        const auto high = bound(parameter.domain.maximum, context);
        if (!low || !high || *low > *high) return std::nullopt;
        const double from = std::log2(std::max(*low, 1.0)), to = std::log2(std::max(*high, 1.0));
        double number = std::exp2(std::uniform_real_distribution<double>(from, to)(random_));
        if (below(8) == 0) number = *low;
        if (below(8) == 0) number = *high;
        if (parameter.type == ValueType::kReal) return Value{std::round(number * 100) / 100};
        if (parameter.domain.power_of_two) number = std::exp2(std::floor(std::log2(std::max(number, 1.0))));
        const auto step = bound(parameter.domain.multiple_of, context);
        const double unit = std::max(step.value_or(1.0), static_cast<double>(parameter.spelling.unit_bytes));
        number = std::floor(number / unit) * unit;
        return Value{static_cast<std::int64_t>(std::clamp(number, *low, *high))};
    }

    static std::optional<double> bound(const std::optional<Expression>& limit, const Context& context) {
        if (!limit || limit->empty()) return std::nullopt;
        const auto value = limit->evaluate(context);
        if (!value) return std::nullopt;
        if (const auto* whole = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*whole);
        const auto* real = std::get_if<double>(&*value);
        return real == nullptr ? std::nullopt : std::optional<double>(*real);
    }

    [[nodiscard]] bool succeeds(const Configuration& configuration) const {
        const Context context(knowledge_, request_, configuration);
        for (const Violation& violation : violations(context, true)) {
            const bool harmless = violation.effect == Effect::kUnsafe || violation.effect == Effect::kUnwise;
            if (!harmless) return false;
        }
        return true;
    }

    const Knowledge& knowledge_;
    const Request& request_;
    std::string filesystem_;
    std::mt19937_64 random_;
    std::vector<const Parameter*> parameters_;
};

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// What went wrong, or nothing.
std::string try_out(const Knowledge& knowledge, const Configuration& configuration, const std::string& device,
                    const std::string& directory) {
    SystemProcessRunner runner;
    {
        const auto disk = Fd::open(device, O_RDWR, 0);
        if (!disk) return "cannot open " + device;
        std::uint64_t range[2] = {0, kSizeBytes};
        if (::ioctl(disk->get(), BLKDISCARD, range) != 0) return "cannot empty " + device;
    }
    const Commands commands = spell(knowledge, configuration);
    std::vector<std::string> argv = commands.mkfs_argv(device);
    const Filesystem& filesystem = *knowledge.filesystem(configuration.filesystem);
    argv.insert(argv.begin() + 1, filesystem.mkfs_overwrite.begin(), filesystem.mkfs_overwrite.end());
    const auto made = runner.run({argv, {}});
    if (!made || !made->ok())
        return fmt::format("{}: {}", shell_join(argv), made ? first_line(made->errors) : "does not run");
    const std::string did = fmt::format("{}; mount -o '{}'", shell_join(argv), commands.mount_options);
    const auto mounted = runner.run({commands.mount_argv(device, directory), {}});
    if (!mounted || !mounted->ok())
        return fmt::format("{}: {}", did, mounted ? mounted->errors : "does not run");
    const auto result = read_back(knowledge, configuration, device, directory, runner, SystemFileReader());
    std::string problem;
    if (!result)
        problem = to_text(result.error());
    else
        problem = join(result->mismatches, "; ");
    bool gone = ::umount2(directory.c_str(), 0) == 0;
    for (int attempt = 0; !gone && attempt < 50; ++attempt) {
        ::usleep(20'000);
        gone = ::umount2(directory.c_str(), 0) == 0;
    }
    if (!gone) problem += " (cannot be unmounted)";
    return problem.empty() ? "" : did + ": " + problem;
}

}  // namespace

TEST_CASE("random valid configurations format, mount and read back as asked") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    const test::ScopedInterrupts interrupts;
    // Mounts vanish with this process, whatever happens to it.
    REQUIRE(tuner::enter_private_mount_namespace());
    const auto embedded = read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    REQUIRE(embedded);
    const auto files = embedded->view();
    const auto knowledge = Knowledge::load(files);
    REQUIRE_MESSAGE(knowledge, (knowledge ? "" : to_text(knowledge.error())));

    SystemProcessRunner runner;
    Request request;
    request.requirements.durability = "scratch";
    request.host = probe_host(SystemFileReader());
    probe_tools(request.host, runner);
    const test::SparseLoop loop(kSizeBytes, "random");
    REQUIRE(!loop.device().empty());
    const auto device = probe_device(SystemFileReader(), loop.device());
    REQUIRE(device);
    request.host.device = *device;
    auto work_directory = tuner::WorkDirectory::make("/dev/shm");
    REQUIRE(work_directory);
    const auto directory = work_directory->folder("random");
    REQUIRE(directory);

    const char* only = std::getenv("FSADVISE_TEST_FILESYSTEM");
    for (const Filesystem& filesystem : knowledge->filesystems()) {
        if (only != nullptr && filesystem.id != only) continue;
        if (runner.find(filesystem.mkfs).empty() || !request.host.filesystems ||
            request.host.filesystems->count(filesystem.kernel_module) == 0) {
            MESSAGE("left out: " << filesystem.id << " cannot be formatted and mounted here");
            continue;
        }
        RandomConfigurations source(*knowledge, request, filesystem.id, number_from("FSADVISE_TEST_SEED", 1));
        std::size_t tried = 0, failed = 0;
        for (; tried < configurations_wanted(); ++tried) {
            if (interrupted() != 0) FAIL("stopped after " << tried << " configurations of " << filesystem.id);
            const auto configuration = source.next();
            REQUIRE(configuration);
            const std::string problem = try_out(*knowledge, *configuration, loop.device(), *directory);
            if (problem.empty()) continue;
            ++failed;
            MESSAGE(problem);
        }
        MESSAGE(fmt::format("{}: {} configurations, {} not as predicted", filesystem.id, tried, failed));
        CHECK(failed == 0);
    }
}

TEST_CASE("under the guest kernel, random valid configurations do so too") {
    SystemProcessRunner runner;
    if (const auto ready = tuner::check_guest(runner); !ready) {
        MESSAGE("SKIPPED: " << to_text(ready.error()));
        return;
    }
    const char* only = std::getenv("FSADVISE_TEST_FILESYSTEM");
    const std::string filesystem = only == nullptr ? "f2fs" : only;
    const auto here = probe_host(SystemFileReader()).filesystems;
    if (const char* asked = std::getenv("FSADVISE_TEST_GUEST");
        asked == nullptr && here && here->contains(filesystem)) {
        MESSAGE("SKIPPED: this kernel has " << filesystem
                                            << "; FSADVISE_TEST_GUEST=1 tries it in the guest too");
        return;
    }
    tuner::GuestRequest guest;
    guest.argv = {"/usr/bin/env",
                  "FSADVISE_TEST_FILESYSTEM=" + filesystem,
                  "FSADVISE_TEST_CONFIGURATIONS=" + std::to_string(configurations_wanted()),
                  "FSADVISE_TEST_SEED=" + std::to_string(number_from("FSADVISE_TEST_SEED", 1)),
                  std::filesystem::read_symlink("/proc/self/exe"),
                  "--test-case=random valid configurations*",
                  "--no-intro"};
    guest.timeout = std::chrono::hours(2);
    const auto result = tuner::run_in_guest(runner, guest);
    REQUIRE_MESSAGE(result, (result ? "" : to_text(result.error())));
    const std::string& output = result->program.output;
    MESSAGE("Linux " << result->kernel << ":\n" << output << result->program.errors);
    CHECK(result->program.exit_code == 0);
    CHECK(output.find(filesystem + ": ") != std::string::npos);
    CHECK(output.find("cannot be formatted") == std::string::npos);
}
