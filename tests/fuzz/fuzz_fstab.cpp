#include "fuzz/fuzz_target.h"

FSADVISE_FUZZ_TARGET(fstab) {
    fsadvise::fuzzing::lint_as(text, "fstab");
}
