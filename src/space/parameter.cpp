#include "space/parameter.h"

namespace fsadvise {

std::string to_text(Layer layer) {
    switch (layer) {
        case Layer::kMkfs:
            return "mkfs";
        case Layer::kMount:
            return "mount";
        case Layer::kBlock:
            return "block";
    }
    return {};
}

std::string to_text(ValueType type) {
    switch (type) {
        case ValueType::kBool:
            return "bool";
        case ValueType::kInteger:
            return "integer";
        case ValueType::kSize:
            return "size";
        case ValueType::kReal:
            return "real";
        case ValueType::kEnum:
            return "enum";
        case ValueType::kText:
            return "text";
    }
    return {};
}

}  // namespace fsadvise
