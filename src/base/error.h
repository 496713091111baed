#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace kbeval {

/// What kind of failure ended a command; decides the exit status.
enum class ErrorKind {
    usage,           ///< bad command line (exit 2)
    input,           ///< bad input: unknown problem, missing file, not UTF-8 (exit 2)
    infrastructure,  ///< the machine or kbeval itself failed (exit 3)
};

/// The one exception type of kbeval: thrown where something fails, caught in main, printed there.
class Error : public std::runtime_error {
  public:
    /// `message` says what failed, naming file, place and rule; `hint` what the user can do (may be empty).
    Error(ErrorKind kind, const std::string& message, std::string hint = {})
        : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

    [[nodiscard]] ErrorKind kind() const { return kind_; }
    [[nodiscard]] const std::string& hint() const { return hint_; }

  private:
    ErrorKind kind_;
    std::string hint_;
};

/// Bad input from outside.
inline Error input_error(const std::string& message, std::string hint = {}) {
    return {ErrorKind::input, message, std::move(hint)};
}

/// A failure that is nobody's input: missing tool, dead host, full disk.
inline Error infrastructure_error(const std::string& message, std::string hint = {}) {
    return {ErrorKind::infrastructure, message, std::move(hint)};
}

}  // namespace kbeval
