// The common half of all targets: formats and mounts areas that someone else has laid out.
//
// Threads: one; the thread that called open_target, or one started after it (see mount_namespace.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "tuner/target/target.h"
#include "tuner/target/work_directory.h"

namespace fsadvise::tuner {

struct Area {
    std::string device;
    Fd keeper;  // holds the device while we own it
};

// What a target stands on. Members are released in reverse order: areas, then the ground below them.
struct Ground {
    std::shared_ptr<void> owner;  // scratch file or disk; closes or deletes what it must when released
    std::vector<Area> areas;
    std::uint64_t area_bytes = 0;
    std::string stands_for, medium;
    // Called after each format; a scratch file claims its space here, so that it cannot run out in a
    // measurement.
    std::function<Result<void>(int area)> reserve;
};

class AreaTarget final : public Target {
  public:
    AreaTarget(Ground ground, WorkDirectory work_directory, ProcessRunner& runner)
        : work_directory_(std::move(work_directory)), ground_(std::move(ground)), runner_(runner) {}

    [[nodiscard]] int areas() const override { return static_cast<int>(ground_.areas.size()); }
    [[nodiscard]] std::string area_device(int area) const override { return at(area).device; }
    [[nodiscard]] std::uint64_t area_bytes() const override { return ground_.area_bytes; }
    Result<double> format(int area, const Commands& commands, const std::vector<std::string>& force) override;
    Result<std::unique_ptr<Mount>> mount(int area, const Commands& commands) override;
    [[nodiscard]] std::string stands_for() const override { return ground_.stands_for; }
    [[nodiscard]] std::string medium() const override { return ground_.medium; }

  private:
    [[nodiscard]] const Area& at(int area) const { return ground_.areas.at(static_cast<std::size_t>(area)); }

    WorkDirectory work_directory_;
    Ground ground_;
    ProcessRunner& runner_;
};

// The line of a tool's messages that tells why: its first error line; never a banner or a usage text.
std::string reason_of_tool(const ProcessResult& result);

}  // namespace fsadvise::tuner
