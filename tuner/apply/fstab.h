// fstab as text that is edited in place: whatever is not ours stays byte for byte as it is. Pure.
//
// Errors: kUnavailable for a mount point that another source has.
// Source: fstab(5), util-linux 2.38.1.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fsadvise::tuner {

struct FstabEntry {
    // Decoded fields: \040 is a blank.
    std::string spec, directory, type, options;
    int line = 0;  // from 1
    // Where type and options stand in the text; equal for options that are not there.
    std::size_t type_begin = 0, type_end = 0, options_begin = 0, options_end = 0;
};

// Lines with fewer than three fields are no entries, as libmount sees it.
std::vector<FstabEntry> fstab_entries(std::string_view text);

struct FstabWish {
    std::string spec, directory, type, options;
    int pass = 0;
    [[nodiscard]] std::string line() const;  // encoded, without a newline
};

struct FstabEdit {
    std::string after;     // the whole text
    std::string line;      // ours, as it stands in it
    std::string replaced;  // the line that was there before, empty if one was added
    bool changed = false;
};

// Tells whether another way to write a source means the same filesystem: LABEL=data for UUID=...
using SameSource = std::function<bool(const std::string& spec)>;

// Adds the line at the end, or changes type and options of the line that is there for the same source.
Result<FstabEdit> edit_fstab(const std::string& text, const FstabWish& wish, const std::string& file,
                             const SameSource& same);

// "/srv/data/" and "/srv//data" are one directory.
std::string plain_directory(std::string_view directory);

}  // namespace fsadvise::tuner
