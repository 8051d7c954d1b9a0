// The version of a component ("kernel", "e2fsprogs", ...) that a host has, as told or as its distribution
// ships it.
#pragma once

#include <string>
#include <string_view>

#include "host/host.h"
#include "space/knowledge.h"

namespace fsadvise {

// Empty = unknown. A host that names its own kernel or tool is believed before its distribution's package
// list.
std::string component_version(const Knowledge& knowledge, const Host& host, std::string_view component);

// True, false or unknown: the host's kernel can mount this filesystem.
std::optional<bool> kernel_has(const Knowledge& knowledge, const Host& host, std::string_view filesystem);

// A program that reads a filesystem before any kernel runs; it formats and mounts nothing.
const std::vector<std::string>& boot_loaders();
bool is_boot_loader(std::string_view component);

// "9" covers "9" and "9.4"; "" covers everything.
bool version_covers(std::string_view stated, std::string_view actual);

}  // namespace fsadvise
