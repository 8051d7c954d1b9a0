#include "output/text_parts.h"

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise {

std::string source_text(const Knowledge& knowledge, const std::string& source) {
    const Evidence* evidence = knowledge.evidence(source);
    if (evidence == nullptr) return source;
    std::string text = evidence->says + " [" + evidence->source;
    if (!evidence->date.empty()) text += ", " + evidence->date;
    text += "; " + evidence->grade + "]";
    if (!evidence->valid.empty()) text += " Note: " + evidence->valid;
    return text;
}

std::string host_line(const Host& host) {
    std::vector<std::string> parts;
    parts.push_back(host.kernel.empty() ? "kernel unknown" : "Linux " + host.kernel);
    if (!host.distribution.empty()) {
        parts.push_back(host.distribution +
                        (host.distribution_version.empty() ? "" : " " + host.distribution_version));
    }
    if (host.cores) parts.push_back(fmt::format("{} core{}", *host.cores, *host.cores == 1 ? "" : "s"));
    if (host.memory_bytes) parts.push_back(human_size(static_cast<double>(*host.memory_bytes)) + " memory");
    std::string disk = "unknown";
    if (host.device) {
        std::vector<std::string> words;
        if (!host.device->path.empty()) words.push_back(host.device->path);
        if (!host.device->media.empty()) words.push_back(host.device->media);
        if (host.device->size_bytes)
            words.push_back(human_size(static_cast<double>(*host.device->size_bytes)));
        if (!words.empty()) disk = join(words, ", ");
    }
    parts.push_back("disk: " + disk);
    return join(parts, "; ");
}

std::string effect_text(const EffectEstimate& effect) {
    return fmt::format("{:+.1f} % ({:.0f} % interval {:+.1f} to {:+.1f} %)", 100 * (effect.ratio - 1),
                       100 * effect.level, 100 * (effect.low - 1), 100 * (effect.high - 1));
}

bool is_prediction(const EffectEstimate& effect) {
    return effect.basis.starts_with("predicted");
}

std::string device_word(const Request& request) {
    if (request.host.device) {
        if (!request.host.device->stable_path.empty()) return request.host.device->stable_path;
        if (!request.host.device->path.empty()) return request.host.device->path;
    }
    return "/dev/disk/by-id/YOUR-DISK";
}

std::string mount_point_of(const Request& request, const Knowledge& knowledge) {
    if (!request.mount_point.empty()) return request.mount_point;
    const WorkloadDescription* workload = knowledge.workload(request.workload);
    if (workload != nullptr && !workload->mount_point.empty()) return workload->mount_point;
    return "/srv/" + request.workload;
}

std::string filesystem_title(const Knowledge& knowledge, const std::string& id) {
    const Filesystem* filesystem = knowledge.filesystem(id);
    return filesystem != nullptr && !filesystem->title.empty() ? filesystem->title : id;
}

}  // namespace fsadvise
