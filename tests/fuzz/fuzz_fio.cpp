// The first byte picks strict or lenient, the rest is the file.
#include "fuzz/fuzz_import.h"

FSADVISE_FUZZ_TARGET(fio) {
    fsadvise::fuzzing::import_as(text, fsadvise::tuner::ExchangeFormat::kFio);
}
