// One file of another tool as the importers get it: in memory, under a name of its own.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/exchange/exchange.h"

#include "fuzz/fuzz_target.h"

namespace fsadvise::fuzzing {

// What is imported can be written and read back, and exported to fio or refused.
inline void import_as(std::string_view text, tuner::ExchangeFormat format) {
    if (text.empty()) return;
    const Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
    const char flags = text.front();
    text.remove_prefix(1);
    if (!file.valid() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return;
    tuner::ImportOptions options;
    options.id = "fuzz";
    options.lenient = (flags & 1) != 0;
    const std::string path = "/proc/self/fd/" + std::to_string(file.get());
    (void)tuner::detect_format(path);
    const auto document = tuner::import_workload({path}, format, options);
    if (!document) return;
    const auto again = tuner::document_from_json(tuner::document_to_json(*document), "fuzz.json");
    if (!again) {
        std::fputs((to_text(again.error()) + "\n").c_str(), stderr);
        std::abort();
    }
    (void)tuner::export_fio(document->load, document->title);
}

}  // namespace fsadvise::fuzzing
