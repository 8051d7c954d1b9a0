// A filesystem that exists already: what its mount listing and its superblock tell. Only reads.
//
// Errors: kUsage if nothing known is mounted there, kBadInput for a saved file that is none of the known kinds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/file_reader.h"
#include "base/process.h"
#include "space/configuration.h"
#include "space/knowledge.h"

namespace fsadvise {

struct ExistingFilesystem {
    std::string filesystem, source, directory;
    std::string options;                  // as listed
    std::map<std::string, Value> values;  // every parameter that could be read
    bool superblock_seen = false;
    std::vector<std::string> unseen;  // what could not be looked at, and why
};

Result<ExistingFilesystem> look_at(const Knowledge& knowledge, const std::string& directory, ProcessRunner& runner,
                                   const FileReader& files);

// A saved `findmnt -J`, /proc/self/mountinfo, or `fsadvise probe --filesystem DIR --json`. `directory` chooses among
// several and may be empty if there is one.
Result<ExistingFilesystem> existing_from_text(const Knowledge& knowledge, const std::string& text,
                                              const std::string& name, const std::string& directory);

nlohmann::json to_json(const ExistingFilesystem& existing);

}  // namespace fsadvise
