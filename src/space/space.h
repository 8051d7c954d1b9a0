// The searchable space of one filesystem on one host: active parameters, candidate values, valid samples.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "space/context.h"

namespace fsadvise {

struct Dimension {
    std::string parameter;  // id
    // Candidates; values[0] is the default ("not set"), an empty word if the tool's default is not known.
    std::vector<Value> values;
};

class Space {
  public:
    // Only values allowed by version, domain and the request's durability class.
    Space(const Knowledge& knowledge, const Request& request, std::string filesystem);

    [[nodiscard]] const std::string& filesystem() const { return filesystem_; }
    [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
    // Index per dimension -> configuration in which index 0 leaves the parameter unset.
    [[nodiscard]] Configuration configuration(const std::vector<std::size_t>& indices) const;
    [[nodiscard]] std::vector<std::size_t> indices(const Configuration& configuration) const;
    [[nodiscard]] bool valid(const Configuration& configuration) const;
    // A random valid configuration that differs from the default in `changes` dimensions (0 = random count).
    [[nodiscard]] std::optional<Configuration> sample(std::mt19937_64& random, std::size_t changes = 0) const;

  private:
    const Knowledge* knowledge_;
    const Request* request_;
    std::string filesystem_;
    std::vector<Dimension> dimensions_;
};

// Filesystems that the target can format and mount: known, allowed by requirements, available on the host,
// large enough. `excluded` receives "f2fs: the target kernel has no f2fs" for the others.
std::vector<std::string> usable_filesystems(const Knowledge& knowledge, const Request& request,
                                            std::vector<std::string>* excluded = nullptr);

// Why a filesystem does not meet what the user insists on, or "". Looks at nothing of the host but its distribution.
std::string unmet_requirement(const Knowledge& knowledge, const Host& host, const Requirements& requirements,
                              const Filesystem& filesystem);

}  // namespace fsadvise
