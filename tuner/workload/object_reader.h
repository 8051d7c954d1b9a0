// Reads the members of one JSON object and keeps the first error with its JSON pointer.
//
// Errors: kBadInput; an unknown key or word names the nearest known one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace fsadvise::tuner {

class ObjectReader {
  public:
    ObjectReader(const nlohmann::json& object, std::string name, std::string pointer);

    void known(std::initializer_list<const char*> keys);
    void text(const char* key, std::string& target);
    void flag(const char* key, bool& target);
    void real(const char* key, double& target);
    void count(const char* key, std::uint64_t& target,
               std::uint64_t limit = std::numeric_limits<std::int64_t>::max());
    void count(const char* key, int& target);
    // "8Ki" or a number of bytes.
    void size(const char* key, std::uint64_t& target);
    // One of `words`; its index.
    void word(const char* key, std::span<const std::string> words, std::size_t& target);
    void texts(const char* key, std::vector<std::string>& target);

    // Array of objects, each handed to `read` with its own reader.
    template <class Read>
    void each(const char* key, Read read) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_array()) return report(slash(key), "an array is expected here");
        for (std::size_t i = 0; i < value->size(); ++i) {
            ObjectReader item((*value)[i], name_, fmt::format("{}/{}/{}", pointer_, key, i));
            read(item);
            if (item.error_ && !error_) error_ = item.error_;
        }
    }
    // A member that is an object itself.
    template <class Read>
    void object(const char* key, Read read) {
        const nlohmann::json* value = find(key);
        if (value == nullptr) return;
        ObjectReader item(*value, name_, pointer_ + slash(key));
        read(item);
        if (item.error_ && !error_) error_ = item.error_;
    }

    void report(const std::string& where, const std::string& message);
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    [[nodiscard]] bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

  private:
    static std::string slash(const char* key) { return std::string("/") + key; }
    const nlohmann::json* find(const char* key) const;

    const nlohmann::json& object_;
    std::string name_, pointer_;
    std::optional<Error> error_;
};

}  // namespace fsadvise::tuner
