#include "agent/exec_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/pipe.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

constexpr std::size_t kept_error_bytes = 4096;
constexpr std::size_t shown_bytes = 200;
constexpr double grace_seconds = 2;

std::string shown(const std::string& text) {
    return terminal_line(text.substr(0, shown_bytes)) + (text.size() > shown_bytes ? "..." : "");
}

std::optional<std::int64_t> tokens(const nlohmann::json& answer, const char* name) {
    if (!answer.contains(name) || answer[name].is_null()) {
        return std::nullopt;
    }
    if (!answer[name].is_number_unsigned() || answer[name].get<std::uint64_t>() > (std::uint64_t{1} << 40U)) {
        throw AgentFailure(std::string("\"") + name + "\" of its answer is no count of tokens");
    }
    return answer[name].get<std::int64_t>();
}

}  // namespace

/// The running program and its three pipes.
class ExecAgent::Child {
  public:
    explicit Child(const std::string& command) {
        Pipe in = make_pipe();
        Pipe out = make_pipe();
        Pipe err = make_pipe();
        const int parent = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0) {
            throw infrastructure_error(std::string("the agent can't be started: ") + std::strerror(errno));
        }
        if (pid_ == 0) {
            become(command, in.read.get(), out.write.get(), err.write.get(), parent);
        }
        in_ = std::move(in.write);
        out_ = std::move(out.read);
        err_ = std::move(err.read);
        for (const int fd : {in_.get(), out_.get(), err_.get()}) {
            ::fcntl(fd, F_SETFL, O_NONBLOCK);
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    ~Child() {
        in_.reset();
        const auto start = SteadyClock::now();
        bool gone = reap(WNOHANG);
        while (!gone && seconds_since(start) < grace_seconds) {
            drain(20);
            gone = reap(WNOHANG);
        }
        ::kill(-pid_, SIGKILL);  // what it started, too
        if (!gone) {
            reap(0);
        }
    }

    /// Writes a line and returns the next line of its output.
    std::string exchange(const std::string& line, double seconds) {
        const std::string sent = line + "\n";
        std::string_view left(sent);
        const auto start = SteadyClock::now();
        for (;;) {
            const std::size_t end = output_.find('\n');
            if (end != std::string::npos) {
                std::string answer = output_.substr(0, end);
                output_.erase(0, end + 1);
                return answer;
            }
            require_alive(seconds, start);
            step(left);
        }
    }

    [[nodiscard]] std::string last_errors() const {
        return errors_.empty() ? "" : "; its last output on standard error: " + terminal_text(errors_);
    }

  private:
    [[noreturn]] static void become(const std::string& command, int in, int out, int err, int parent) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(127);
        }
        ::dup2(in, 0);
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::signal(SIGPIPE, SIG_DFL);
        ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
        ::_exit(127);
    }

    void require_alive(double seconds, SteadyClock::time_point start) const {
        if (!out_.valid()) {
            throw AgentFailure("it ended, or closed its standard output, without an answer");
        }
        if (output_.size() > 2 * max_reply_bytes) {
            throw AgentFailure("its answer is longer than " + std::to_string(2 * max_reply_bytes >> 20U) +
                               " MiB");
        }
        if (seconds_since(start) > seconds) {
            throw AgentFailure("it gave no answer within " + compact(seconds) + " s");
        }
    }

    void step(std::string_view& left) {
        std::array<pollfd, 3> polls{pollfd{left.empty() ? -1 : in_.get(), POLLOUT, 0},
                                    pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0}};
        ::poll(polls.data(), polls.size(), 100);
        if (polls[0].revents != 0) {
            const ssize_t n = write_to_pipe(in_.get(), left);
            if (n > 0) {
                left.remove_prefix(static_cast<std::size_t>(n));
            } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
                left = {};  // it does not read; whether it answers all the same is seen at its output
            }
        }
        if (polls[1].revents != 0) {
            read_some(out_, output_);
        }
        if (polls[2].revents != 0) {
            read_some(err_, errors_);
            errors_.erase(0, errors_.size() - std::min(errors_.size(), kept_error_bytes));
        }
    }

    void drain(int milliseconds) {
        std::string_view nothing;
        std::array<pollfd, 2> polls{pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0}};
        ::poll(polls.data(), polls.size(), milliseconds);
        if (polls[0].revents != 0 || polls[1].revents != 0) {
            step(nothing);
            output_.clear();
        } else {
            ::poll(nullptr, 0, out_.valid() ? 0 : milliseconds);
        }
    }

    static void read_some(UniqueFd& fd, std::string& into) {
        std::array<char, 65536> buffer{};
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n > 0) {
            into.append(buffer.data(), static_cast<std::size_t>(n));
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            fd.reset();
        }
    }

    bool reap(int options) const {
        int status = 0;
        const int got = ::waitpid(pid_, &status, options);
        return got == pid_ || (got < 0 && errno == ECHILD);
    }

    int pid_ = -1;
    UniqueFd in_;
    UniqueFd out_;
    UniqueFd err_;
    std::string output_;
    std::string errors_;
};

ExecAgent::ExecAgent(std::string command, double seconds) : command_(std::move(command)), seconds_(seconds) {}

ExecAgent::~ExecAgent() = default;

AgentReply ExecAgent::reply(const AgentRequest& request) {
    if (!child_) {
        child_ = std::make_unique<Child>(command_);
    }
    try {
        return parse_exec_reply(child_->exchange(exec_request_line(request), seconds_));
    } catch (const AgentFailure& failure) {
        const std::string said = child_->last_errors();
        child_.reset();  // another try starts afresh: the messages hold all that it needs
        throw AgentFailure("agent `" + shown(command_) + "`: " + failure.what() + said);
    }
}

std::string exec_request_line(const AgentRequest& request) {
    nlohmann::ordered_json messages = nlohmann::ordered_json::array();
    for (const ChatMessage& message : request.messages) {
        messages.push_back({{"role", message.role == ChatMessage::Role::user ? "user" : "assistant"},
                            {"content", message.text}});
    }
    const nlohmann::ordered_json line{
        {"version", 1},
        {"episode", request.episode},
        {"problem", request.problem},
        {"arm", request.arm},
        {"reader", request.reader},
        {"repeat", request.repeat},
        {"turn", request.turn},
        {"turns", request.turns},
        {"prompt", request.messages.empty() ? "" : request.messages.back().text},
        {"messages", messages}};
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

AgentReply parse_exec_reply(const std::string& line) {
    const nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
    if (!answer.is_object() || !answer.contains("reply") || !answer["reply"].is_string()) {
        throw AgentFailure("its answer is no JSON object with a text \"reply\" on one line, but: " +
                           shown(line));
    }
    AgentReply reply{answer["reply"].get<std::string>(), tokens(answer, "input_tokens"),
                     tokens(answer, "output_tokens")};
    if (reply.text.size() > max_reply_bytes) {
        throw AgentFailure("its reply is longer than " + std::to_string(max_reply_bytes >> 20U) + " MiB");
    }
    return reply;
}

}  // namespace kbeval
