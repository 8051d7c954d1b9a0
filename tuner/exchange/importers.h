// Internal: the importers behind import_workload(), one a format. They fill load, summary and notes.
#pragma once

#include <string>
#include <vector>

#include "tuner/exchange/exchange.h"

namespace fsadvise::tuner {

Result<WorkloadDocument> import_fio(const std::string& path, const ImportOptions& options);
Result<WorkloadDocument> import_wml(const std::string& path, const ImportOptions& options);
Result<WorkloadDocument> import_iolog(const std::string& path, const ImportOptions& options);
Result<WorkloadDocument> import_blktrace(const std::vector<std::string>& paths, const ImportOptions& options);

// A window measures memory alone if buffered writes are never flushed in it.
bool writes_without_flush(const Load& load);

}  // namespace fsadvise::tuner
