#include "runner/host.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"
#include "base/subprocess.h"
#include "runner/runner.h"

namespace kbeval {

namespace {

constexpr std::size_t max_host_frame = 64U << 20U;

/// Appends what can be read without blocking; closes the descriptor at its end.
void drain(UniqueFd& fd, LogTail& log) {
    std::array<char, 65536> data{};
    const ssize_t n = ::read(fd.get(), data.data(), data.size());
    if (n > 0) {
        log.append({data.data(), static_cast<std::size_t>(n)});
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        fd.reset();
    }
}

}  // namespace

Host::Host(const HostOptions& options) {
    SocketPair pair = make_socket_pair();
    std::array<int, 2> log{};
    if (::pipe2(log.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throw infrastructure_error(std::string("no pipe: ") + std::strerror(errno));
    }
    log_pipe_ = UniqueFd(log[0]);
    const UniqueFd log_write(log[1]);
    ::fcntl(log_write.get(), F_SETFL, 0);
    auto environment = options.environment;
    environment["PYTHONPATH"] = options.harness.string();
    const int fd = pair.theirs.get();
    pid_ = start_process({options.python.string(), "-s", "-m", "kbeval_harness.host", std::to_string(fd)},
                         environment, {fd}, log_write.get());
    pair.theirs.reset();
    channel_ = std::make_unique<Channel>(std::move(pair.ours), max_host_frame);
    await_hello(options.start_seconds);
}

Host::~Host() {
    channel_->close();  // the host kills its runners and ends when its channel closes
    const auto start = SteadyClock::now();
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
        if (seconds_since(start) > 5) {
            ::kill(pid_, SIGKILL);
        }
        pollfd nothing{-1, 0, 0};
        ::poll(&nothing, 1, 5);
    }
}

void Host::await_hello(double seconds) {
    const auto start = SteadyClock::now();
    while (!greeted_) {
        if (!channel_->open() || seconds_since(start) > seconds) {
            ::kill(pid_, SIGKILL);
            pump(0.1);
            const std::string why = channel_->open() ? "did not start in time" : "ended while starting";
            throw infrastructure_error("the runner host " + why + "; it printed:\n" + log_.text(),
                                       "run `kbeval doctor`");
        }
        pump(0.5);
    }
    spans_.push_back({"host", "start", start, SteadyClock::now()});
}

void Host::send(const nlohmann::json& message, const std::vector<int>& fds) {
    try {
        channel_->send(message, fds);
    } catch (const ChannelError& error) {
        throw infrastructure_error(std::string("the runner host is gone: ") + error.what() + "\n" +
                                   log_.text());
    }
}

void Host::pump(double seconds) {
    std::vector<pollfd> polls{{channel_->open() ? channel_->fd() : -1, POLLIN, 0},
                              {log_pipe_.get(), POLLIN, 0}};
    std::vector<Runner*> order;
    for (const auto& [number, runner] : runners_) {
        order.push_back(runner);
        polls.push_back({runner->channel_fd(), POLLIN, 0});
        polls.push_back({runner->log_fd(), POLLIN, 0});
    }
    if (::poll(polls.data(), polls.size(), static_cast<int>(seconds * 1000)) <= 0) {
        return;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (polls[2 + 2 * i].revents != 0) {
            order[i]->on_channel_ready();
        }
        if (polls[3 + 2 * i].revents != 0) {
            drain(order[i]->log_pipe_, order[i]->log_);
        }
    }
    if (polls[1].revents != 0) {
        drain(log_pipe_, log_);
    }
    if (polls[0].revents != 0) {
        channel_->read_available();
        while (channel_->has_message()) {
            handle(channel_->take().body);
        }
    }
}

void Host::handle(const nlohmann::json& message) {
    const std::string type = message.value("type", "");
    if (type == protocol::Hello::type) {
        const auto hello = message.get<protocol::Hello>();
        if (hello.protocol != protocol::version) {
            throw infrastructure_error("the harness speaks protocol " + std::to_string(hello.protocol) +
                                       ", this kbeval speaks " + std::to_string(protocol::version));
        }
        versions_ = hello.versions.get<std::map<std::string, std::string>>();
        greeted_ = true;
    } else if (type == protocol::Frozen::type) {
        const auto frozen = message.get<protocol::Frozen>();
        const auto found = runners_.find(static_cast<int>(frozen.runner));
        if (found != runners_.end()) {
            found->second->on_frozen(frozen.ok);
        }
    } else if (type == protocol::Exited::type) {
        const auto exited = message.get<protocol::Exited>();
        const auto found = runners_.find(static_cast<int>(exited.runner));
        if (found != runners_.end()) {
            found->second->on_exit(static_cast<int>(exited.code), static_cast<int>(exited.signal));
        }
    }
}

int Host::enroll(Runner& runner) {
    const int number = next_number_++;
    runners_[number] = &runner;
    return number;
}

void Host::withdraw(int number) {
    runners_.erase(number);
}

}  // namespace kbeval
