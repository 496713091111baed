#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "protocol/messages.h"

namespace kbeval {

/// A runner did not answer a request as it should. The judge turns this into a status; whose fault it is
/// depends on the runner's role.
class RunnerFailure : public std::runtime_error {
  public:
    enum class How {
        error,     ///< it answered that the request failed; `error()` says how
        died,      ///< its process ended
        deadline,  ///< it did not answer in time and was killed
        protocol,  ///< it answered something that is no answer, and was killed
    };

    RunnerFailure(How how, std::string role, const std::string& message, protocol::SubjectError error = {})
        : std::runtime_error(message), how_(how), role_(std::move(role)), error_(std::move(error)) {}

    [[nodiscard]] How how() const { return how_; }
    [[nodiscard]] const std::string& role() const { return role_; }
    [[nodiscard]] const protocol::SubjectError& error() const { return error_; }

  private:
    How how_;
    std::string role_;
    protocol::SubjectError error_;
};

}  // namespace kbeval
