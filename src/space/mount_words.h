// Words that mount(8) or the VFS takes itself, on every filesystem, for "did you mean".
#pragma once

#include <span>
#include <string_view>

namespace fsadvise {

std::span<const std::string_view> generic_mount_words();

}  // namespace fsadvise
