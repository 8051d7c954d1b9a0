// Words of a mkfs command, separated by zero bytes or line ends.
#include "space/spelling.h"

#include "fuzz/fuzz_target.h"

FSADVISE_FUZZ_TARGET(mkfs_argv) {
    std::vector<std::string> argv(1);
    for (const char c : text) {
        if (c == '\0' || c == '\n') {
            argv.emplace_back();
        } else {
            argv.back() += c;
        }
    }
    const auto command = fsadvise::parse_mkfs(fsadvise::fuzzing::knowledge(), argv);
    if (command.filesystem.empty()) return;
    (void)fsadvise::spell(fsadvise::fuzzing::knowledge(),
                          fsadvise::configuration_of(command.filesystem, command.words, {}));
}
