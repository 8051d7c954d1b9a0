// Internal: the two halves of spell(), one a layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/spelling.h"

namespace fsadvise {

// Words after the program name; options of one flag are joined.
std::vector<std::string> spell_mkfs(const Knowledge& knowledge, const Configuration& configuration);
std::string spell_mount(const Knowledge& knowledge, const Configuration& configuration);

// The words of the table `words` for this value, or nullptr if it does not list the value.
const std::vector<std::string>* listed_words(const Spelling& spelling, const Value& value);

}  // namespace fsadvise
