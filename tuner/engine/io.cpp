#include "tuner/engine/io.h"

namespace fsadvise::tuner {

Io::Io(Ring& ring, bool alone) : ring_(ring) {
    const auto plain = [&](int opcode, bool rather_plain) { return rather_plain || !ring.supports(opcode); };
    plain_direct_read_ = plain(IORING_OP_READ, false);
    plain_direct_write_ = plain(IORING_OP_WRITE, alone);
    plain_read_ = plain(IORING_OP_READ, alone);
    plain_write_ = true;
    plain_forced_ = plain(IORING_OP_WRITE, alone);
    plain_sync_ = plain(IORING_OP_FSYNC, alone);
    plain_open_ = plain(IORING_OP_OPENAT, alone);
    plain_close_ = plain(IORING_OP_CLOSE, alone);
    plain_stat_ = plain(IORING_OP_STATX, alone);
    plain_unlink_ = plain(IORING_OP_UNLINKAT, alone);
    plain_rename_ = plain(IORING_OP_RENAMEAT, alone);
    plain_mkdir_ = plain(IORING_OP_MKDIRAT, alone);
    plain_link_ = plain(IORING_OP_LINKAT, alone);
    plain_symlink_ = plain(IORING_OP_SYMLINKAT, alone);
    plain_truncate_ = plain(kOpFtruncate, alone);
    plain_allocate_ = plain(IORING_OP_FALLOCATE, alone);
}

}  // namespace fsadvise::tuner
