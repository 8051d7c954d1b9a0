// Text of one value <-> Value, by the type of its parameter; shared by the spellers, the parsers and the
// read-back.
//
// Units: Values of type size are bytes; a written number counts Spelling::unit_bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "space/parameter.h"

namespace fsadvise {

// Inverse of to_text(Value) for this parameter: the keys of `words`, `map` and `durability` in the knowledge.
std::optional<Value> value_of_text(const Parameter& parameter, std::string_view text);

// Brings a value to the parameter's own kind (4.0 -> 4 for a count, 1 -> 1.0 for a real); nullopt if it does
// not fit.
std::optional<Value> coerce(const Parameter& parameter, const Value& value);

// What the suffixes 's' and 'b' of mkfs.xfs stand for; 0 = these suffixes are not accepted.
struct SuffixUnits {
    std::int64_t sector_bytes = 0, block_bytes = 0;
};

struct WrittenValue {
    std::optional<Value> value;  // empty = malformed
    std::string note;            // why
};
// A value as people write it in a command: "64k", "0x10", "zstd".
WrittenValue read_written(const Parameter& parameter, std::string_view text, SuffixUnits units = {});

// The number or word that follows a flag or key; "" if the value is of the wrong kind.
std::string write_value(const Parameter& parameter, const Value& value);

}  // namespace fsadvise
