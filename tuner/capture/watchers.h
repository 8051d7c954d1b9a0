// Internal: the eyes of a capture, one a source.
#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>

#include "base/fd.h"
#include "tuner/capture/capture.h"

namespace fsadvise::tuner {

// Open files below a path and the counters of the processes that hold them.
class ProcessScan {
  public:
    ProcessScan(const FileReader& files, std::string below, std::string proc = "/proc");
    void look(CaptureFacts& facts);

  private:
    bool look_at(int pid, CaptureFacts& facts);
    void look_at_file(const std::string& folder, const std::string& number, const std::string& path,
                      CaptureFacts& facts);
    const FileReader& files_;
    std::string below_, proc_;
    std::unordered_map<std::string, std::uint64_t> positions_;  // of "pid/fd path"
    std::map<int, ProcessUse> first_;
};
// Text of /proc/PID/io.
ProcessUse parse_process_io(const std::string& text);
// "flags:" (octal) and "pos:" of /proc/PID/fdinfo/N.
struct DescriptorInfo {
    std::uint64_t position = 0, flags = 0;
};
DescriptorInfo parse_fdinfo(const std::string& text);

// fanotify on the filesystem of a path, with names where the kernel gives them, else on its mount.
class EventWatch {
  public:
    static Result<EventWatch> open(const std::string& path);
    void drain(double elapsed_seconds);
    [[nodiscard]] const FileEvents& events() const { return events_; }

  private:
    void thin();
    Fd group_;
    std::string path_;
    unsigned mark_ = 0;
    FileEvents events_;
    std::uint64_t seen_ = 0;
};

// Files below a directory on its filesystem; directories in random order, so that a stopped walk is a sample.
TreeFacts walk(const std::string& path, std::chrono::milliseconds limit, std::size_t most_entries = 200'000);

}  // namespace fsadvise::tuner
