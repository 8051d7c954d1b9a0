#include "tuner/engine/io.h"

#include <cstdlib>
#include <cstring>

namespace fsadvise::tuner {

Io::Io(Ring& ring, bool alone) : ring_(ring) {
    const auto plain = [&](int opcode, bool rather_plain) { return rather_plain || !ring.supports(opcode); };
    const char* e = getenv("IOPOL");  // EXPERIMENT
    bool all_ring = e && strcmp(e, "ring") == 0, all_plain = e && strcmp(e, "plain") == 0,
         ringw = e && strcmp(e, "ringw") == 0;
    plain_direct_ = plain(IORING_OP_READ, all_plain) || !ring.supports(IORING_OP_WRITE);
    plain_read_ = plain(IORING_OP_READ, alone && !all_ring);
    plain_write_ = plain(IORING_OP_WRITE, !all_ring && !ringw);
    if (all_ring) alone = false;
    plain_sync_ = plain(IORING_OP_FSYNC, alone);
    plain_open_ = plain(IORING_OP_OPENAT, alone);
    plain_close_ = plain(IORING_OP_CLOSE, alone);
    plain_stat_ = plain(IORING_OP_STATX, alone);
    plain_unlink_ = plain(IORING_OP_UNLINKAT, alone);
    plain_rename_ = plain(IORING_OP_RENAMEAT, alone);
    plain_mkdir_ = plain(IORING_OP_MKDIRAT, alone);
    plain_allocate_ = plain(IORING_OP_FALLOCATE, alone);
}

}  // namespace fsadvise::tuner
