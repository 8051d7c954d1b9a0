#include "space/request_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise {

nlohmann::json to_json(const Request& request) {
    nlohmann::json document = {
        {"workload", request.workload},        {"durability", request.requirements.durability},
        {"needs", request.requirements.needs}, {"filesystems", request.requirements.filesystems},
        {"mount_point", request.mount_point},  {"host", to_json(request.host)}};
    const auto& requirements = request.requirements;
    if (!requirements.readers.empty()) document["readers"] = requirements.readers;
    if (requirements.largest_file_bytes) document["largest_file"] = *requirements.largest_file_bytes;
    if (requirements.largest_volume_bytes) document["largest_volume"] = *requirements.largest_volume_bytes;
    if (request.files) document["files"] = *request.files;
    if (request.mean_file_bytes) document["mean_file_bytes"] = *request.mean_file_bytes;
    if (request.generations) document["generations"] = *request.generations;
    if (!request.given.empty()) document["given"] = request.given;
    return document;
}

Result<Request> request_from_json(const nlohmann::json& document, const std::string& name) {
    static const std::vector<std::string> kKeys = {"workload", "readers", "largest_file", "largest_volume",    "durability", "needs", "filesystems",
                                                   "mount_point", "host",       "files", "mean_file_bytes",
                                                   "generations", "given"};
    if (!document.is_object()) return fail(ErrorCode::kBadInput, "a request must be an object", name);
    for (const auto& [key, value] : document.items()) {
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
            return fail(ErrorCode::kBadInput, "unknown key" + did_you_mean(key, kKeys), name + "#/" + key);
        }
    }
    Request request;
    try {
        request.workload = document.at("workload").get<std::string>();
        request.requirements.durability = document.value("durability", "strict");
        request.requirements.needs = document.value("needs", std::set<std::string>{});
        request.requirements.filesystems = document.value("filesystems", std::vector<std::string>{});
        request.mount_point = document.value("mount_point", "");
        request.requirements.readers = document.value("readers", std::map<std::string, std::string>{});
        if (document.contains("largest_file"))
            request.requirements.largest_file_bytes = document.at("largest_file").get<std::uint64_t>();
        if (document.contains("largest_volume"))
            request.requirements.largest_volume_bytes = document.at("largest_volume").get<std::uint64_t>();
        if (document.contains("files")) request.files = document.at("files").get<double>();
        if (document.contains("mean_file_bytes"))
            request.mean_file_bytes = document.at("mean_file_bytes").get<double>();
        if (document.contains("generations")) request.generations = document.at("generations").get<double>();
        request.given = document.value("given", std::set<std::string>{});
        FSADVISE_ASSIGN(request.host, host_from_json(document.at("host"), name + "#/host"));
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::kBadInput, error.what(), name);
    }
    return request;
}

}  // namespace fsadvise
