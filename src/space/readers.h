// What the oldest kernel, boot loader or repair tool that must read a filesystem cannot read of it.
//
// Source: the version windows of the mkfs parameters (docs/knowledge.md).
#pragma once

#include <string>
#include <vector>

#include "space/context.h"

namespace fsadvise {

struct Unreadable {
    const Parameter* parameter = nullptr;
    std::string component, version;  // of the reader
    std::string says;                // "kernel 5.4 cannot read it: it came with 5.19"
    bool certain = true;             // false: whether the tool turns it on by itself is not known
};

// Every mkfs parameter whose effective value, chosen or default, a reader of the request cannot read.
std::vector<Unreadable> unreadable(const Context& context);

// The formatting tool of the target knows the parameter; nullopt if its version is not known.
std::optional<bool> tool_knows(const Context& context, const Parameter& parameter);

}  // namespace fsadvise
