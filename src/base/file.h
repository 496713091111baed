#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace kbeval {

/// Whole contents of a regular file (or, for "-", of standard input), at most `limit` bytes.
/// Throws an input error that names the file where it is missing, a directory, unreadable or larger.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

/// At most `limit` + 1 bytes of standard input, so that a caller can tell that there was more.
std::string read_standard_input(std::size_t limit);

/// Writes a file whole or throws an infrastructure error.
void write_file(const std::filesystem::path& path, const std::string& bytes);

/// A directory that is removed with everything in it.
class TemporaryDirectory {
  public:
    /// Makes `parent/prefix-XXXXXX`, readable and writable by its owner only.
    TemporaryDirectory(const std::filesystem::path& parent, const std::string& prefix);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Leaves the directory on disk at destruction.
    void keep() { keep_ = true; }

  private:
    std::filesystem::path path_;
    bool keep_ = false;
};

/// Value of an environment variable, if it is set and not empty.
std::optional<std::string> environment(const char* name);

}  // namespace kbeval
