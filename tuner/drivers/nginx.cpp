// nginx sending static files under wrk.
//
// wrk speaks TCP only, so server and client get a network of their own with nothing but a loopback, which
// needs root. Slices are whole seconds, wrk's shortest run; latencies come from its histogram through its
// script interface. Source: nginx 1.22 documentation, core and http modules; wrk 4.1, SCRIPTING.
#include <cmath>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"
#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

constexpr const char* kLog = "nginx.log";
constexpr double kStartSeconds = 30, kStopSeconds = 10;
constexpr int kFolders = 100;

std::string path_of(std::int64_t file) {
    return fmt::format("{:02}/{}.bin", file % kFolders, file);
}

// The defaults of nginx but for places, and the access log that Debian's configuration keeps, on the area
// too.
std::string configuration(const Workplace& place) {
    std::string temporary;
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
        temporary += fmt::format("    {}_temp_path {};\n", kind, place.file(std::string(kind) + "_temp"));
    return fmt::format(
        "daemon off;\nworker_processes auto;\npid {};\nevents {{ worker_connections 4096; }}\n"
        "http {{\n    sendfile on;\n    access_log {};\n{}"
        "    server {{ listen 127.0.0.1:8080; root {}; }}\n}}\n",
        place.file("nginx.pid"), place.data("access.log"), temporary, place.data("files"));
}

// Requests files at random; at the end prints what is parsed below, the latencies as microseconds and count.
std::string script(std::int64_t files, std::uint64_t seed) {
    return fmt::format(
        "local threads = 0\n"
        "function setup(thread) thread:set('number', threads); threads = threads + 1 end\n"
        "function init() math.randomseed({} + number) end\n"
        "function request()\n"
        "  local file = math.random(0, {})\n"
        "  return wrk.format('GET', string.format('/%02d/%d.bin', file % {}, file))\n"
        "end\n"
        "function done(summary, latency, requests)\n"
        "  local e = summary.errors\n"
        "  print('fsadvise requests: ' .. summary.requests)\n"
        "  print('fsadvise microseconds: ' .. summary.duration)\n"
        "  print('fsadvise errors: ' .. (e.connect + e.read + e.write + e.status + e.timeout))\n"
        "  for i = 1, #latency do\n"
        "    local value, count = latency(i)\n"
        "    print('fsadvise latency: ' .. value .. ' ' .. count)\n"
        "  end\n"
        "end\n",
        seed, files - 1, kFolders);
}

class NginxSession final : public DriverSession {
  public:
    NginxSession(std::unique_ptr<Workplace> workplace, Child server, Fd network, const DriverTask& task)
        : DriverSession(std::move(workplace)),
          server_(std::move(server)),
          network_(std::move(network)),
          task_(task) {}
    ~NginxSession() override { server_.stop(SIGTERM, kStopSeconds); }

    Result<Slice> run_slice(double seconds) override {
        RunOptions options;
        options.network_fd = network_.get();
        const std::int64_t clients = task_.number("clients");
        const std::int64_t threads = std::min<std::int64_t>(task_.threads(), clients);
        FSADVISE_ASSIGN(const ProgramRun run,
                        workplace().run({"wrk", "-t", std::to_string(threads), "-c", std::to_string(clients),
                                         "-d", fmt::format("{}s", std::max(1L, std::lround(seconds))), "-s",
                                         workplace().file("requests.lua"), "http://127.0.0.1:8080/"},
                                        options));
        if (run.exit_code != 0 || !server_.alive())
            return tl::unexpected(
                workplace().explain("nginx", &server_, kLog, run.output + "\n" + run.errors));
        Slice slice;
        FSADVISE_ASSIGN(slice.operations, number_after(run.output, "fsadvise requests: "));
        FSADVISE_ASSIGN(const double microseconds, number_after(run.output, "fsadvise microseconds: "));
        FSADVISE_ASSIGN(const double errors, number_after(run.output, "fsadvise errors: "));
        slice.seconds = microseconds / 1e6;
        slice.errors = static_cast<std::uint64_t>(errors);
        for (const std::string& line : split(run.output, '\n')) {
            long long latency = 0, count = 0;
            if (std::sscanf(line.c_str(), "fsadvise latency: %lld %lld", &latency, &count) != 2) continue;
            for (long long i = 0; i < count; ++i) slice.latency.record(latency * 1000);
        }
        return slice;
    }
    [[nodiscard]] int server_process() const override { return server_.program(); }

  private:
    Child server_;
    Fd network_;
    DriverTask task_;
};

class NginxDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "nginx"; }
    [[nodiscard]] std::string title() const override { return "nginx under wrk"; }
    [[nodiscard]] std::string about() const override {
        return "static files chosen at random, sent over keep-alive connections, with an access log";
    }
    [[nodiscard]] std::string operation() const override { return "request"; }
    [[nodiscard]] std::vector<Program> programs() const override {
        return {{"nginx", "nginx-light"}, {"wrk", "wrk"}};
    }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"clients", "16", "connections at the same time", {}, 1, 4000},
                {"files", "20000", "files", {}, 1, 10'000'000},
                {"size-kib", "32", "size of a file", {}, 1, 1'000'000}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        return {kFolders * 8 * kKiB,
                static_cast<std::uint64_t>(task.number("files") * (task.number("size-kib") + 4)) * kKiB};
    }
    [[nodiscard]] double slice_seconds() const override { return 1; }

    Result<void> initialise(Workplace& place, const DriverTask& task) const override {
        if (::geteuid() != 0) {
            return fail(ErrorCode::kUnavailable, "wrk speaks TCP only, and a private network needs root",
                        "driver nginx", "run as root");
        }
        FSADVISE_TRY(place.make_folder(place.data("files")));
        const std::int64_t files = task.scaled("files");
        for (int folder = 0; folder < std::min<std::int64_t>(kFolders, files); ++folder)
            FSADVISE_TRY(place.make_folder(place.data(fmt::format("files/{:02}", folder))));
        Random random(task.seed);
        std::string content(static_cast<std::size_t>(task.number("size-kib")) * kKiB, '\0');
        for (std::int64_t file = 0; file < files; ++file) {
            if (file % 100 == 0 && task.stopped()) return fail(ErrorCode::kInterrupted, "stopped");
            for (std::size_t i = 0; i < content.size(); i += 16)
                content.replace(i, 16, fmt::format("{:016x}", random.next()));
            FSADVISE_TRY(place.write(place.data("files/" + path_of(file)), content));
        }
        return {};
    }

    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        FSADVISE_TRY(place->write(place->file("nginx.conf"), configuration(*place)));
        FSADVISE_TRY(place->write(place->file("requests.lua"), script(task.scaled("files"), task.seed)));
        ChildRequest request;
        request.own_network = true;
        FSADVISE_ASSIGN(Child server, place->start({"nginx", "-e", "stderr", "-c", place->file("nginx.conf"),
                                                    "-p", place->file("")},
                                                   kLog, request));
        const std::string pid_file = place->file("nginx.pid");
        FSADVISE_TRY(place->wait_ready("nginx", server, kLog, kStartSeconds,
                                       [&] { return !trim(read_file(pid_file).value_or("")).empty(); }));
        FSADVISE_ASSIGN(Fd network, Fd::open(fmt::format("/proc/{}/ns/net", server.program()), O_RDONLY));
        return std::make_unique<NginxSession>(std::move(place), std::move(server), std::move(network), task);
    }
};

}  // namespace

const Driver& nginx_driver() {
    static const NginxDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
