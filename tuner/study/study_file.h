// Making and opening the SQLite file of a study: its schema, its identity, its checks.
#pragma once

#include <string>

#include "base/result.h"

struct sqlite3;

namespace fsadvise::tuner {

// Neither returns an open connection together with an error. Errors: see study.h.
Result<sqlite3*> create_study_file(const std::string& path);
Result<sqlite3*> open_study_file(const std::string& path);

}  // namespace fsadvise::tuner
