// Partitions that exist in the kernel only: no table is written, nothing is left on the disk.
//
// They do outlive a killed process, so the next run removes partitions that are exactly ours
// (is_our_layout()). Source: <linux/blkpg.h>, addpart(8).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/file_reader.h"
#include "base/result.h"
#include "tuner/target/area_layout.h"

namespace fsadvise::tuner {

// Invariant: partitions 1 and 2 of the disk are ours; they are deleted when this is destroyed.
class KernelPartitions {
  public:
    // `disk` is open for writing and has no partitions. Errors: kUnavailable.
    static Result<std::unique_ptr<KernelPartitions>> make(Fd disk, const std::string& name,
                                                          const AreaLayout& layout, const FileReader& files);
    ~KernelPartitions();
    KernelPartitions(const KernelPartitions&) = delete;
    KernelPartitions& operator=(const KernelPartitions&) = delete;

    // Device nodes of the areas.
    [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }

  private:
    KernelPartitions(Fd disk, std::string name) : disk_(std::move(disk)), name_(std::move(name)) {}

    Fd disk_;
    std::string name_;
    std::vector<std::string> devices_;
    int made_ = 0;
};

// True if all partitions the kernel knows of this disk are ours by number, start and size; also if there are
// none.
bool is_our_layout(const FileReader& files, const std::string& disk, const AreaLayout& layout);

// Makes the kernel forget all partitions of a disk. Errors: kUnavailable if one is in use.
Result<void> forget_partitions(int disk_fd, const std::string& disk, const FileReader& files);

}  // namespace fsadvise::tuner
