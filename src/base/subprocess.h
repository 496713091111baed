#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace kbeval {

/// What a finished child process left.
struct ProcessResult {
    int exit_code = -1;  ///< -1 where a signal ended it
    int signal = 0;
    bool timed_out = false;
    std::string output;        ///< standard output, at most the limit given
    std::string error_output;  ///< standard error, likewise
};

struct ProcessLimits {
    double seconds = 60;
    std::size_t output_bytes = 4 << 20;
    std::map<std::string, std::string> environment = {};  ///< the child's whole one; empty: this process's
};

/// Runs a program to its end with `input` on standard input; kills its process group at the deadline.
/// Throws an infrastructure error only where the program can't be started.
ProcessResult run_process(const std::vector<std::string>& arguments, std::string_view input,
                          const ProcessLimits& limits);

/// Starts a program that goes on running. `environment` holds the whole environment of the child; `keep` are
/// descriptors that it inherits under the same numbers; its standard output and error go to `log`.
/// Returns its process id. The child dies when this process does.
int start_process(const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string>& environment, const std::vector<int>& keep,
                  int log);

/// This process's environment.
std::map<std::string, std::string> current_environment();

}  // namespace kbeval
