// Host facts as JSON, both ways. One list of fields a struct serves reading and writing.
#include <algorithm>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "host/host.h"

namespace fsadvise {

namespace {

using nlohmann::json;

constexpr int kHostSchemaVersion = 1;

template <class Visitor, class Device>
void visit_device(Visitor&& field, Device& device) {
    field("path", device.path);
    field("stable_path", device.stable_path);
    field("media", device.media);
    field("model", device.model);
    field("size_bytes", device.size_bytes);
    field("rotational", device.rotational);
    field("logical_sector_bytes", device.logical_sector_bytes);
    field("physical_sector_bytes", device.physical_sector_bytes);
    field("minimum_io_bytes", device.minimum_io_bytes);
    field("optimal_io_bytes", device.optimal_io_bytes);
    field("discard", device.discard);
    field("dax", device.dax);
    field("write_cache", device.write_cache);
    field("scheduler", device.scheduler);
    field("nr_requests", device.nr_requests);
    field("read_ahead_kib", device.read_ahead_kib);
    field("raid_level", device.raid_level);
    field("raid_disks", device.raid_disks);
    field("raid_chunk_bytes", device.raid_chunk_bytes);
    field("count", device.count);
    field("backing", device.backing);
    field("backing_file", device.backing_file);
    field("stack", device.stack);
}

template <class Visitor, class Facts>
void visit_host(Visitor&& field, Facts& host) {
    field("kernel", host.kernel);
    field("architecture", host.architecture);
    field("distribution", host.distribution);
    field("distribution_version", host.distribution_version);
    field("cloud", host.cloud);
    field("cores", host.cores);
    field("memory_bytes", host.memory_bytes);
    field("page_size_bytes", host.page_size_bytes);
    field("tools", host.tools);
    field("filesystems", host.filesystems);
    field("kernel_features", host.kernel_features);
    field("device", host.device);
    field("source", host.source);
}

// Writes what is known; unknown facts have no key.
class Writer {
  public:
    void operator()(const char* key, const std::string& value) {
        if (!value.empty()) document_[key] = value;
    }
    template <class T>
    void operator()(const char* key, const std::optional<T>& value) {
        if (!value) return;
        if constexpr (std::is_same_v<T, BlockDevice>) {
            document_[key] = to_json(*value);
        } else {
            document_[key] = *value;
        }
    }
    void operator()(const char* key, const std::vector<std::string>& value) {
        if (!value.empty()) document_[key] = value;
    }
    void operator()(const char* key, const std::map<std::string, std::string>& value) {
        if (!value.empty()) document_[key] = value;
    }
    void operator()(const char* key, const std::map<std::string, bool>& value) {
        if (!value.empty()) document_[key] = value;
    }
    [[nodiscard]] json take() { return std::move(document_); }

  private:
    json document_ = json::object();
};

// Reads one object; keeps the first error and afterwards does nothing.
class Reader {
  public:
    Reader(const json& document, std::string where) : document_(document), where_(std::move(where)) {
        if (!document_.is_object()) complain("", "must be an object");
    }

    void operator()(const char* key, std::string& value) {
        if (const json* found = take(key)) {
            if (found->is_string())
                value = found->get<std::string>();
            else
                complain(key, "must be a string");
        }
    }
    void operator()(const char* key, std::optional<bool>& value) {
        if (const json* found = take(key)) {
            if (found->is_boolean())
                value = found->get<bool>();
            else
                complain(key, "must be true or false");
        }
    }
    void operator()(const char* key, std::optional<int>& value) {
        if (const json* found = take(key)) {
            if (found->is_number_integer() && *found > 0 && *found <= 1'000'000)
                value = found->get<int>();
            else
                complain(key, "must be a whole number from 1 to 1000000");
        }
    }
    void operator()(const char* key, std::optional<std::uint64_t>& value) {
        const json* found = take(key);
        if (!found) return;
        if (found->is_number_unsigned()) {
            value = found->get<std::uint64_t>();
        } else if (found->is_string() && std::string_view(key).ends_with("_bytes")) {
            // "500G": people write these files by hand.
            const auto size = parse_size(found->get<std::string>());
            if (size)
                value = *size;
            else
                complain(key, "is no size: '" + found->get<std::string>() + "'");
        } else {
            complain(key, "must be a whole number, not negative");
        }
    }
    void operator()(const char* key, std::vector<std::string>& value) {
        if (const json* found = take(key);
            found && all_strings(key, *found, found->is_array(), "an array of strings")) {
            value = found->get<std::vector<std::string>>();
        }
    }
    void operator()(const char* key, std::optional<std::set<std::string>>& value) {
        if (const json* found = take(key);
            found && all_strings(key, *found, found->is_array(), "an array of strings")) {
            value = found->get<std::set<std::string>>();
        }
    }
    void operator()(const char* key, std::map<std::string, std::string>& value) {
        if (const json* found = take(key);
            found && all_strings(key, *found, found->is_object(), "an object of strings")) {
            value = found->get<std::map<std::string, std::string>>();
        }
    }
    void operator()(const char* key, std::map<std::string, bool>& value) {
        const json* found = take(key);
        if (!found) return;
        if (!found->is_object()) return complain(key, "must be an object");
        for (const auto& [name, has] : found->items()) {
            const std::vector<std::string> known(std::begin(kKernelFeatures), std::end(kKernelFeatures));
            if (std::find(known.begin(), known.end(), name) == known.end())
                return complain(key + ("/" + name), "unknown feature", did_you_mean(name, known));
            if (!has.is_boolean()) return complain(key + ("/" + name), "must be true or false");
            value[name] = has.get<bool>();
        }
    }
    void operator()(const char* key, std::optional<BlockDevice>& value) {
        const json* found = take(key);
        if (!found || error_) return;
        Reader reader(*found, where_ + "/" + key);
        BlockDevice device;
        visit_device(reader, device);
        reader.refuse_unknown_keys();
        if (reader.error_)
            error_ = reader.error_;
        else
            value = std::move(device);
    }

    void require_schema_version() {
        if (const json* found = take("schema_version"); found && *found != kHostSchemaVersion) {
            complain("schema_version",
                     fmt::format("is {}, this program reads {}", found->dump(), kHostSchemaVersion));
        }
    }
    void refuse_unknown_keys() {
        if (error_) return;
        for (const auto& [key, value] : document_.items()) {
            if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
            complain(key, "unknown key", "fix or remove it" + did_you_mean(key, known_));
            return;
        }
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  private:
    const json* take(const char* key) {
        known_.emplace_back(key);
        if (error_) return nullptr;
        const auto found = document_.find(key);
        return found == document_.end() || found->is_null() ? nullptr : &*found;
    }
    bool all_strings(const char* key, const json& values, bool right_kind, const char* wanted) {
        if (right_kind &&
            std::all_of(values.begin(), values.end(), [](const json& v) { return v.is_string(); })) {
            return true;
        }
        complain(key, std::string("must be ") + wanted);
        return false;
    }
    void complain(const std::string& key, const std::string& message, const std::string& hint = {}) {
        if (error_) return;
        error_ = Error{ErrorCode::kBadInput, message, key.empty() ? where_ : where_ + "/" + key, hint};
    }

    const json& document_;
    std::string where_;
    std::vector<std::string> known_;
    std::optional<Error> error_;
};

}  // namespace

json to_json(const BlockDevice& device) {
    Writer writer;
    visit_device(writer, device);
    return writer.take();
}

json to_json(const Host& host) {
    Writer writer;
    visit_host(writer, host);
    json document = writer.take();
    document["schema_version"] = kHostSchemaVersion;
    return document;
}

Result<Host> host_from_json(const json& document, const std::string& name) {
    Reader reader(document, name + "#");
    Host host;
    reader.require_schema_version();
    visit_host(reader, host);
    reader.refuse_unknown_keys();
    if (reader.error()) return tl::unexpected(*reader.error());
    if (!name.empty()) host.source = name;
    return host;
}

}  // namespace fsadvise
