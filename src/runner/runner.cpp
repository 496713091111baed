#include "runner/runner.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

namespace {
// A candidate's runner is not trusted: what it can make kbeval hold in memory is bounded.
constexpr std::size_t max_runner_frame = 8U << 20U;
constexpr double exit_grace_seconds = 5;
constexpr double freeze_seconds = 10;
}  // namespace

Runner::Runner(Host& host, std::string role, const nlohmann::json& config)
    : host_(host), role_(std::move(role)), number_(host.enroll(*this)) {
    SocketPair pair = make_socket_pair();
    std::array<int, 2> log{};
    if (::pipe2(log.data(), O_CLOEXEC) != 0) {
        throw infrastructure_error(std::string("no pipe: ") + std::strerror(errno));
    }
    log_pipe_ = UniqueFd(log[0]);
    const UniqueFd log_write(log[1]);
    ::fcntl(log_pipe_.get(), F_SETFL, O_NONBLOCK);
    channel_ = std::make_unique<Channel>(std::move(pair.ours), max_runner_frame);
    host_.send(protocol::body(protocol::Spawn{number_, role_, config}), {pair.theirs.get(), log_write.get()});
}

Runner::~Runner() {
    try {
        kill();
    } catch (const std::exception&) {
        // The host is gone, and with it its runners.
    }
    host_.withdraw(number_);
}

void Runner::kill() {
    if (!exited_) {
        host_.send(protocol::body(protocol::Kill{number_}));
    }
}

void Runner::end() {
    kill();
    const auto start = SteadyClock::now();
    while (!exited_ && seconds_since(start) < exit_grace_seconds) {
        host_.pump(0.05);
    }
}

void Runner::await_exit(double seconds) {
    const auto start = SteadyClock::now();
    while (!exited_) {
        if (!host_.channel_->open() || seconds_since(start) > seconds) {
            throw infrastructure_error("the " + role_ + " runner was killed and did not end");
        }
        host_.pump(0.05);
    }
}

void Runner::on_channel_ready() {
    try {
        channel_->read_available();
    } catch (const ChannelError& error) {
        protocol_fault_ = error.what();
    }
}

void Runner::on_exit(int code, int signal) {
    exited_ = true;
    exit_code_ = code;
    exit_signal_ = signal;
}

void Runner::send(const nlohmann::json& body, const std::vector<int>& fds) {
    if (!channel_->open()) {
        fail(RunnerFailure::How::died, "the " + role_ + " runner " + ending());
    }
    try {
        channel_->send(body, fds);
        asked_.push_back(body.value("type", ""));
    } catch (const ChannelError&) {
        channel_->close();
        fail(RunnerFailure::How::died, "the " + role_ + " runner " + ending());
    }
}

void Runner::fail(RunnerFailure::How how, const std::string& message) {
    kill();
    throw RunnerFailure(how, role_, message);
}

std::string Runner::ending() const {
    if (!exited_) {
        return "closed its channel";
    }
    if (exit_signal_ != 0) {
        const char* name = ::sigabbrev_np(exit_signal_);
        return "was ended by signal " + std::to_string(exit_signal_) +
               (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
    }
    return "exited with status " + std::to_string(exit_code_) + " before it answered";
}

Message Runner::await_message(double seconds) {
    const auto start = SteadyClock::now();
    while (!channel_->has_message()) {
        if (!protocol_fault_.empty()) {
            fail(RunnerFailure::How::protocol,
                 "the " + role_ + " runner broke the protocol: " + protocol_fault_);
        }
        if (!channel_->open()) {
            const auto closed = SteadyClock::now();
            while (!exited_ && host_.channel_->open() && seconds_since(closed) < exit_grace_seconds) {
                host_.pump(0.05);
            }
            host_.pump(0);  // what it still printed
            fail(RunnerFailure::How::died, "the " + role_ + " runner " + ending());
        }
        const double left = seconds - seconds_since(start);
        if (left <= 0) {
            fail(RunnerFailure::How::deadline,
                 "the " + role_ + " runner did not answer within " + compact(seconds) + " s and was killed");
        }
        host_.pump(std::min(left, 1.0) + 0.001);
    }
    return channel_->take();
}

bool Runner::set_frozen(bool frozen) {
    frozen_answer_.reset();
    host_.send(protocol::body(protocol::Freeze{number_, frozen}));
    const auto start = SteadyClock::now();
    while (!frozen_answer_ && !exited_ && seconds_since(start) < freeze_seconds) {
        host_.pump(0.1);
    }
    return frozen_answer_.value_or(false);
}

bool Runner::keep_frozen() {
    keeps_frozen_ = set_frozen(true);
    return keeps_frozen_;
}

void Runner::begin_turn() {
    if (keeps_frozen_) {
        set_frozen(false);
    }
    host_.pump(0);
    if (keeps_frozen_ && channel_->has_message()) {
        fail(RunnerFailure::How::protocol, "the " + role_ + " runner answered before it was asked");
    }
}

void Runner::end_turn() {
    if (keeps_frozen_ && !set_frozen(true) && !exited_) {
        fail(RunnerFailure::How::protocol, "the " + role_ + " runner could not be stopped after its turn");
    }
}

bool Runner::answered() {
    host_.pump(0);
    return channel_->has_message() || !channel_->open() || !protocol_fault_.empty();
}

nlohmann::json Runner::await_ready(double seconds) {
    const Message message = await_message(seconds);
    try {
        if (message.body.at("type") == protocol::Ready::type) {
            host_.spans_.push_back({role_, "start", started_, SteadyClock::now()});
            return message.body.get<protocol::Ready>().report;
        }
    } catch (const nlohmann::json::exception&) {
        // reported below
    }
    fail(RunnerFailure::How::protocol, "the " + role_ + " runner did not say that it is ready");
}

Answer Runner::await(double seconds) {
    Message message = await_message(seconds);
    protocol::Reply reply;
    protocol::SubjectError error;
    const std::string asked = asked_.empty() ? "" : std::exchange(asked_.front(), {});
    if (!asked_.empty()) {
        asked_.pop_front();
    }
    try {
        if (message.body.at("type") != protocol::Reply::type) {
            throw std::runtime_error("not a reply");
        }
        reply = message.body.get<protocol::Reply>();
        if (!reply.ok) {
            error = protocol::subject_error_from(reply.result);
        }
    } catch (const std::exception& problem) {
        fail(RunnerFailure::How::protocol,
             "the " + role_ + " runner answered something malformed: " + problem.what());
    }
    const auto end = SteadyClock::now();
    // The runner's word is bounded by our own clock: a candidate may say anything.
    const double took = std::clamp(reply.seconds, 0.0, seconds_since(started_));
    host_.spans_.push_back(
        {role_, asked, end - std::chrono::duration_cast<SteadyClock::duration>(Seconds(took)), end});
    if (!reply.ok) {
        throw RunnerFailure(RunnerFailure::How::error, role_, error.type + ": " + error.message, error);
    }
    return {std::move(reply.result), std::move(message.fds), reply.seconds};
}

}  // namespace kbeval
