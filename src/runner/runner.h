#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "protocol/channel.h"
#include "protocol/messages.h"
#include "runner/failure.h"
#include "runner/host.h"
#include "runner/log_tail.h"

namespace kbeval {

/// An answer to a request: the result and the descriptors beside it.
struct Answer {
    nlohmann::json result;
    std::vector<UniqueFd> fds;
    double seconds = 0;  ///< as the runner says; for traces, never for a verdict
    double wall_ms = 0;  ///< of a `request`: from its sending to its answer, by this process's clock
};

/// One forked runner process. Requests are answered in order; several may be under way. Destroying it kills
/// the process and all that it started.
class Runner {
  public:
    /// Forks a runner with a role (oracle, eager, compiled, candidate). `config` is the `spawn` message's.
    /// Returns at once; the first answer awaited is the process's `ready`.
    Runner(Host& host, std::string role, const nlohmann::json& config);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    /// Sends a request without waiting for its answer. Throws RunnerFailure.
    template <typename M>
    void post(const M& message, const std::vector<int>& fds = {}) {
        send(protocol::body(message), fds);
    }
    /// Same, of a message that is a frame's body already.
    void post_body(const nlohmann::json& body) { send(body, {}); }

    /// Next answer, in the order of the requests. Kills the runner at the deadline. Throws RunnerFailure.
    Answer await(double seconds);

    /// Sends a request and waits for its answer. A runner that is kept frozen runs only meanwhile. One that
    /// has said something that nobody asked for breaks the protocol: an answer written ahead would beat the
    /// clock.
    template <typename M>
    Answer request(const M& message, double seconds, const std::vector<int>& fds = {}) {
        begin_turn();
        const auto start = SteadyClock::now();
        post(message, fds);
        Answer answer = await(seconds);
        answer.wall_ms = seconds_since(start) * 1000;
        end_turn();
        return answer;
    }

    /// What `request` does around its message, for those that post and await themselves.
    void begin_turn();
    void end_turn();

    /// From now on everything in the runner's sandbox is stopped except during a `request`. Returns false
    /// where the sandbox can't do it.
    bool keep_frozen();
    [[nodiscard]] bool keeps_frozen() const { return keeps_frozen_; }

    /// Whether the next answer is there already (or the runner has failed), without waiting.
    bool answered();

    /// Waits for `ready`; returns its report (for a candidate: the sandbox's). Throws RunnerFailure.
    nlohmann::json await_ready(double seconds);

    void kill();
    /// Kills the process and waits until it is gone, for some seconds at most.
    void end();
    /// Waits for the end of its process, which has been killed. Throws an infrastructure error where it does
    /// not end.
    void await_exit(double seconds);

    [[nodiscard]] const std::string& role() const { return role_; }
    [[nodiscard]] std::string log() const { return log_.text(); }

  private:
    friend class Host;
    [[nodiscard]] int channel_fd() const { return channel_->open() ? channel_->fd() : -1; }
    [[nodiscard]] int log_fd() const { return log_pipe_.get(); }
    void on_channel_ready();
    void on_exit(int code, int signal);
    void on_frozen(bool ok) { frozen_answer_ = ok; }
    bool set_frozen(bool frozen);

    void send(const nlohmann::json& body, const std::vector<int>& fds);
    Message await_message(double seconds);
    [[noreturn]] void fail(RunnerFailure::How how, const std::string& message);
    [[nodiscard]] std::string ending() const;

    Host& host_;
    std::string role_;
    int number_;
    std::unique_ptr<Channel> channel_;
    UniqueFd log_pipe_;
    LogTail log_;
    std::deque<std::string> asked_;  ///< types of the requests that are not answered yet
    SteadyClock::time_point started_ = SteadyClock::now();
    std::string protocol_fault_;
    std::optional<bool> frozen_answer_;  ///< what the host answered to the last order
    bool keeps_frozen_ = false;
    bool exited_ = false;
    int exit_code_ = 0;
    int exit_signal_ = 0;
};

}  // namespace kbeval
