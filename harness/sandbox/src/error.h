#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace kbeval::sandbox {

/// What ends an attempt to enter the sandbox. `code()` is a positive errno value.
class SandboxError : public std::runtime_error {
  public:
    SandboxError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }

  private:
    int code_;
};

/// "EPERM: Operation not permitted".
std::string errno_text(int error);

/// Throws SandboxError with "<what>: <errno_text(error)>".
[[noreturn]] void throw_errno(const std::string& what, int error = errno);

}  // namespace kbeval::sandbox
