#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"
#include "base/pipe.h"

extern char** environ;

namespace kbeval {

namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> out;
    out.reserve(strings.size() + 1);
    for (std::string& s : strings) {
        out.push_back(s.data());
    }
    out.push_back(nullptr);
    return out;
}

std::vector<std::string> assignments(const std::map<std::string, std::string>& environment) {
    std::vector<std::string> pairs;
    pairs.reserve(environment.size());
    for (const auto& [name, value] : environment) {
        std::string pair = name;
        pair += '=';
        pair += value;
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

/// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(std::vector<char*>& argv, char** environment, int parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(127);
    }
    ::signal(SIGPIPE, SIG_DFL);
    ::execve(argv[0], argv.data(), environment);
    ::_exit(127);
}

/// Moves input and output until the child has closed its ends or the deadline has passed.
class Exchange {
  public:
    Exchange(UniqueFd in, UniqueFd out, UniqueFd err, std::string_view input, std::size_t limit)
        : in_(std::move(in)), out_(std::move(out)), err_(std::move(err)), input_(input), limit_(limit) {
        ::fcntl(in_.get(), F_SETFL, O_NONBLOCK);
        close_finished_input();
    }

    /// False when the deadline passed first.
    bool run(SteadyClock::time_point deadline, ProcessResult& result) {
        while (out_.valid() || err_.valid()) {
            const double left = Seconds(deadline - SteadyClock::now()).count();
            if (left <= 0) {
                return false;
            }
            std::array<pollfd, 3> polls{pollfd{in_.get(), POLLOUT, 0}, pollfd{out_.get(), POLLIN, 0},
                                        pollfd{err_.get(), POLLIN, 0}};
            ::poll(polls.data(), polls.size(), static_cast<int>(std::min(left * 1000 + 1, 1000.0)));
            if (polls[0].revents != 0) {
                write_some();
            }
            if (polls[1].revents != 0) {
                read_some(out_, result.output);
            }
            if (polls[2].revents != 0) {
                read_some(err_, result.error_output);
            }
        }
        return true;
    }

  private:
    void close_finished_input() {
        if (input_.empty()) {
            in_.reset();
        }
    }
    void write_some() {
        const ssize_t n = write_to_pipe(in_.get(), input_);
        if (n >= 0) {
            input_.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno != EAGAIN && errno != EINTR) {
            input_ = {};
        }
        close_finished_input();
    }
    void read_some(UniqueFd& fd, std::string& into) const {
        std::array<char, 65536> buffer{};
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n > 0) {
            const std::size_t room = limit_ - std::min(limit_, into.size());
            into.append(buffer.data(), std::min(static_cast<std::size_t>(n), room));
        } else if (n == 0 || errno != EINTR) {
            fd.reset();
        }
    }

    UniqueFd in_;
    UniqueFd out_;
    UniqueFd err_;
    std::string_view input_;
    std::size_t limit_;
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, std::string_view input,
                          const ProcessLimits& limits) {
    Pipe in = make_pipe();
    Pipe out = make_pipe();
    Pipe err = make_pipe();
    std::vector<std::string> copy = arguments;
    std::vector<char*> argv = pointers(copy);
    std::vector<std::string> pairs = assignments(limits.environment);
    std::vector<char*> variables = pointers(pairs);
    const int parent = ::getpid();
    const int pid = ::fork();
    if (pid < 0) {
        throw infrastructure_error(arguments.front() + ": cannot be started: " + std::strerror(errno));
    }
    if (pid == 0) {
        ::dup2(in.read.get(), 0);
        ::dup2(out.write.get(), 1);
        ::dup2(err.write.get(), 2);
        become(argv, limits.environment.empty() ? environ : variables.data(), parent);
    }
    in.read.reset();
    out.write.reset();
    err.write.reset();
    ProcessResult result;
    const auto deadline =
        SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(Seconds(limits.seconds));
    Exchange exchange(std::move(in.write), std::move(out.read), std::move(err.read), input,
                      limits.output_bytes);
    result.timed_out = !exchange.run(deadline, result);
    if (result.timed_out) {
        ::kill(-pid, SIGKILL);
        ::kill(pid, SIGKILL);
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (result.exit_code == 127 && result.output.empty() && result.error_output.empty()) {
        throw infrastructure_error(arguments.front() + ": cannot be started");
    }
    return result;
}

std::map<std::string, std::string> current_environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return variables;
}

int start_process(const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string>& environment, const std::vector<int>& keep,
                  int log) {
    std::vector<std::string> copy = arguments;
    std::vector<char*> argv = pointers(copy);
    std::vector<std::string> pairs = assignments(environment);
    std::vector<char*> variables = pointers(pairs);
    const int parent = ::getpid();
    const int pid = ::fork();
    if (pid < 0) {
        throw infrastructure_error(arguments.front() + ": cannot be started: " + std::strerror(errno));
    }
    if (pid == 0) {
        const int null = ::open("/dev/null", O_RDONLY);
        ::dup2(null, 0);
        ::dup2(log, 1);
        ::dup2(log, 2);
        for (const int fd : keep) {
            ::fcntl(fd, F_SETFD, 0);
        }
        become(argv, variables.data(), parent);
    }
    return pid;
}

}  // namespace kbeval
