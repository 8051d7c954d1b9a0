#include "space/constraint.h"

namespace fsadvise {

std::string to_text(ConstraintScope scope) {
    switch (scope) {
        case ConstraintScope::kSelf:
            return "self";
        case ConstraintScope::kCrossParameter:
            return "cross-parameter";
        case ConstraintScope::kCrossComponent:
            return "cross-component";
    }
    return {};
}

std::string to_text(Effect effect) {
    switch (effect) {
        case Effect::kMkfsRefuses:
            return "mkfs-refuses";
        case Effect::kMountRefuses:
            return "mount-refuses";
        case Effect::kSilent:
            return "silent";
        case Effect::kNoEffect:
            return "no-effect";
        case Effect::kUnsafe:
            return "unsafe";
        case Effect::kUnwise:
            return "unwise";
    }
    return {};
}

}  // namespace fsadvise
