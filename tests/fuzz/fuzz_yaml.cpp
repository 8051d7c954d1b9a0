// Every format but fstab and script; the first byte picks the name that the text goes by.
#include "fuzz/fuzz_target.h"

FSADVISE_FUZZ_TARGET(yaml) {
    static constexpr const char* kNames[] = {"user-data",  "site.yml", "x.bu",  "x.ign",
                                             "class.yaml", "a.ks",     "j.fio", "Dockerfile",
                                             "d.mount",    "d.conf",   "m.json"};
    if (text.empty()) return;
    const auto pick = static_cast<unsigned char>(text.front()) % std::size(kNames);
    fsadvise::fuzzing::lint_as(text.substr(1), kNames[pick]);
}
