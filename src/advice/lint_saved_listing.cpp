// Saved output of findmnt -J and lsblk -J: what another machine has mounted, judged for the target.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/lint_format.h"
#include "advice/lint_yaml.h"
#include "base/text.h"
#include "base/units.h"

namespace fsadvise {
namespace {

class Listing {
  public:
    Listing(const LintInput& input, LintResult& result)
        : input_(input), checker_(input.checker()), result_(result) {}

    void mounts(const YamlNode& list) {
        for (const auto& mount : list.items) {
            one_mount(mount);
            if (const auto* children = mount.find("children")) mounts(*children);
        }
    }

    void devices(const YamlNode& list) {
        for (const auto& device : list.items) {
            one_device(device);
            if (const auto* children = device.find("children")) devices(*children);
        }
    }

  private:
    void one_mount(const YamlNode& mount) {
        const auto type = mount.value("fstype");
        if (input_.knowledge.filesystem(type) == nullptr) return;
        ++result_.checked;
        const auto* options = mount.find("options");
        const int line = options != nullptr ? options->line : mount.line;
        // The kernel lists its own words too (seclabel, subvolid=): unknown ones are no mistake of anybody.
        std::vector<std::string> known;
        for (const auto& word : parse_mount_options(input_.knowledge, type, options_of(options))) {
            if (!word.parameter.empty() && !word.bad_value) known.push_back(word.text);
        }
        const auto words = parse_mount_options(input_.knowledge, type, join(known, ","));
        LintResult found;
        checker_.check_mount(type, nullptr, words, {line, "it does not mount on the target"}, found);
        for (auto& item : found.findings) {
            // findmnt shows defaults and what does nothing; nobody wrote them.
            if (item.severity != Severity::kInfo) result_.findings.push_back(std::move(item));
        }
    }

    void one_device(const YamlNode& device) {
        const auto type = device.value("fstype");
        const auto* filesystem = input_.knowledge.filesystem(type);
        if (filesystem == nullptr) return;
        ++result_.checked;
        const auto* has = device.find("fsver");
        if (type == "xfs" && has != nullptr && has->text == "4") old_format(device, *has);
        const auto use = device.value("fsuse%");
        if (!use.empty() && std::atoi(use.c_str()) >= 95) {
            auto item = checker_.finding("filesystem-nearly-full", Severity::kWarning,
                                         device.find("fsuse%")->line, device.value("name"));
            item.what = fmt::format("{} ({}) is {} full", device.value("name"), filesystem->title, use);
            item.consequence =
                "allocation gets slow and fragmented, and copy-on-write filesystems may refuse to delete";
            item.fix = "free or add space";
            item.sources = {"lsblk(8), FSUSE%"};
            result_.findings.push_back(std::move(item));
        }
        const auto size = parse_size(device.value("size"));
        if (!size || filesystem->minimum_bytes == 0 || *size >= filesystem->minimum_bytes) return;
        auto item = checker_.finding("filesystem-below-minimum", Severity::kWarning, device.line,
                                     device.value("name"));
        item.what = fmt::format("{} is smaller than today's tools make {} ({} MiB)", device.value("name"),
                                filesystem->title, filesystem->minimum_bytes >> 20);
        item.consequence = "it still mounts, and cannot be made again in this size";
        item.fix = "use another filesystem for volumes of this size";
        result_.findings.push_back(std::move(item));
    }

    void old_format(const YamlNode& device, const YamlNode& version) {
        auto item = checker_.finding("xfs-v4", Severity::kWarning, version.line, device.value("name"));
        item.what = "XFS version 4: no metadata checksums, deprecated";
        item.consequence = "kernels without CONFIG_XFS_SUPPORT_V4 do not mount it; dates end in 2038";
        item.fix = "back up, make a new filesystem and restore; there is no conversion";
        item.sources = {"Linux kernel documentation: admin-guide/xfs, deprecation of V4"};
        result_.findings.push_back(std::move(item));
    }

    const LintInput& input_;
    LintChecker checker_;
    LintResult& result_;
};

bool recognises(std::string_view, std::string_view text) {
    if (!trim(text.substr(0, 256)).starts_with('{')) return false;
    const auto start = text.substr(0, 256);
    return start.find("\"blockdevices\"") != std::string_view::npos ||
           (start.find("\"filesystems\"") != std::string_view::npos &&
            start.find("\"ignition\"") == std::string_view::npos);
}

Result<void> check(const LintInput& input, LintResult& result) {
    // Strict first: YAML would take what no JSON reader takes.
    if (!nlohmann::json::accept(input.text)) {
        return fail(ErrorCode::kBadInput, "is not valid JSON", input.file,
                    "save it with: findmnt -J or lsblk -J");
    }
    FSADVISE_ASSIGN(const auto documents, parse_yaml(input.text, input.file));
    Listing listing(input, result);
    for (const auto& document : documents) {
        if (const auto* list = document.find("filesystems")) listing.mounts(*list);
        if (const auto* list = document.find("blockdevices")) listing.devices(*list);
    }
    return {};
}

}  // namespace

LintFormat saved_listing_format() {
    return {"findmnt or lsblk listing", recognises, check};
}

}  // namespace fsadvise
