#include "descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <limits>

#include "error.h"

namespace kbeval::sandbox {
namespace {

void close_span(unsigned first, unsigned last) {
    if (first > last || ::close_range(first, last, 0) == 0) {
        return;
    }
    // Before Linux 5.9: one by one, up to the highest number that may be open.
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto highest = static_cast<unsigned>(std::min<rlim_t>(limit.rlim_max, rlim_t{1} << 20U));
    for (unsigned fd = first; fd <= std::min(last, highest); ++fd) {
        ::close(static_cast<int>(fd));
    }
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw_errno("pipe2");
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void check_kept_descriptors(const std::vector<int>& keep) {
    for (const int fd : keep) {
        struct stat info {};
        if (::fstat(fd, &info) != 0) {
            throw_errno("keep_fds: descriptor " + std::to_string(fd));
        }
        if (S_ISDIR(info.st_mode)) {
            throw SandboxError(EINVAL, "keep_fds: descriptor " + std::to_string(fd) +
                                           " is a directory, which would lead out of the sandbox");
        }
    }
}

void close_all_except(const std::vector<int>& keep) {
    unsigned next = 0;
    for (const int fd : keep) {
        const auto number = static_cast<unsigned>(fd);
        if (number > next) {
            close_span(next, number - 1);
        }
        next = number + 1;
    }
    close_span(next, std::numeric_limits<unsigned>::max());
}

void fill_standard_descriptors(const std::vector<int>& keep) {
    for (int fd = 0; fd <= 2; ++fd) {
        if (std::binary_search(keep.begin(), keep.end(), fd)) {
            continue;
        }
        // Lower numbers are all open by now, so the kernel hands out this one.
        const int opened =
            ::open("/dev/null", O_RDWR);  // NOLINT(android-cloexec-open): meant to be inherited
        if (opened != fd) {
            throw_errno("opening /dev/null as descriptor " + std::to_string(fd));
        }
    }
}

int write_file_at(int dir, const std::string& name, const std::string& text) {
    const UniqueFd file(::openat(dir, name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid()) {
        return errno;
    }
    const auto written = ::write(file.get(), text.data(), text.size());
    if (written < 0) {
        return errno;
    }
    return static_cast<std::size_t>(written) == text.size() ? 0 : EIO;
}

}  // namespace kbeval::sandbox
