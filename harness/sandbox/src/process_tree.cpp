#include "process_tree.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "capabilities.h"
#include "descriptors.h"
#include "error.h"
#include "freezer.h"
#include "identity.h"
#include "resource_limits.h"

namespace kbeval::sandbox {
namespace {

/// Handlers of the caller (Python's) mean nothing in the supervisor and init.
void reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
        ::signal(signal, SIG_DFL);  // refused for SIGKILL and SIGSTOP
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<int> sorted(std::vector<int> fds) {
    std::sort(fds.begin(), fds.end());
    return fds;
}

/// Waits for one child; returns its wait status, or -1 where there is none.
int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}

[[noreturn]] void end_like(int status) {
    if (status >= 0 && WIFEXITED(status)) {
        ::_exit(WEXITSTATUS(status));
    }
    if (status >= 0 && WIFSIGNALED(status)) {
        ::raise(WTERMSIG(status));
        ::_exit(128 + WTERMSIG(status));
    }
    ::_exit(255);
}

/// `status_pipe` carries the runner's wait status: init itself, as PID 1, can't end by most signals.
[[noreturn]] void supervise(pid_t init, const Caller& caller, Pipe& status_pipe, const Pipe& alive,
                            Cgroup& cgroup, const std::vector<int>& cgroup_fds) {
    status_pipe.write_end.reset();
    std::vector<int> keep = cgroup_fds;
    keep.push_back(status_pipe.read_end.get());
    keep.push_back(alive.write_end.get());
    close_all_except(sorted(keep));
    reset_signals();
    // The signal that init gets when this process dies is sent with this process's rights.
    set_capabilities(caller.privileged ? 1ULL << CAP_KILL : 0);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    const int init_status = wait_for(init);
    int status = 0;
    if (::read(status_pipe.read_end.get(), &status, sizeof(status)) != sizeof(status)) {
        status = init_status;  // init was killed from outside
    }
    cgroup.remove();
    end_like(status);
}

/// Arranges to die with the parent, and finds out whether it is dead already.
void die_with_parent(const Pipe& alive) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    pollfd entry{alive.read_end.get(), 0, 0};
    if (::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0) {
        ::_exit(255);
    }
}

/// What init needs of what it shares with the two others.
struct InitLinks {
    Pipe& status;       ///< carries the runner's wait status to the supervisor
    Pipe& alive;        ///< closed at the other end when the supervisor is dead
    Pipe& ready;        ///< closed by init when it has given up its rights
    UniqueFd children;  ///< init's own list of children in /proc; none where the kernel clears up by itself
    int control = -1;   ///< socket with orders of the host; -1: none, or no PID namespace to freeze
};

/// Without a PID namespace the kernel does not clear up. Orphans become init's children, as it is a
/// subreaper.
void kill_children(int list) {
    constexpr int kMaxRounds = 1000;
    for (int round = 0; round < kMaxRounds; ++round) {
        std::array<char, 65536> text{};
        const auto length = ::pread(list, text.data(), text.size(), 0);
        std::istringstream pids(
            std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))));
        bool any = false;
        for (pid_t child = 0; pids >> child;) {
            any = true;
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
        if (!any) {
            return;
        }
    }
}

/// Reaps what has ended. Ends init once the runner has.
void reap(pid_t runner, const InitLinks& links, int flags) {
    while (true) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, flags);
        if (ended == runner) {
            const auto written = ::write(links.status.write_end.get(), &status, sizeof(status));
            if (links.children.valid()) {
                kill_children(links.children.get());
            }
            ::_exit(written == sizeof(status) ? 0 : 255);
        }
        if (ended < 0 && errno != EINTR) {
            ::_exit(255);  // no child is left, and the runner was one
        }
        if (ended == 0) {
            return;
        }
    }
}

/// Waits for both, the ends of children and the host's orders. Returns when the host has closed its end.
void obey(pid_t runner, const InitLinks& links) {
    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &ends, nullptr);
    const UniqueFd signals(::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
    bool open = true;
    while (open && signals.valid()) {
        reap(runner, links, WNOHANG);
        std::array<pollfd, 2> polls{{{signals.get(), POLLIN, 0}, {links.control, POLLIN, 0}}};
        if (::poll(polls.data(), polls.size(), -1) < 0) {
            continue;
        }
        signalfd_siginfo seen{};
        while (::read(signals.get(), &seen, sizeof(seen)) > 0) {
        }
        open = polls[1].revents == 0 || answer_order(links.control);
    }
}

[[noreturn]] void run_init(pid_t runner, const Config& config, const Caller& caller, InitLinks& links) {
    std::vector<int> keep = {links.status.write_end.get(), links.alive.read_end.get(),
                             links.ready.write_end.get()};
    if (links.children.valid()) {
        keep.push_back(links.children.get());
    }
    if (links.control >= 0) {
        keep.push_back(links.control);
    }
    close_all_except(sorted(keep));
    reset_signals();
    forbid_core_dumps();
    drop_init_identity(config, caller);
    die_with_parent(links.alive);  // again: the kernel forgets it when the identity changes
    links.ready.write_end.reset();
    if (links.control >= 0) {
        obey(runner, links);
    }
    while (true) {
        reap(runner, links, 0);
    }
}

/// Blocks the runner until init has given up its rights.
void wait_until_ready(Pipe& ready) {
    ready.write_end.reset();
    char byte = 0;
    while (::read(ready.read_end.get(), &byte, 1) < 0 && errno == EINTR) {
    }
}

/// The supervisor must not outlive the host that forked it.
void die_with_caller(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent) {
        ::_exit(255);
    }
}

}  // namespace

void split_processes(const Config& config, const Caller& caller, Cgroup& cgroup, Report& report) {
    Pipe status_pipe = make_pipe();
    Pipe alive = make_pipe();
    const pid_t parent = ::getppid();
    // _Fork runs no handlers that libraries registered: the caller has just been forked with them, has one
    // thread, and the two processes that stay behind use none of those libraries.
    const pid_t init = ::_Fork();
    if (init < 0) {
        throw_errno("forking the init process");
    }
    if (init > 0) {
        die_with_caller(parent);
        forbid_core_dumps();
        supervise(init, caller, status_pipe, alive, cgroup, cgroup.removal_descriptors());
    }
    cgroup.disown();
    alive.write_end.reset();
    die_with_parent(alive);
    cgroup.join(report);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    Pipe ready = make_pipe();
    InitLinks links{status_pipe, alive, ready, {}, -1};
    if (report.has("pid_ns")) {
        links.control = config.control_fd.value_or(-1);
    } else {  // opened now, as the runner is about to change what /proc is
        links.children = UniqueFd(::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
    }
    const pid_t runner = ::_Fork();
    if (runner < 0) {
        throw_errno("forking the runner");
    }
    if (runner > 0) {
        run_init(runner, config, caller, links);
    }
    if (!report.has("pid_ns")) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    }
    wait_until_ready(ready);
}

}  // namespace kbeval::sandbox
