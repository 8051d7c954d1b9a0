#include "advice/csi_drivers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "space/fact_table.h"

namespace fsadvise {
namespace {

CsiUse use_of(std::string_view word) {
    using enum CsiUse;
    static constexpr auto kWords =
        std::to_array<std::pair<std::string_view, CsiUse>>({{"mkfs-options", kMkfsOptions},
                                                            {"block-size", kBlockSize},
                                                            {"inode-size", kInodeSize},
                                                            {"bytes-per-inode", kBytesPerInode},
                                                            {"inode-count", kInodeCount},
                                                            {"bigalloc", kBigalloc},
                                                            {"cluster-size", kClusterSize},
                                                            {"encrypt", kEncrypt},
                                                            {"type", kType}});
    const auto* found = std::ranges::find(kWords, word, &std::pair<std::string_view, CsiUse>::first);
    return found == kWords.end() ? kOther : found->second;
}

CsiDriver driver_of(const Knowledge& knowledge, const FactRow& row) {
    CsiDriver driver{row["driver"], row["backing"], row["cloud"], row.is("complete"), {}};
    if (const FactTable* keys = knowledge.table("csi-keys")) {
        for (const FactRow& key : keys->rows) {
            if (key["driver"] == driver.provisioner)
                driver.keys.push_back({key["key"], use_of(key["use"]), key.is("ext_only")});
        }
    }
    return driver;
}

// Operators put the namespace before the driver's name.
bool is_name_of(std::string_view driver, std::string_view provisioner) {
    return provisioner == driver ||
           (provisioner.ends_with(driver) && provisioner[provisioner.size() - driver.size() - 1] == '.');
}

}  // namespace

const CsiKey* CsiDriver::key(std::string_view name) const {
    const auto found = std::ranges::find(keys, name, &CsiKey::name);
    return found == keys.end() ? nullptr : &*found;
}

std::optional<CsiDriver> csi_driver(const Knowledge& knowledge, std::string_view provisioner) {
    const FactTable* drivers = knowledge.table("csi-drivers");
    if (drivers == nullptr) return std::nullopt;
    for (const FactRow& row : drivers->rows)
        if (is_name_of(row["driver"], provisioner)) return driver_of(knowledge, row);
    return std::nullopt;
}

std::optional<CsiDriver> csi_driver_with(const Knowledge& knowledge, std::string_view key) {
    const FactTable* keys = knowledge.table("csi-keys");
    const FactRow* row = keys == nullptr ? nullptr : keys->find("key", key);
    return row == nullptr ? std::nullopt : csi_driver(knowledge, (*row)["driver"]);
}

}  // namespace fsadvise
