// Internal: the record of a plan that is being carried out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tuner/apply/execute.h"

namespace fsadvise::tuner {

// Invariant: the file holds the plan and the last state that was told.
class Record {
  public:
    // Errors: kUnavailable if it cannot be written: then nothing has been done yet.
    static Result<Record> begin(std::string path, const Plan& plan);
    Result<void> tell(const PlanStep& step, std::size_t number, std::string_view state);  // "begun", "done"
    Result<void> add(const FileEdit& edit);
    Result<void> finish();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    Record(std::string path, nlohmann::json document)
        : path_(std::move(path)), document_(std::move(document)) {}
    Result<void> write() const;

    std::string path_;
    nlohmann::json document_;
};

}  // namespace fsadvise::tuner
