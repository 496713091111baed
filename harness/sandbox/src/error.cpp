#include "error.h"

#include <cstring>

namespace kbeval::sandbox {

std::string errno_text(int error) {
    const char* name = ::strerrorname_np(error);
    const char* text = ::strerrordesc_np(error);
    return std::string(name != nullptr ? name : "errno " + std::to_string(error)) + ": " +
           (text != nullptr ? text : "unknown error");
}

void throw_errno(const std::string& what, int error) {
    throw SandboxError(error, what + ": " + errno_text(error));
}

}  // namespace kbeval::sandbox
