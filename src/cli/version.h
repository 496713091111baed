#pragma once

namespace kbeval {
inline constexpr const char* version = KBEVAL_VERSION;
}  // namespace kbeval
