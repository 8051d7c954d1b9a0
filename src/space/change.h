// A way to change a parameter of a filesystem that exists already, without formatting it anew.
#pragma once

#include <string>
#include <vector>

#include "space/expression.h"

namespace fsadvise {

struct Change {
    std::string id;         // "change.ext4.reserved-percent", permanent
    std::string parameter;  // what it changes
    std::string value;      // value text it is for; empty = any
    // "mounted": takes effect at once; "new-files": for what is written from now on; "unmounted": needs an unmount.
    std::string state;
    Expression when;  // tools and kernels that can do it; empty = all
    // Command lines of plain words with {device}, {directory} and {value} in place of what is known later.
    std::vector<std::string> commands;
    std::string effect, risk;
    std::vector<std::string> sources;
    std::string origin;  // knowledge file
};

}  // namespace fsadvise
