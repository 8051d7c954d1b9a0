// Versions of the filesystem tools, as they state them.
#include <cctype>

#include "base/text.h"
#include "host/host.h"

namespace fsadvise {

namespace {

struct VersionQuestion {
    const char* package;
    std::vector<std::string> argv;
};

// mke2fs answers on standard error, the others on standard output.
const std::vector<VersionQuestion>& version_questions() {
    static const std::vector<VersionQuestion> questions = {
        {"e2fsprogs", {"mkfs.ext4", "-V"}},           {"xfsprogs", {"mkfs.xfs", "-V"}},
        {"btrfs-progs", {"mkfs.btrfs", "--version"}}, {"f2fs-tools", {"mkfs.f2fs", "-V"}},
        {"util-linux", {"mount", "--version"}},
    };
    return questions;
}

// First word that is a dotted number: "mke2fs 1.47.0 (5-Feb-2023)" -> 1.47.0, "btrfs-progs v6.2" -> 6.2.
std::string first_version(std::string_view text) {
    std::string words(text);
    for (char& letter : words) {
        if (std::isspace(static_cast<unsigned char>(letter))) letter = ' ';
    }
    for (std::string_view word : split(words, ' ')) {
        if (word.starts_with('v')) word.remove_prefix(1);
        const auto end = word.find_first_not_of("0123456789.");
        std::string_view version = word.substr(0, end);
        while (version.ends_with('.')) version.remove_suffix(1);
        if (version.find('.') != std::string_view::npos && version.front() != '.')
            return std::string(version);
    }
    return {};
}

}  // namespace

void probe_tools(Host& host, ProcessRunner& runner) {
    for (const VersionQuestion& question : version_questions()) {
        ProcessRequest request;
        request.argv = question.argv;
        request.timeout = std::chrono::seconds(10);
        const auto result = runner.run(request);
        if (!result || result->timed_out) continue;
        // The exit status is not looked at: some versions of mkfs.f2fs print their version and fail.
        if (std::string version = first_version(result->output + "\n" + result->errors); !version.empty()) {
            host.tools[question.package] = version;
        }
    }
}

}  // namespace fsadvise
