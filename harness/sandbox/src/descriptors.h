#pragma once

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace kbeval::sandbox {

/// Owns one file descriptor; -1 is none.
class UniqueFd {
  public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    void reset() noexcept {
        if (fd_ >= 0) {
            ::close(fd_);
            fd_ = -1;
        }
    }
    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

struct Pipe {
    UniqueFd read_end;
    UniqueFd write_end;
};

/// A close-on-exec pipe.
Pipe make_pipe();

/// Throws unless each descriptor is open and is no directory (which would be a way out of the new root).
void check_kept_descriptors(const std::vector<int>& keep);

/// Closes every descriptor that is not in `keep` (sorted, unique).
void close_all_except(const std::vector<int>& keep);

/// Points those of 0, 1 and 2 that are not in `keep` to /dev/null, so that no later file takes such a number.
void fill_standard_descriptors(const std::vector<int>& keep);

/// Writes all of `text` to `name` below the directory `dir` in one call (as /proc and cgroup files want).
/// Returns 0 or an errno value.
int write_file_at(int dir, const std::string& name, const std::string& text);

}  // namespace kbeval::sandbox
