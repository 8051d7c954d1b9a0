#include "advice/lint_tune.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "advice/lint_shell.h"

namespace fsadvise {
namespace {

// Flags that take a value. Source: tune2fs(8), e2fsprogs 1.47.0; xfs_admin(8), xfsprogs 6.1.
constexpr std::string_view kTune2fsValues = "cCeEgiIJLmMoOQrTuUz", kXfsAdminValues = "LUOr";
constexpr int kSmallestInode = 128;

struct Arguments {
    std::string features, reserved, inode_size;
    std::vector<std::string> devices;
};

Arguments arguments_of(const std::vector<std::string>& argv, std::string_view with_value) {
    Arguments result;
    for (std::size_t i = 1; i < argv.size(); ++i) {
        const auto& word = argv[i];
        if (word.size() < 2 || word[0] != '-') {
            result.devices.push_back(word);
            continue;
        }
        const char flag = word[1];
        if (with_value.find(flag) == std::string_view::npos) continue;
        const auto value = word.size() > 2 ? word.substr(2) : i + 1 < argv.size() ? argv[++i] : std::string();
        if (has_placeholder(value)) continue;
        if (flag == 'O') result.features = value;
        if (flag == 'm') result.reserved = value;
        if (flag == 'I') result.inode_size = value;
    }
    return result;
}

// mkfs.xfs sorts into -m and -i what xfs_admin takes in one list.
std::vector<ParsedWord> features(const Knowledge& knowledge, bool xfs, const std::string& list) {
    if (list.empty()) return {};
    auto words = parse_mkfs(knowledge, {xfs ? "mkfs.xfs" : "mkfs.ext4", xfs ? "-m" : "-O", list}).words;
    if (!xfs) return words;
    const auto inode = parse_mkfs(knowledge, {"mkfs.xfs", "-i", list}).words;
    for (std::size_t i = 0; i < words.size() && i < inode.size(); ++i) {
        if (words[i].parameter.empty() && !inode[i].parameter.empty()) words[i] = inode[i];
    }
    for (auto& word : words) word.text.replace(0, 2, "-O");
    return words;
}

}  // namespace

Tuning check_tuning(const LintChecker& checker, int line, const std::vector<std::string>& argv,
                    LintResult& result) {
    Tuning tuning;
    const auto program = argv.front().substr(argv.front().rfind('/') + 1);
    const bool xfs = program == "xfs_admin";
    if (!xfs && program != "tune2fs") return tuning;
    ++result.checked;
    tuning.filesystem = xfs ? "xfs" : "ext4";
    const auto asked = arguments_of(argv, xfs ? kXfsAdminValues : kTune2fsValues);
    tuning.devices = asked.devices;
    tuning.words = features(checker.knowledge(), xfs, asked.features);
    LintResult found;
    checker.check_words(tuning.filesystem, Layer::kMkfs, tuning.words, {line, ""}, found);
    if (!asked.reserved.empty() && !xfs) {
        const auto command = parse_mkfs(checker.knowledge(), {"mkfs.ext4", "-m", asked.reserved});
        checker.check_words("ext4", Layer::kMkfs, command.words, {line, ""}, found);
        const auto configuration = configuration_of("ext4", command.words, {});
        for (const auto& violation :
             violations(Context(checker.knowledge(), checker.request(), configuration))) {
            if (!violation.id.ends_with(".domain")) continue;
            auto item = checker.finding("tune-refused", Severity::kError, line, "-m " + asked.reserved);
            item.what = fmt::format("'-m {}': {}", asked.reserved, violation.says);
            item.fix = violation.fix;
            item.sources = violation.sources;
            found.findings.push_back(std::move(item));
        }
    }
    int bytes = 0;
    const auto* end = asked.inode_size.data() + asked.inode_size.size();
    const auto parsed = std::from_chars(asked.inode_size.data(), end, bytes);
    if (!xfs && parsed.ec == std::errc() && parsed.ptr == end && bytes <= kSmallestInode) {
        auto item = checker.finding("tune-refused", Severity::kError, line, "-I " + asked.inode_size);
        item.what = "inodes can only be enlarged, and 128 bytes are the smallest";
        item.fix = "format with -I 128, which stores no dates after 2038, or leave it";
        item.sources = {"tune2fs(8), -I, e2fsprogs 1.47.0"};
        found.findings.push_back(std::move(item));
    }
    for (auto& item : found.findings) {
        item.consequence = program + " stops with an error and changes nothing";
        result.findings.push_back(std::move(item));
    }
    return tuning;
}

}  // namespace fsadvise
