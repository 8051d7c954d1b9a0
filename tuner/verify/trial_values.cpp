#include "tuner/verify/trial_values.h"

#include <algorithm>
#include <cctype>

#include "base/units.h"
#include "space/parameter_value.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kMostValues = 24;

class ValueList {
  public:
    explicit ValueList(const Parameter& parameter) : parameter_(parameter) {}

    void add(const Value& raw) {
        const auto value = coerce(parameter_, raw);
        if (!value || values_.size() >= kMostValues || !can_be_written(parameter_, *value)) return;
        const auto same = [&](const Value& other) { return equal(other, *value); };
        if (std::none_of(values_.begin(), values_.end(), same)) values_.push_back(*value);
    }
    // A bound, the next value inside and the next one outside.
    void add_bound(const Value& bound, bool low) {
        const auto* whole = std::get_if<std::int64_t>(&bound);
        if (whole == nullptr) {
            add(bound);
            return;
        }
        add(*whole);
        if (low && !parameter_.domain.power_of_two && parameter_.type == ValueType::kSize) add(*whole * 3);
        const bool doubles = parameter_.domain.power_of_two && *whole > 1;
        const std::int64_t outside =
            low ? (doubles ? *whole / 2 : *whole - 1) : (doubles ? *whole * 2 : *whole + 1);
        if (*whole != 0) add(outside);  // "-1" is another option to most parsers, not a number
        add(low ? (doubles ? *whole * 2 : *whole + 1) : (doubles ? *whole / 2 : *whole - 1));
        if (doubles) add(*whole + 1);
    }
    std::vector<Value> take() { return std::move(values_); }

  private:
    const Parameter& parameter_;
    std::vector<Value> values_;
};

}  // namespace

bool can_be_written(const Parameter& parameter, const Value& value) {
    // A word that ends in # or * is a pattern for reading and nothing that a mount understands.
    const auto words = parameter.spelling.words.find(to_text(value));
    if (words != parameter.spelling.words.end() && !words->second.empty()) {
        const std::string& first = words->second.front();
        if (first.ends_with('#') || first.ends_with('*')) return false;
    }
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole == nullptr || parameter.spelling.unit_bytes <= 1 ||
           *whole % parameter.spelling.unit_bytes == 0;
}

std::vector<Value> literals_of(const Expression& expression) {
    std::vector<Value> found;
    const std::string& text = expression.text();
    for (std::size_t i = 0; i < text.size();) {
        const auto is = [&](int (*kind)(int)) { return kind(static_cast<unsigned char>(text[i])) != 0; };
        if (text[i] == '\'') {
            const auto end = text.find('\'', i + 1);
            if (end == std::string::npos) break;
            found.emplace_back(text.substr(i + 1, end - i - 1));
            i = end + 1;
        } else if (is(std::isdigit)) {
            const auto start = i;
            while (i < text.size() && (is(std::isalnum) || text[i] == '.')) ++i;
            const std::string word = text.substr(start, i - start);
            if (const auto size = parse_size(word)) found.emplace_back(static_cast<std::int64_t>(*size));
        } else if (is(std::isalpha) || text[i] == '_') {
            const auto start = i;
            while (i < text.size() && (is(std::isalnum) || text[i] == '.' || text[i] == '_')) ++i;
            const std::string word = text.substr(start, i - start);
            if (word == "true" || word == "false") found.emplace_back(word == "true");
        } else {
            ++i;
        }
    }
    return found;
}

std::vector<Value> trial_values(const Context& context, const Parameter& parameter) {
    ValueList list(parameter);
    const Domain& domain = parameter.domain;
    if (parameter.type == ValueType::kBool) {
        list.add(true);
        list.add(false);
    }
    for (const Value& value : domain.values) list.add(value);
    for (const Value& value : domain.special) list.add(value);
    for (const Expression& candidate : parameter.search) {
        if (const auto value = candidate.evaluate(context)) list.add(*value);
    }
    for (const bool low : {true, false}) {
        const auto& bound = low ? domain.minimum : domain.maximum;
        const auto value = bound ? bound->evaluate(context) : std::nullopt;
        if (value) list.add_bound(*value, low);
    }
    if (parameter.type == ValueType::kText) {
        for (const auto& [value, words] : parameter.spelling.words) list.add(value);
    }
    auto values = list.take();
    const auto usual = default_value(parameter, context);
    std::erase_if(values, [&](const Value& value) { return usual && equal(*usual, value); });
    return values;
}

}  // namespace fsadvise::tuner
