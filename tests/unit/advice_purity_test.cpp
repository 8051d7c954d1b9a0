// advise() runs no command, opens no file and writes nothing: a child in which every such system call kills
// proves it.
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advice/advise.h"
#include "advice/lint.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

// Memory and exit only. False if this kernel or build cannot do it.
bool forbid_everything_but_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;  // the sanitizers make system calls of their own
#else
    constexpr unsigned kAllowed[] = {SYS_brk,       SYS_mmap,         SYS_munmap, SYS_mremap,
                                     SYS_madvise,   SYS_mprotect,     SYS_futex,  SYS_exit_group,
                                     SYS_getrandom, SYS_clock_gettime};
    std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const auto number : kAllowed) {
        program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
#endif
}

constexpr int kNoFilter = 77;

// Exit status of the action in the child; -1 if a forbidden system call ended it.
template <class Action>
int confined(const Action& action) {
    const pid_t child = fork();
    if (child == 0) {
        if (!forbid_everything_but_memory()) _exit(kNoFilter);
        _exit(action() ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("advise and lint are pure") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    if (!knowledge) FAIL(to_text(knowledge.error()));
    const auto network = RuleNetwork::build(*knowledge);
    if (!network) FAIL(to_text(network.error()));
    Request request;
    request.workload = "postgres";
    request.host.device.emplace().path = "/dev/null";

    const int opened = confined([] { return access("/", F_OK) == 0; });
    if (opened == kNoFilter) {
        MESSAGE("SKIPPED: no system call filter here");
        return;
    }
    REQUIRE(opened == -1);  // the filter does kill
    CHECK(confined([&] { return advise(*knowledge, *network, request).has_value(); }) == 0);
    CHECK(confined([&] {
              const auto script = lint(*knowledge, {}, "mkfs.xfs /dev/vdb1\nmount /dev/vdb1 /a\n", "a.sh");
              return script.has_value() && script->pairs.size() == 1;
          }) == 0);
}
