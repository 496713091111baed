#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/unique_fd.h"

namespace kbeval {

/// The two ends of a pipe, both closed on exec.
struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

/// Throws InfrastructureError when the process may open no more descriptors.
Pipe make_pipe();

/// write(2) of `bytes` to a pipe whose reader may be gone: -1 with errno EPIPE then, and no SIGPIPE, whatever
/// the process has said about that signal.
ssize_t write_to_pipe(int fd, std::string_view bytes);

}  // namespace kbeval
