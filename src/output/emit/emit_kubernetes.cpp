// A StorageClass with the keys that the CSI driver takes. Source: Kubernetes API reference; the tables
// csi-drivers and csi-keys of the knowledge.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "advice/csi_drivers.h"
#include "base/text.h"
#include "output/emit/emit_parts.h"
#include "space/spelling.h"

namespace fsadvise {
namespace {

// Parameters that drivers have keys of their own for.
std::string_view parameter_of(CsiUse use) {
    switch (use) {
        case CsiUse::kBlockSize:
            return "block_size";
        case CsiUse::kInodeSize:
            return "inode_size";
        case CsiUse::kBytesPerInode:
            return "bytes_per_inode";
        case CsiUse::kInodeCount:
            return "inode_count";
        case CsiUse::kBigalloc:
            return "bigalloc";
        case CsiUse::kClusterSize:
            return "cluster_size";
        case CsiUse::kEncrypt:
            return "encrypt";
        default:
            return {};
    }
}

class ClassParameters {
  public:
    ClassParameters(const EmitPlan& plan, const CsiDriver& driver, std::vector<std::string>& lost) {
        for (const CsiKey& key : driver.keys) {
            if (key.use == CsiUse::kType && (type_.empty() || key.name == "csi.storage.k8s.io/fstype"))
                type_ = key.name;
            if (key.use == CsiUse::kMkfsOptions) options_ = key.name;
        }
        if (!type_.empty()) values_[type_] = plan.filesystem;
        if (plan.mkfs_options.empty()) return;
        if (!options_.empty()) {
            values_[options_] = join(plan.mkfs_options, " ");
            return;
        }
        own_keys(plan, driver, lost);
    }
    [[nodiscard]] const std::map<std::string, std::string>& values() const { return values_; }

  private:
    // What the driver has a key for goes there; the rest is named.
    void own_keys(const EmitPlan& plan, const CsiDriver& driver, std::vector<std::string>& lost) {
        const ParsedCommand command = parse_mkfs(*plan.knowledge, plan.mkfs);
        for (const ParsedWord& word : command.words) {
            if (word.parameter.empty() || word.parameter.ends_with(".label")) continue;
            const auto name = word.parameter.substr(word.parameter.rfind('.') + 1);
            const auto key = std::ranges::find_if(driver.keys, [&](const CsiKey& entry) {
                return parameter_of(entry.use) == name && (!entry.ext_only || plan.filesystem == "ext4");
            });
            if (key == driver.keys.end())
                lost.push_back(fmt::format("the driver {} takes no {}", driver.provisioner, word.text));
            else
                values_[std::string(key->name)] = to_text(word.value);
        }
    }

    std::string type_, options_;
    std::map<std::string, std::string> values_;
};

}  // namespace

Result<Emitted> emit_kubernetes(const EmitPlan& plan) {
    if (plan.csi_driver.empty()) {
        return fail(
            ErrorCode::kUsage, "the CSI driver decides which options a StorageClass can carry",
            "--csi-driver",
            "name it, for example --csi-driver ebs.csi.aws.com, or describe the cloud with --cloud aws");
    }
    Emitted emitted;
    lose_settings(plan, "a StorageClass", emitted.lost);
    const auto known = csi_driver(*plan.knowledge, plan.csi_driver);
    if (!known)
        emitted.lost.push_back(
            fmt::format("what the driver {} takes is not known: its documentation says which keys carry '{}'",
                        plan.csi_driver, shell_join(plan.mkfs_options)));
    const CsiDriver driver = known.value_or(
        CsiDriver{plan.csi_driver, {}, {}, false, {{"csi.storage.k8s.io/fstype", CsiUse::kType, false}}});
    std::vector<std::string> unknown_keys;
    const ClassParameters parameters(plan, driver, known ? emitted.lost : unknown_keys);
    std::string text = head_comment(
        plan, "New volumes only: a driver formats a volume that is empty and keeps what is on any other.",
        emitted.lost, false);
    text += fmt::format(
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: {}\nprovisioner: {}\n",
        json_quoted("fsadvise-" + plan.workload), json_quoted(plan.csi_driver));
    if (!parameters.values().empty()) text += "parameters:\n";
    for (const auto& [key, value] : parameters.values())
        text += fmt::format("  {}: {}\n", key, json_quoted(value));
    if (!plan.mount_options.empty()) text += "mountOptions: " + json_list(plan.mount_options) + "\n";
    text += "reclaimPolicy: Retain\nvolumeBindingMode: WaitForFirstConsumer\nallowVolumeExpansion: true\n";
    emitted.files.push_back({"storageclass.yaml", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
