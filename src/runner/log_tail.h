#pragma once

#include <string>
#include <string_view>

namespace kbeval {

/// Beginning and end of what a runner printed, however much that was: 32 KiB of each.
class LogTail {
  public:
    void append(std::string_view bytes) {
        const std::size_t room = limit - std::min(limit, head_.size());
        head_ += bytes.substr(0, room);
        bytes.remove_prefix(std::min(room, bytes.size()));
        tail_ += bytes;
        if (tail_.size() > limit) {
            dropped_ += tail_.size() - limit;
            tail_.erase(0, tail_.size() - limit);
        }
    }

    [[nodiscard]] std::string text() const {
        if (dropped_ == 0) {
            return head_ + tail_;
        }
        return head_ + "\n[... " + std::to_string(dropped_) + " bytes left out ...]\n" + tail_;
    }

  private:
    static constexpr std::size_t limit = 32 << 10;
    std::string head_;
    std::string tail_;
    std::size_t dropped_ = 0;
};

}  // namespace kbeval
