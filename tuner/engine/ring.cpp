#include "tuner/engine/ring.h"

#include <array>
#include <cerrno>

#include <poll.h>

namespace fsadvise::tuner {
namespace {

// From the cheapest completion path to the plain one; kernels before 6.1, 6.0 and 5.19 refuse the newer
// flags.
constexpr std::array<unsigned, 4> kSetupFlags = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN,
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN, IORING_SETUP_COOP_TASKRUN, 0};

std::string hint_for(int error) {
    if (error == EPERM)
        return "allow it with: sysctl kernel.io_uring_disabled=0, or in the container's seccomp profile";
    if (error == ENOSYS)
        return "the kernel is built without io_uring; Linux 5.6 or newer with CONFIG_IO_URING is needed";
    if (error == ENOMEM) return "raise the locked-memory limit: ulimit -l";
    return {};
}

}  // namespace

Result<std::unique_ptr<Ring>> Ring::create(unsigned entries) {
    std::unique_ptr<Ring> ring(new Ring());
    int result = -EINVAL;
    for (const unsigned flags : kSetupFlags) {
        result = io_uring_queue_init(entries, &ring->ring_, flags);
        if (result != -EINVAL) break;
    }
    if (result < 0) {
        return fail(ErrorCode::kUnavailable, "io_uring cannot be used: " + errno_text(-result), {},
                    hint_for(-result));
    }
    ring->open_ = true;
    ring->probe_ = io_uring_get_probe_ring(&ring->ring_);
    return ring;
}

Ring::~Ring() {
    if (probe_ != nullptr) io_uring_free_probe(probe_);
    if (open_) io_uring_queue_exit(&ring_);
}

bool Ring::supports(int opcode) const {
    return probe_ != nullptr && io_uring_opcode_supported(probe_, opcode) != 0;
}

void Ring::watch(int fd, Operation& operation) {
    io_uring_sqe* sqe = next_sqe();
    io_uring_prep_poll_add(sqe, fd, POLLIN);
    io_uring_sqe_set_data(sqe, &operation);
    ++in_flight_;
}

io_uring_sqe* Ring::next_sqe() {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
    while (sqe == nullptr) {
        io_uring_submit(&ring_);
        sqe = io_uring_get_sqe(&ring_);
    }
    return sqe;
}

int Ring::run_once(std::int64_t timeout_ns) {
    io_uring_cqe* first = nullptr;
    int result = 0;
    if (timeout_ns < 0) {
        result = io_uring_submit_and_wait(&ring_, 1);
    } else {
        __kernel_timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
        result = io_uring_submit_and_wait_timeout(&ring_, &first, 1, &timeout, nullptr);
    }
    if (result < 0 && result != -ETIME && result != -EINTR && result != -EBUSY) return result;
    // A waiter may queue the next operation but not run the ring, so this batch ends with what is there now.
    int completions = 0;
    std::array<io_uring_cqe*, 64> batch;
    for (;;) {
        const unsigned count = io_uring_peek_batch_cqe(&ring_, batch.data(), batch.size());
        if (count == 0) break;
        std::array<Operation*, 64> done;
        for (unsigned i = 0; i < count; ++i) {
            done[i] = static_cast<Operation*>(io_uring_cqe_get_data(batch[i]));
            done[i]->result = batch[i]->res;
        }
        io_uring_cq_advance(&ring_, count);
        in_flight_ -= count;
        for (unsigned i = 0; i < count; ++i) {
            if (done[i]->waiter) done[i]->waiter.resume();
        }
        completions += static_cast<int>(count);
        if (count < batch.size()) break;
    }
    return completions;
}

}  // namespace fsadvise::tuner
