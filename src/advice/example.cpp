#include "advice/example.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise {
namespace {

using Json = nlohmann::json;

const std::vector<std::string>& known_keys() {
    static const std::vector<std::string> kKeys = {
        "workload", "filesystem", "kernel",      "distribution", "distribution_version",
        "cores",    "memory",     "size",        "media",        "needs",
        "tools",    "durability", "filesystems", "raid_level",   "raid_disks",
        "chunk",    "optimal_io", "devices",     "backing",      "cloud",
        "files",    "mean_file",  "generations", "given"};
    return kKeys;
}

tl::unexpected<Error> bad(const std::string& key, std::string message) {
    return fail(ErrorCode::kBadInput, std::move(message), "/" + key);
}

Result<std::string> word(const std::string& key, const Json& value) {
    if (!value.is_string()) return bad(key, "expected a string");
    return value.get<std::string>();
}

Result<std::uint64_t> bytes(const std::string& key, const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (!value.is_string()) return bad(key, "expected a size such as \"16G\" or a number of bytes");
    return parse_size(value.get<std::string>());
}

Result<std::vector<std::string>> words(const std::string& key, const Json& value) {
    if (!value.is_array()) return bad(key, "expected a list of strings");
    std::vector<std::string> result;
    for (const auto& item : value) {
        FSADVISE_ASSIGN(result.emplace_back(), word(key, item));
    }
    return result;
}

BlockDevice& device_of(RequestExample& example) {
    if (!example.request.host.device) example.request.host.device.emplace();
    return *example.request.host.device;
}

Result<void> apply_host(RequestExample& example, const std::string& key, const Json& value) {
    auto& host = example.request.host;
    if (key == "kernel") {
        FSADVISE_ASSIGN(host.kernel, word(key, value));
    } else if (key == "distribution") {
        FSADVISE_ASSIGN(host.distribution, word(key, value));
    } else if (key == "distribution_version") {
        FSADVISE_ASSIGN(host.distribution_version, word(key, value));
    } else if (key == "cloud") {
        FSADVISE_ASSIGN(host.cloud, word(key, value));
    } else if (key == "cores") {
        if (!value.is_number_integer() || value.get<int>() < 1)
            return bad(key, "expected a whole number above zero");
        host.cores = value.get<int>();
    } else if (key == "memory") {
        FSADVISE_ASSIGN(host.memory_bytes, bytes(key, value));
    } else if (key == "filesystems") {
        FSADVISE_ASSIGN(const auto list, words(key, value));
        host.filesystems.emplace(list.begin(), list.end());
    } else if (key == "tools") {
        if (!value.is_object()) return bad(key, "expected an object: package to version");
        for (const auto& [tool, version] : value.items()) {
            FSADVISE_ASSIGN(host.tools[tool], word(key + "/" + tool, version));
        }
    }
    return {};
}

Result<void> apply_device(RequestExample& example, const std::string& key, const Json& value) {
    if (key == "size") {
        FSADVISE_ASSIGN(device_of(example).size_bytes, bytes(key, value));
    } else if (key == "media") {
        FSADVISE_ASSIGN(device_of(example).media, word(key, value));
    } else if (key == "raid_level") {
        FSADVISE_ASSIGN(device_of(example).raid_level, word(key, value));
    } else if (key == "backing") {
        FSADVISE_ASSIGN(device_of(example).backing, word(key, value));
    } else if (key == "chunk") {
        FSADVISE_ASSIGN(device_of(example).raid_chunk_bytes, bytes(key, value));
    } else if (key == "optimal_io") {
        FSADVISE_ASSIGN(device_of(example).optimal_io_bytes, bytes(key, value));
    } else if (key == "raid_disks" || key == "devices") {
        if (!value.is_number_integer() || value.get<int>() < 1)
            return bad(key, "expected a whole number above zero");
        (key == "devices" ? device_of(example).count : device_of(example).raid_disks) = value.get<int>();
    }
    return {};
}

Result<void> apply_request(RequestExample& example, const std::string& key, const Json& value) {
    if (key == "workload") {
        FSADVISE_ASSIGN(example.request.workload, word(key, value));
    } else if (key == "filesystem") {
        FSADVISE_ASSIGN(example.filesystem, word(key, value));
    } else if (key == "durability") {
        FSADVISE_ASSIGN(example.request.requirements.durability, word(key, value));
    } else if (key == "needs") {
        FSADVISE_ASSIGN(const auto list, words(key, value));
        example.request.requirements.needs.insert(list.begin(), list.end());
    } else if (key == "given") {
        FSADVISE_ASSIGN(const auto list, words(key, value));
        for (const auto& circumstance : list) {
            const auto& known = known_circumstances();
            if (std::ranges::find(known, circumstance) == known.end())
                return bad(
                    key, fmt::format("unknown word '{}'{}", circumstance, did_you_mean(circumstance, known)));
            example.request.given.insert(circumstance);
        }
    } else if (key == "mean_file") {
        FSADVISE_ASSIGN(const auto size, bytes(key, value));
        example.request.mean_file_bytes = static_cast<double>(size);
    } else if (key == "files" || key == "generations") {
        if (!value.is_number() || value.get<double>() <= 0) return bad(key, "expected a number above zero");
        (key == "files" ? example.request.files : example.request.generations) = value.get<double>();
    }
    return {};
}

}  // namespace

Result<RequestExample> request_from_example(std::string_view text) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object())
        return fail(ErrorCode::kBadInput, "an example must be a JSON object", std::string(text));
    RequestExample example;
    for (const auto& [key, value] : document.items()) {
        const auto& keys = known_keys();
        if (std::ranges::find(keys, key) == keys.end()) {
            return bad(key, fmt::format("unknown key '{}'{}", key, did_you_mean(key, keys)));
        }
        FSADVISE_TRY(apply_host(example, key, value));
        FSADVISE_TRY(apply_device(example, key, value));
        FSADVISE_TRY(apply_request(example, key, value));
    }
    example.request.host.source = "example";
    return example;
}

}  // namespace fsadvise
