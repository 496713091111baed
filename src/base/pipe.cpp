#include "base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

#include "base/error.h"

namespace kbeval {

Pipe make_pipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) {
        throw infrastructure_error(std::string("no pipe: ") + std::strerror(errno));
    }
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

ssize_t write_to_pipe(int fd, std::string_view bytes) {
    sigset_t pipe_signal;
    sigset_t pending;
    sigset_t before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    const int failure = errno;
    if (written < 0 && failure == EPIPE && !was_pending) {
        const timespec at_once{};  // the signal is pending for this thread: take it before it is let through
        while (::sigtimedwait(&pipe_signal, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = failure;
    return written;
}

}  // namespace kbeval
