#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace kbeval {

/// Held by the one process that runs an experiment; the kernel lets go of it when the process ends, however
/// it does. The file stays.
class ExperimentLock {
  public:
    /// Throws an input error where another process holds it.
    ExperimentLock(const std::filesystem::path& database, const std::string& experiment);

  private:
    UniqueFd fd_;
};

}  // namespace kbeval
