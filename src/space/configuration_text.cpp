#include "space/configuration_text.h"

#include "base/text.h"
#include "space/spelling.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

Result<void> check_words(const std::vector<ParsedWord>& words, const std::string& text) {
    for (const ParsedWord& word : words) {
        if (word.generic) continue;
        const std::string note = word.note.empty() ? "" : ": " + word.note;
        if (word.bad_value)
            return fail(ErrorCode::kUsage, "'" + word.text + "' has a bad value" + note, text);
        if (!word.parameter.empty()) continue;
        if (!word.belongs_to.empty())
            return fail(ErrorCode::kUsage, "'" + word.text + "' is an option of " + word.belongs_to, text);
        return fail(ErrorCode::kUsage, "unknown option '" + word.text + "'" + note, text,
                    "known ones: fsadvise knowledge list parameters");
    }
    return {};
}

bool fails(Effect effect) {
    return effect == Effect::kMkfsRefuses || effect == Effect::kMountRefuses || effect == Effect::kSilent;
}

}  // namespace

Result<Configuration> configuration_from_text(const Knowledge& knowledge, const Request& request,
                                              const std::string& text) {
    const auto first = text.find(':');
    const auto second = first == std::string::npos ? first : text.find(':', first + 1);
    const std::string id(trim(text.substr(0, first)));
    const Filesystem* filesystem = knowledge.filesystem(id);
    if (filesystem == nullptr) {
        std::vector<std::string> known;
        for (const Filesystem& each : knowledge.filesystems()) known.push_back(each.id);
        return fail(
            ErrorCode::kUsage, "unknown filesystem '" + id + "'" + did_you_mean(id, known), text,
            "write FS, FS:MKFS OPTIONS or FS:MKFS OPTIONS:MOUNT OPTIONS, e.g. \"xfs:-m reflink=0:noatime\"");
    }
    std::vector<std::string> argv = {filesystem->mkfs};
    if (first != std::string::npos) {
        for (const std::string& word : split(text.substr(first + 1, second - first - 1), ' '))
            if (!word.empty()) argv.push_back(word);
    }
    // A device word ends the options for every mkfs.
    argv.push_back("/dev/null");
    const ParsedCommand mkfs = parse_mkfs(knowledge, argv);
    if (!mkfs.problem.empty()) return fail(ErrorCode::kUsage, mkfs.problem, text);
    FSADVISE_TRY(check_words(mkfs.words, text));
    std::vector<ParsedWord> mount;
    if (second != std::string::npos)
        mount = parse_mount_options(knowledge, id, trim(text.substr(second + 1)));
    FSADVISE_TRY(check_words(mount, text));
    Configuration configuration = configuration_of(id, mkfs.words, mount);
    for (const Violation& violation : violations(Context(knowledge, request, configuration))) {
        if (fails(violation.effect)) return fail(ErrorCode::kUsage, violation.says, text, violation.fix);
    }
    return configuration;
}

}  // namespace fsadvise
