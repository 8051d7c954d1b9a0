#include "host/kernel_features.h"

#include <algorithm>
#include <set>
#include <vector>

#include <zlib.h>

#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::size_t kLargestConfig = 4u << 20;

// Feature and the build options that it takes.
struct FeatureOptions {
    const char* feature;
    std::vector<const char*> options;
};

// Source: fs/ext4/super.c, fs/xfs/Kconfig, fs/f2fs/Kconfig of Linux 6.18.
const std::vector<FeatureOptions>& feature_options() {
    static const std::vector<FeatureOptions> kTable = {{"quota", {"QUOTA", "QFMT_V2"}},
                                                       {"xfs_quota", {"XFS_QUOTA"}},
                                                       {"unicode", {"UNICODE"}},
                                                       {"dax", {"FS_DAX"}},
                                                       {"encryption", {"FS_ENCRYPTION"}},
                                                       {"verity", {"FS_VERITY"}},
                                                       {"xfs_v4", {"XFS_SUPPORT_V4"}},
                                                       {"xfs_ascii_ci", {"XFS_SUPPORT_ASCII_CI"}},
                                                       {"compression", {"F2FS_FS_COMPRESSION"}}};
    return kTable;
}

std::string unpacked(const std::string& packed) {
    z_stream stream{};
    constexpr int kGzip = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzip) != Z_OK) return {};
    std::vector<Bytef> input(packed.begin(), packed.end());
    stream.next_in = input.data();
    stream.avail_in = static_cast<uInt>(input.size());
    std::string text;
    int status = Z_OK;
    while (status == Z_OK && text.size() < kLargestConfig) {
        char buffer[1 << 16];
        stream.next_out = reinterpret_cast<Bytef*>(buffer);
        stream.avail_out = sizeof buffer;
        status = inflate(&stream, Z_NO_FLUSH);
        if (status == Z_OK || status == Z_STREAM_END) text.append(buffer, sizeof buffer - stream.avail_out);
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END ? text : std::string();
}

// A folder of features that the kernel shows tells of each whether it is there.
void shown(const FileReader& files, const char* folder,
           const std::vector<std::pair<const char*, const char*>>& names,
           std::map<std::string, bool>& features) {
    const auto held = files.list(folder);
    if (held.empty()) return;
    for (const auto& [feature, name] : names)
        features[feature] = std::find(held.begin(), held.end(), name) != held.end();
}

}  // namespace

std::map<std::string, bool> features_of_config(std::string_view text) {
    std::set<std::string> on;
    for (const std::string& line : split(text, '\n')) {
        const auto equals = line.find('=');
        if (!line.starts_with("CONFIG_") || equals == std::string::npos) continue;
        const std::string value = line.substr(equals + 1);
        if (value == "y" || value == "m") on.insert(line.substr(7, equals - 7));
    }
    std::map<std::string, bool> features;
    for (const auto& [feature, options] : feature_options())
        features[feature] = std::all_of(options.begin(), options.end(),
                                        [&](const char* option) { return on.count(option) > 0; });
    return features;
}

std::map<std::string, bool> probe_kernel_features(const FileReader& files, const std::string& release) {
    if (!release.empty())
        if (const auto config = files.read("/boot/config-" + release)) return features_of_config(*config);
    if (const auto packed = files.read("/proc/config.gz"))
        if (const std::string config = unpacked(*packed); !config.empty()) return features_of_config(config);
    std::map<std::string, bool> features;
    shown(files, "/sys/fs/ext4/features",
          {{"unicode", "casefold"}, {"encryption", "encryption"}, {"verity", "verity"}}, features);
    shown(files, "/sys/fs/f2fs/features", {{"compression", "compression"}}, features);
    // The limits are there without the format of the files, so only their absence tells.
    const auto limits = files.list("/proc/sys/fs");
    if (!limits.empty() && std::find(limits.begin(), limits.end(), "quota") == limits.end())
        features["quota"] = false;
    return features;
}

}  // namespace fsadvise
