#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "protocol/channel.h"
#include "protocol/messages.h"
#include "runner/log_tail.h"

namespace kbeval {

class Runner;

/// What a runner did for one request, for traces; never for a verdict.
struct Span {
    std::string role;
    std::string request;  ///< the message's type, or "start": until it is ready
    SteadyClock::time_point begin;
    SteadyClock::time_point end;
};

/// How a runner host is started.
struct HostOptions {
    std::filesystem::path python;
    std::filesystem::path harness;  ///< folder that holds the package kbeval_harness
    std::map<std::string, std::string> environment;
    double start_seconds = 180;  ///< cold imports from a slow disk can take minutes
};

/// The runner host process: Python with PyTorch imported once and no CUDA context, which forks runners.
///
/// One loop owns waiting: `pump` polls the host's and all runners' descriptors. Runners are passive and are
/// told that their descriptors are ready.
class Host {
  public:
    /// Starts the process and waits for its hello. Throws an infrastructure error that holds what it printed.
    explicit Host(const HostOptions& options);
    /// Ends the host, and with it every runner.
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// Versions that the host reported: python, torch, triton, cuda, native.
    [[nodiscard]] const std::map<std::string, std::string>& versions() const { return versions_; }

    /// Polls everything for at most `seconds` and hands messages, output and exits to the runners.
    void pump(double seconds);

    /// Spans of requests that were answered since the last call.
    std::vector<Span> take_spans() { return std::exchange(spans_, {}); }

    /// What the host itself printed.
    [[nodiscard]] std::string log() const { return log_.text(); }

  private:
    friend class Runner;
    int enroll(Runner& runner);
    void withdraw(int number);
    void send(const nlohmann::json& message, const std::vector<int>& fds = {});
    void handle(const nlohmann::json& message);
    void await_hello(double seconds);

    std::unique_ptr<Channel> channel_;
    UniqueFd log_pipe_;
    LogTail log_;
    int pid_ = -1;
    int next_number_ = 1;
    std::map<int, Runner*> runners_;  // not owned: a runner withdraws itself when it is destroyed
    std::map<std::string, std::string> versions_;
    std::vector<Span> spans_;
    bool greeted_ = false;
};

}  // namespace kbeval
