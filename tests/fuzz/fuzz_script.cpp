#include "fuzz/fuzz_target.h"

FSADVISE_FUZZ_TARGET(script) {
    fsadvise::fuzzing::lint_as(text, "script.sh");
}
