#include "space/context.h"

#include "fuzz/fuzz_target.h"

FSADVISE_FUZZ_TARGET(expression) {
    const auto expression = fsadvise::Expression::parse(text);
    if (!expression) return;
    const fsadvise::Request request;
    (void)expression->evaluate(fsadvise::Context(fsadvise::fuzzing::knowledge(), request));
}
