#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace kbeval {

/// An SQLite result code as an Error with a hint on what mends it. A file that is no database is bad input;
/// all else (disk full, read-only, locked, damaged, I/O) is infrastructure. `code` may be an extended one.
Error database_error(int code, const std::filesystem::path& path, std::string_view doing,
                     const std::string& detail);

}  // namespace kbeval
