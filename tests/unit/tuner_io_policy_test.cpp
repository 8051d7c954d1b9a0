// Which operations go through the ring and which are plain calls: docs/adr/0006-plain-calls.md.
#include <doctest/doctest.h>

#include "tuner/engine/io.h"

#include "tuner_engine_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

constexpr bool kDirect = true, kBuffered = false, kForced = true;

// How an operation of `io` would be issued; nothing is.
bool plain_read(Io& io, bool direct) {
    return io.read(-1, nullptr, 0, 0, direct).plain;
}
bool plain_write(Io& io, bool direct, bool forced = false) {
    return io.write(-1, nullptr, 0, 0, direct, forced).plain;
}

}  // namespace

TEST_CASE("io: an actor alone writes and forces by plain calls, several overlap on the ring") {
    if (fsadvise::testing::no_ring_here()) return;
    const auto ring = Ring::create(4);
    REQUIRE(ring.has_value());
    Io alone(**ring, true), several(**ring, false);

    CHECK(plain_write(alone, kDirect));
    CHECK(plain_write(alone, kDirect, kForced));
    CHECK(plain_write(alone, kBuffered, kForced));
    CHECK(alone.sync(-1, true).plain);
    CHECK(plain_read(alone, kBuffered));
    CHECK_FALSE(plain_read(alone, kDirect));

    CHECK_FALSE(plain_write(several, kDirect));
    CHECK_FALSE(plain_write(several, kDirect, kForced));
    CHECK_FALSE(plain_write(several, kBuffered, kForced));
    CHECK_FALSE(several.sync(-1, true).plain);
    CHECK_FALSE(plain_read(several, kBuffered));
    CHECK_FALSE(plain_read(several, kDirect));

    CHECK(plain_write(alone, kBuffered));
    CHECK(plain_write(several, kBuffered));
}

TEST_CASE("io: without a ring every operation is a plain call") {
    const auto none = Ring::none();
    Io io(*none, false);
    CHECK(plain_write(io, kDirect));
    CHECK(plain_read(io, kDirect));
    CHECK(io.sync(-1, false).plain);
    CHECK(io.truncate(-1, 0).plain);
}
