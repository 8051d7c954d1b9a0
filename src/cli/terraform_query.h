// The query of Terraform's external data source: an object of strings on standard input, whose keys are long
// options. Source: documentation of hashicorp/external, data source "external".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace fsadvise::cli {

// With --format terraform among the words, and a standard input that is no terminal: adds "--key", "value"
// for each key. Errors: kBadInput if it is no such object.
Result<void> add_terraform_query(std::vector<std::string>& words);
// The words of a query; `text` may be empty.
Result<std::vector<std::string>> query_words(const std::string& text);

}  // namespace fsadvise::cli
