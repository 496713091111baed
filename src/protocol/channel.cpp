#include "protocol/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"

namespace kbeval {

namespace {
constexpr std::size_t header_size = 4;
constexpr std::size_t max_fds = 64;
constexpr std::size_t max_inbox = 64;

std::string frame(const std::string& body) {
    std::string bytes(header_size, '\0');
    const auto length = static_cast<std::uint32_t>(body.size());
    for (std::size_t i = 0; i < header_size; ++i) {
        bytes[i] = static_cast<char>((length >> (8 * i)) & 0xFFU);
    }
    return bytes + body;
}

std::uint32_t frame_length(const std::string& buffer) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < header_size; ++i) {
        length |= static_cast<std::uint32_t>(static_cast<unsigned char>(buffer[i])) << (8 * i);
    }
    return length;
}

bool wait_writable(int fd, SteadyClock::time_point deadline) {
    pollfd poll{fd, POLLOUT, 0};
    const double left = Seconds(deadline - SteadyClock::now()).count();
    return left > 0 && ::poll(&poll, 1, static_cast<int>(left * 1000) + 1) > 0;
}

}  // namespace

SocketPair make_socket_pair() {
    std::array<int, 2> fds{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
        throw infrastructure_error(std::string("no socket pair: ") + std::strerror(errno));
    }
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Channel::Channel(UniqueFd socket, std::size_t max_frame) : socket_(std::move(socket)), max_frame_(max_frame) {
    ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
}

void Channel::send(const nlohmann::json& body, const std::vector<int>& fds, double seconds) {
    const std::string bytes = frame(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    const auto deadline =
        SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(Seconds(seconds));
    std::vector<char> control(fds.empty() ? 0 : CMSG_SPACE(fds.size() * sizeof(int)));
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        iovec part{const_cast<char*>(bytes.data()) + sent, bytes.size() - sent};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        if (sent == 0 && !fds.empty()) {
            header.msg_control = control.data();
            header.msg_controllen = control.size();
            cmsghdr* const item = CMSG_FIRSTHDR(&header);
            item->cmsg_level = SOL_SOCKET;
            item->cmsg_type = SCM_RIGHTS;
            item->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
            std::memcpy(CMSG_DATA(item), fds.data(), fds.size() * sizeof(int));
        }
        const ssize_t n = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
        if (n > 0) {
            sent += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            if (!wait_writable(socket_.get(), deadline)) {
                throw ChannelError("the peer does not read its messages");
            }
        } else if (errno != EINTR) {
            throw ChannelError(std::string("the peer is gone: ") + std::strerror(errno));
        }
    }
}

void Channel::read_available() {
    for (;;) {
        std::array<char, 65536> data{};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(max_fds * sizeof(int))> control{};
        iovec part{data.data(), data.size()};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        const ssize_t n = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            break;
        }
        if (n <= 0) {
            close();
            break;
        }
        for (cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr; item = CMSG_NXTHDR(&header, item)) {
            if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS) {
                const std::size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
                std::vector<int> received(count);
                std::memcpy(received.data(), CMSG_DATA(item), count * sizeof(int));
                for (const int fd : received) {
                    pending_fds_.emplace_back(fd);
                }
            }
        }
        buffer_.append(data.data(), static_cast<std::size_t>(n));
        parse();
    }
}

void Channel::parse() {
    while (buffer_.size() >= header_size) {
        const std::uint32_t length = frame_length(buffer_);
        if (length > max_frame_ || inbox_.size() >= max_inbox || pending_fds_.size() > max_fds) {
            close();
            throw ChannelError("the peer sent a frame of " + std::to_string(length) +
                               " bytes or too many frames; the limit is " + std::to_string(max_frame_) +
                               " bytes");
        }
        if (buffer_.size() < header_size + length) {
            return;
        }
        Message message;
        message.body = nlohmann::json::parse(
            buffer_.begin() + header_size,
            buffer_.begin() + header_size + static_cast<std::ptrdiff_t>(length), nullptr, false);
        if (!message.body.is_object()) {
            close();
            throw ChannelError("the peer sent a frame that is not a JSON object");
        }
        message.fds = std::move(pending_fds_);
        pending_fds_.clear();
        inbox_.push_back(std::move(message));
        buffer_.erase(0, header_size + length);
    }
}

Message Channel::take() {
    Message message = std::move(inbox_.front());
    inbox_.pop_front();
    return message;
}

}  // namespace kbeval
