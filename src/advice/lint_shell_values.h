// Shell variables whose value the script itself fixes: assigned once, to a constant. Internal to src/advice.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "advice/lint_shell.h"

namespace fsadvise {

class ShellValues {
  public:
    explicit ShellValues(const std::vector<ShellCommand>& commands);
    // $NAME and ${NAME} replaced where the value is known. A word that is nothing but a variable becomes its
    // words, unless it stands where an option expects its value.
    [[nodiscard]] std::vector<std::string> expand(const std::vector<std::string>& words) const;

  private:
    void assign(const std::string& name, const std::string& value);
    [[nodiscard]] std::string replaced(const std::string& word) const;

    std::map<std::string, std::string> known_;
    std::set<std::string> open_;  // assigned twice, by a loop, or from what only a run tells
};

}  // namespace fsadvise
