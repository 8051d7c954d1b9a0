#include "base/text.h"
#include "space/dumps.h"

namespace fsadvise {
namespace {

void add_features(DumpFields& fields, std::string_view list) {
    fields[std::string(kFeaturesListed)] = "1";
    for (const std::string& word : split(list, ' '))
        if (!word.empty()) fields[std::string(kFeaturePrefix) + lower(word)] = "1";
}

}  // namespace

DumpFields fields_of_dump_f2fs(std::string_view dump) {
    DumpFields fields;
    for (const std::string& line : split(dump, '\n')) {
        const std::string_view text = trim(line);
        if (text.starts_with("Info: superblock features")) {
            if (const auto colon = text.rfind(':'); colon != std::string_view::npos && colon > 5)
                add_features(fields, text.substr(colon + 1));
            continue;
        }
        // "segs_per_sec                  		[0x       1 : 1]"
        const auto open = text.find('['), colon = text.rfind(" : "), close = text.rfind(']');
        if (open == std::string_view::npos || colon == std::string_view::npos ||
            close == std::string_view::npos || open == 0 || colon < open || close < colon + 3)
            continue;
        fields.emplace(lower(trim(text.substr(0, open))),
                       std::string(trim(text.substr(colon + 3, close - colon - 3))));
    }
    if (const auto log = fields.find("log_blocksize");
        log != fields.end() && log->second.size() <= 2 &&
        log->second.find_first_not_of("0123456789") == std::string::npos)
        if (const int shift = std::stoi(log->second); shift < 32)
            fields["block-size"] = std::to_string(1LL << shift);
    return fields;
}

}  // namespace fsadvise
