#include "tuner/workload/object_reader.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/units.h"

namespace fsadvise::tuner {

using nlohmann::json;

ObjectReader::ObjectReader(const json& object, std::string name, std::string pointer)
    : object_(object), name_(std::move(name)), pointer_(std::move(pointer)) {
    if (!object_.is_object()) report("", "an object is expected here");
}

void ObjectReader::known(std::initializer_list<const char*> keys) {
    if (!object_.is_object()) return;
    const std::vector<std::string> names(keys.begin(), keys.end());
    for (const auto& [key, value] : object_.items()) {
        if (std::find(names.begin(), names.end(), key) == names.end()) {
            report("/" + key, fmt::format("unknown key '{}'{}", key, did_you_mean(key, names)));
        }
    }
}

void ObjectReader::text(const char* key, std::string& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return report(slash(key), "a string is expected here");
    target = value->get<std::string>();
}

void ObjectReader::flag(const char* key, bool& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return report(slash(key), "true or false is expected here");
    target = value->get<bool>();
}

void ObjectReader::real(const char* key, double& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number()) return report(slash(key), "a number is expected here");
    target = value->get<double>();
}

void ObjectReader::count(const char* key, std::uint64_t& target, std::uint64_t limit) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > limit) {
        return report(slash(key), fmt::format("a whole number from 0 to {} is expected here", limit));
    }
    target = value->get<std::uint64_t>();
}

void ObjectReader::count(const char* key, int& target) {
    auto wide = static_cast<std::uint64_t>(target);
    count(key, wide, 1'000'000'000);
    target = static_cast<int>(wide);
}

void ObjectReader::size(const char* key, std::uint64_t& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (value->is_number_unsigned()) {
        target = value->get<std::uint64_t>();
        return;
    }
    if (!value->is_string()) return report(slash(key), "a size such as \"8Ki\" is expected here");
    const auto parsed = parse_size(value->get<std::string>());
    if (!parsed) return report(slash(key), parsed.error().message);
    target = *parsed;
}

void ObjectReader::word(const char* key, std::span<const std::string> words, std::size_t& target) {
    std::string given;
    text(key, given);
    if (given.empty() && !has(key)) return;
    const auto found = std::find(words.begin(), words.end(), given);
    if (found == words.end()) {
        return report(slash(key), fmt::format("unknown word '{}'{}; known: {}", given,
                                              did_you_mean(given, words), fmt::join(words, ", ")));
    }
    target = static_cast<std::size_t>(found - words.begin());
}

void ObjectReader::texts(const char* key, std::vector<std::string>& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    const auto is_text = [](const json& item) { return item.is_string(); };
    if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_text)) {
        return report(slash(key), "an array of strings is expected here");
    }
    target = value->get<std::vector<std::string>>();
}

void ObjectReader::report(const std::string& where, const std::string& message) {
    if (!error_) error_ = Error{ErrorCode::kBadInput, message, name_ + "#" + pointer_ + where, {}};
}

const json* ObjectReader::find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
}

}  // namespace fsadvise::tuner
