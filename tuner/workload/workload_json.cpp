#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

// Reads the members of one JSON object and keeps the first error with its pointer.
class ObjectReader {
  public:
    ObjectReader(const json& object, std::string name, std::string pointer)
        : object_(object), name_(std::move(name)), pointer_(std::move(pointer)) {
        if (!object_.is_object()) report("", "an object is expected here");
    }

    void known(std::initializer_list<const char*> keys) {
        if (!object_.is_object()) return;
        const std::vector<std::string> names(keys.begin(), keys.end());
        for (const auto& [key, value] : object_.items()) {
            if (std::find(names.begin(), names.end(), key) == names.end()) {
                report("/" + key, fmt::format("unknown key '{}'{}", key, did_you_mean(key, names)));
            }
        }
    }

    void text(const char* key, std::string& target) {
        const json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_string()) return report(slash(key), "a string is expected here");
        target = value->get<std::string>();
    }
    void flag(const char* key, bool& target) {
        const json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_boolean()) return report(slash(key), "true or false is expected here");
        target = value->get<bool>();
    }
    void real(const char* key, double& target) {
        const json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_number()) return report(slash(key), "a number is expected here");
        target = value->get<double>();
    }
    void count(const char* key, std::uint64_t& target,
               std::uint64_t limit = std::numeric_limits<std::int64_t>::max()) {
        const json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_number_unsigned() || value->get<std::uint64_t>() > limit) {
            return report(slash(key), fmt::format("a whole number from 0 to {} is expected here", limit));
        }
        target = value->get<std::uint64_t>();
    }
    void count(const char* key, int& target) {
        auto wide = static_cast<std::uint64_t>(target);
        count(key, wide, 1'000'000'000);
        target = static_cast<int>(wide);
    }
    // "8Ki" or a number of bytes.
    void size(const char* key, std::uint64_t& target) {
        const json* value = find(key);
        if (value == nullptr) return;
        if (value->is_number_unsigned()) {
            target = value->get<std::uint64_t>();
            return;
        }
        if (!value->is_string()) return report(slash(key), "a size such as \"8Ki\" is expected here");
        const auto parsed = parse_size(value->get<std::string>());
        if (!parsed) return report(slash(key), parsed.error().message);
        target = *parsed;
    }

    // Array of objects, each handed to `read` with its own reader.
    template <class Read>
    void each(const char* key, Read read) {
        const json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_array()) return report(slash(key), "an array is expected here");
        for (std::size_t i = 0; i < value->size(); ++i) {
            ObjectReader item((*value)[i], name_, fmt::format("{}/{}/{}", pointer_, key, i));
            read(item);
            if (item.error_ && !error_) error_ = item.error_;
        }
    }

    void report(const std::string& where, const std::string& message) {
        if (!error_) error_ = Error{ErrorCode::kBadInput, message, name_ + "#" + pointer_ + where, {}};
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    [[nodiscard]] bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

  private:
    static std::string slash(const char* key) { return std::string("/") + key; }
    const json* find(const char* key) const {
        if (!object_.is_object()) return nullptr;
        const auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }

    const json& object_;
    std::string name_, pointer_;
    std::optional<Error> error_;
};

FileSet read_file_set(ObjectReader& reader) {
    FileSet set;
    reader.known({"name", "files", "size", "size_min", "size_max", "directory_width", "preallocate", "fill",
                  "compressible"});
    reader.text("name", set.name);
    reader.count("files", set.files);
    reader.size("size", set.size_bytes);
    reader.size("size_min", set.size_min_bytes);
    reader.size("size_max", set.size_max_bytes);
    reader.count("directory_width", set.directory_width);
    reader.flag("preallocate", set.preallocate);
    reader.flag("fill", set.fill);
    reader.real("compressible", set.compressible);
    if (reader.has("size") && (reader.has("size_min") || reader.has("size_max"))) {
        reader.report("/size", "give 'size' or 'size_min' and 'size_max', not both");
    }
    if (reader.has("size_min") != reader.has("size_max")) {
        reader.report("", "'size_min' and 'size_max' belong together");
    }
    if (set.size_max_bytes > set.size_min_bytes && set.size_min_bytes > 0) {
        // Mean of a log-uniform distribution.
        const auto low = static_cast<double>(set.size_min_bytes);
        const auto high = static_cast<double>(set.size_max_bytes);
        set.size_bytes = static_cast<std::uint64_t>(std::llround((high - low) / std::log(high / low)));
    } else if (set.size_max_bytes != 0) {
        set.size_bytes = set.size_max_bytes;
    }
    return set;
}

Step read_step(ObjectReader& reader) {
    Step step;
    reader.known({"operation", "file_set", "block", "sequential", "probability", "repeat", "think_ns"});
    reader.text("operation", step.operation);
    if (!step_kind(step.operation)) {
        reader.report("/operation", fmt::format("unknown operation '{}'{}", step.operation,
                                                did_you_mean(step.operation, operation_names())));
    }
    reader.text("file_set", step.file_set);
    reader.size("block", step.block_bytes);
    reader.flag("sequential", step.sequential);
    reader.real("probability", step.probability);
    reader.count("repeat", step.repeat);
    reader.count("think_ns", step.think_ns);
    return step;
}

Stream read_stream(ObjectReader& reader) {
    Stream stream;
    reader.known({"name", "file_set", "threads", "depth", "direct", "skew", "counts", "steps"});
    reader.text("name", stream.name);
    reader.text("file_set", stream.file_set);
    reader.count("threads", stream.threads);
    reader.count("depth", stream.depth);
    reader.flag("direct", stream.direct);
    reader.real("skew", stream.skew);
    reader.flag("counts", stream.counts);
    reader.each("steps", [&](ObjectReader& item) { stream.steps.push_back(read_step(item)); });
    return stream;
}

}  // namespace

Result<Load> load_from_json(const std::string& json_text, const std::string& name) {
    const json document = json::parse(json_text, nullptr, false, true);
    if (document.is_discarded()) return fail(ErrorCode::kBadInput, "this is not JSON", name);
    ObjectReader reader(document, name, "");
    Load load;
    reader.known({"metric", "flush_in_window", "window_seconds", "file_sets", "streams"});
    reader.text("metric", load.metric);
    reader.flag("flush_in_window", load.flush_in_window);
    reader.real("window_seconds", load.window_seconds);
    reader.each("file_sets", [&](ObjectReader& item) { load.file_sets.push_back(read_file_set(item)); });
    reader.each("streams", [&](ObjectReader& item) { load.streams.push_back(read_stream(item)); });
    if (reader.error()) return tl::unexpected(*reader.error());
    if (auto checked = check(load); !checked) {
        Error error = checked.error();
        error.context = name + "#" + error.context;
        return tl::unexpected(std::move(error));
    }
    return load;
}

}  // namespace fsadvise::tuner
