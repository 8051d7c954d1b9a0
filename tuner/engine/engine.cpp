#include "tuner/engine/engine.h"

#include "tuner/engine/ring.h"

namespace fsadvise::tuner {

Result<void> probe_engine() {
    FSADVISE_TRY(Ring::create(4));
    return {};
}

}  // namespace fsadvise::tuner
