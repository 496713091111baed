#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace kbeval {

/// One message with the descriptors that came, or go, beside it.
struct Message {
    nlohmann::json body;
    std::vector<UniqueFd> fds;
};

/// The peer broke the protocol or is gone.
class ChannelError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// kbeval's end of a message channel: frames of a 4-byte little-endian length and UTF-8 JSON over a Unix
/// stream socket (see harness/kbeval_harness/wire.py, the other end). Passive: the owner polls `fd()` and
/// calls `read_available`. What arrives is not trusted: sizes are bounded and malformed frames end the
/// channel.
class Channel {
  public:
    /// Takes the socket over. `max_frame` bounds what the peer may send, in bytes.
    Channel(UniqueFd socket, std::size_t max_frame);

    [[nodiscard]] int fd() const { return socket_.get(); }
    [[nodiscard]] bool open() const { return socket_.valid(); }
    void close() { socket_.reset(); }

    /// Sends one message; `fds` stay the caller's. Gives up after `seconds` if the peer doesn't read. Throws
    /// ChannelError.
    void send(const nlohmann::json& body, const std::vector<int>& fds = {}, double seconds = 30);

    /// Reads what is there without blocking and keeps whole messages. At end of stream the channel closes.
    void read_available();

    [[nodiscard]] bool has_message() const { return !inbox_.empty(); }
    Message take();

  private:
    void parse();

    UniqueFd socket_;
    std::size_t max_frame_;
    std::string buffer_;
    std::vector<UniqueFd> pending_fds_;
    std::deque<Message> inbox_;
};

/// A connected pair of sockets: kbeval's end and the peer's.
struct SocketPair {
    UniqueFd ours;
    UniqueFd theirs;
};
SocketPair make_socket_pair();

}  // namespace kbeval
