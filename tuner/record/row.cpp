#include "tuner/record/row.h"

#include <array>
#include <string_view>

#include "base/text.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

struct Column {
    const char* name;
    const char* from;  // JSON pointer below "candidate" or "anchor" of Measurement::metrics
    const char* unit;
    const char* direction;
    const char* meaning;
};

constexpr std::array kColumns = {
    Column{"operations", "/operations_per_s", "1/s", "maximize",
           "counted loops a second in the side's own windows"},
    Column{"p50_ns", "/latency/p50_ns", "ns", "minimize", "median latency of a counted loop"},
    Column{"p95_ns", "/latency/p95_ns", "ns", "minimize", "95 % quantile of it"},
    Column{"p99_ns", "/latency/p99_ns", "ns", "minimize", "99 % quantile of it"},
    Column{"p999_ns", "/latency/p999_ns", "ns", "minimize", "99.9 % quantile of it"},
    Column{"loops", "/latency/count", "1", "maximize", "counted loops, the sample of the quantiles"},
    Column{"sync_p50_ns", "/sync_latency/p50_ns", "ns", "minimize",
           "median latency of fsync and fdatasync steps"},
    Column{"sync_p99_ns", "/sync_latency/p99_ns", "ns", "minimize", "99 % quantile of it"},
    Column{"syncs", "/sync_latency/count", "1", "maximize", "fsync and fdatasync steps"},
    Column{"cpu", "/cpu_s_per_operation", "s", "minimize",
           "CPU time of the load's threads for a counted loop"},
    Column{"space", "/used_bytes_after_layout", "B", "minimize",
           "in use after layout, own structures included"},
    Column{"read_rate", "/read_bytes_per_s", "B/s", "maximize", "what the load read"},
    Column{"write_rate", "/written_bytes_per_s", "B/s", "maximize", "what the load wrote"},
    Column{"format_seconds", "/format_s", "s", "minimize", "time of mkfs"},
    Column{"mount_seconds", "/mount_s", "s", "minimize", "time of the mount before the load"},
    Column{"recovery_seconds", "/recovery_s", "s", "minimize", "time of the mount after a crash under load"},
};

json figures(const json& side) {
    json result = json::object();
    for (const Column& column : kColumns) {
        const json::json_pointer pointer(column.from);
        if (side.contains(pointer)) result[column.name] = side.at(pointer);
    }
    // Loads without a sync have no latency of one.
    if (result.value("syncs", 0) == 0) {
        for (const char* name : {"sync_p50_ns", "sync_p99_ns", "syncs"}) result.erase(name);
    }
    // A load that only reads, or only writes, has no rate of the other; 0 has no logarithm.
    for (const char* name : {"read_rate", "write_rate"}) {
        if (result.value(name, 0.0) == 0) result.erase(name);
    }
    return result;
}

}  // namespace

json table_metrics() {
    const auto entry = [](const char* unit, const char* direction, const char* meaning) {
        return json{{"unit", unit}, {"direction", direction}, {"meaning", meaning}};
    };
    json result = {
        {"log_ratio", entry("ln", "maximize", "candidate / anchor in the workload's own objective")},
        {"deviation", entry("ln", "minimize", "standard error of log_ratio within this duet")}};
    for (const Column& column : kColumns)
        result[column.name] = entry(column.unit, column.direction, column.meaning);
    return result;
}

json row_metrics(const Measurement& measurement) {
    const json all = json::parse(measurement.metrics);
    json metrics = figures(all.at("candidate"));
    metrics["log_ratio"] = measurement.log_ratio;
    metrics["deviation"] = measurement.deviation;
    return {{"metrics", std::move(metrics)},
            {"anchor", figures(all.at("anchor"))},
            {"pairs", all.at("pairs")},
            {"steady", all.at("steady")}};
}

std::string without_places(const std::string& reason, const std::vector<std::string>& devices) {
    std::string result;
    for (const std::string& part : split(reason, ' ')) {
        std::string word = part;
        for (const std::string& device : devices) {
            if (const auto at = word.find(device); at != std::string::npos)
                word.replace(at, device.size(), "DEVICE");
            // The kernel names it without the folder.
            const std::string base = device.substr(device.rfind('/') + 1);
            if (const auto at = word.find(base); at != std::string::npos)
                word.replace(at, base.size(), "DEVICE");
        }
        for (const char* folder : {"/area0", "/area1"}) {
            const auto at = word.find(folder);
            if (at == std::string::npos) continue;
            const auto begin = word.find('/');
            word.replace(begin, at + std::string_view(folder).size() - begin, "DIRECTORY");
        }
        if (!result.empty()) result += ' ';
        result += word;
    }
    return result;
}

}  // namespace fsadvise::tuner
