#include "space/context.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "space/component_version.h"

namespace fsadvise {
namespace {

// Defaults may refer to parameters whose defaults refer to others; longer chains than this are circles.
constexpr int kMaxDefaultDepth = 16;

std::string underscored(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

std::optional<Value> word(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<Value>(text);
}

template <class Number>
std::optional<Value> number(const std::optional<Number>& fact) {
    if (!fact) return std::nullopt;
    // Nothing below Linux is larger than this; a larger figure must not become negative.
    if (std::cmp_greater(*fact, std::numeric_limits<std::int64_t>::max()))
        return Value{std::numeric_limits<std::int64_t>::max()};
    return Value{static_cast<std::int64_t>(*fact)};
}

std::optional<Value> flag(const std::optional<bool>& fact) {
    return fact ? std::optional<Value>(*fact) : std::nullopt;
}

std::optional<Value> real(const std::optional<double>& fact) {
    return fact ? std::optional<Value>(*fact) : std::nullopt;
}

// Rest of `name` after `prefix`, or nullopt.
std::optional<std::string_view> after(std::string_view name, std::string_view prefix) {
    if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
    return name.substr(prefix.size());
}

std::optional<Value> device_fact(const BlockDevice& device, std::string_view name) {
    if (name == "size") return number(device.size_bytes);
    if (name == "media") return word(device.media);
    if (name == "rotational") return flag(device.rotational);
    if (name == "logical_sector") return number(device.logical_sector_bytes);
    if (name == "physical_sector") return number(device.physical_sector_bytes);
    if (name == "minimum_io") return number(device.minimum_io_bytes);
    if (name == "optimal_io") return number(device.optimal_io_bytes);
    if (name == "discard") return flag(device.discard);
    if (name == "dax") return flag(device.dax);
    if (name == "write_cache") return flag(device.write_cache);
    if (name == "raid_level") return word(device.raid_level);
    if (name == "raid_disks") return number(device.raid_disks);
    if (name == "chunk") return number(device.raid_chunk_bytes);
    if (name == "count") return number(device.count);
    if (name == "backing") return word(device.backing);
    return std::nullopt;
}

std::optional<Value> host_fact(const Knowledge& knowledge, const Host& host, std::string_view name) {
    if (name == "architecture") return word(host.architecture);
    if (name == "distribution") return word(host.distribution);
    if (name == "distribution_version") return word(host.distribution_version);
    if (name == "cloud") return word(host.cloud);
    if (name == "cores") return number(host.cores);
    if (name == "memory") return number(host.memory_bytes);
    if (name == "page_size") return number(host.page_size_bytes);
    if (name == "kernel" || name == "e2fsprogs" || name == "xfsprogs")
        return word(component_version(knowledge, host, name));
    if (name == "btrfs_progs") return word(component_version(knowledge, host, "btrfs-progs"));
    if (name == "f2fs_tools") return word(component_version(knowledge, host, "f2fs-tools"));
    if (name == "util_linux") return word(component_version(knowledge, host, "util-linux"));
    return std::nullopt;
}

bool contains_word(const std::set<std::string>& words, std::string_view name) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return underscored(word) == underscored(name); });
}

// Counts one level of default lookups for as long as it lives.
class DepthGuard {
  public:
    explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
    ~DepthGuard() { --depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

  private:
    int& depth_;
};

}  // namespace

const std::vector<std::string>& known_circumstances() {
    static const std::vector<std::string> kWords = {
        "copy-on-write-off", "format-time-matters",   "fresh-volume",    "kubernetes",
        "replicated",        "torn-write-prevention", "unreliable-power"};
    return kWords;
}

Context::Context(const Knowledge& knowledge, const Request& request, const Configuration& configuration)
    : knowledge_(&knowledge), request_(&request), configuration_(configuration) {
    if (const WorkloadDescription* workload = knowledge.workload(request.workload))
        for (const std::string& trait : workload->traits) add_trait(trait);
}

void Context::add_trait(const std::string& name) {
    traits_.insert(underscored(name));
}

bool Context::is_set(std::string_view parameter_id) const {
    return configuration_.values.count(std::string(parameter_id)) > 0;
}

std::optional<Value> Context::lookup(std::string_view name) const {
    if (name.find('.') == std::string_view::npos) {
        if (name == "filesystem") return word(configuration_.filesystem);
        if (name == "durability") return word(request_->requirements.durability);
        if (name == "mount_point") return word(request_->mount_point);
        if (name == "largest_volume") return number(request_->requirements.largest_volume_bytes);
        return host_fact(*knowledge_, request_->host, name);
    }
    if (const auto trait = after(name, "trait.")) return Value{traits_.count(underscored(*trait)) > 0};
    if (const auto need = after(name, "require."))
        return Value{contains_word(request_->requirements.needs, *need)};
    if (const auto given = after(name, "given.")) return Value{contains_word(request_->given, *given)};
    if (const auto filesystem = after(name, "available."))
        return flag(kernel_has(*knowledge_, request_->host, *filesystem));
    if (const auto fact = after(name, "device."))
        return request_->host.device ? device_fact(*request_->host.device, *fact) : std::nullopt;
    if (const auto feature = after(name, "kernel_has.")) {
        const auto& features = request_->host.kernel_features;
        const auto told = features.find(std::string(*feature));
        return told == features.end() ? std::nullopt : std::optional<Value>(told->second);
    }
    if (name == "workload.id") return word(request_->workload);
    if (name == "workload.files") return real(request_->files);
    if (name == "workload.generations") return real(request_->generations);
    if (name == "workload.mean_file") {
        if (request_->mean_file_bytes) return real(request_->mean_file_bytes);
        const WorkloadDescription* workload = knowledge_->workload(request_->workload);
        return workload == nullptr ? std::nullopt : real(workload->mean_file_bytes);
    }

    if (const auto set = configuration_.values.find(std::string(name)); set != configuration_.values.end())
        return set->second;
    const Parameter* parameter = knowledge_->parameter(name);
    if (parameter == nullptr || depth_ >= kMaxDefaultDepth) return std::nullopt;
    // A knob of another filesystem has no value here, not even its default.
    if (parameter->layer != Layer::kBlock && !configuration_.filesystem.empty() &&
        parameter->filesystem != configuration_.filesystem)
        return std::nullopt;
    const DepthGuard guard(depth_);
    return default_value(*parameter, *this);
}

std::optional<Value> default_value(const Parameter& parameter, const Scope& scope) {
    for (const ConditionalValue& candidate : parameter.defaults) {
        const auto applies = candidate.when.test(scope);
        // Behind an undecided condition any later default might be the wrong one.
        if (!applies) return std::nullopt;
        if (*applies) return candidate.value.evaluate(scope);
    }
    return std::nullopt;
}

}  // namespace fsadvise
