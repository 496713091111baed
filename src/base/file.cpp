#include "base/file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "base/error.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {
std::string read_stream(std::istream& stream, std::size_t limit) {
    std::string bytes;
    char buffer[65536];
    while (bytes.size() <= limit && stream.read(buffer, sizeof buffer).gcount() > 0) {
        bytes.append(buffer, static_cast<std::size_t>(stream.gcount()));
    }
    return bytes;
}
}  // namespace

std::string read_file(const fs::path& path, std::size_t limit) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) {
        throw input_error(path.string() + ": no such file");
    }
    if (fs::is_directory(status)) {
        throw input_error(path.string() + ": is a directory, not a file");
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw input_error(path.string() + ": cannot be opened: " + std::strerror(errno));
    }
    std::string bytes = read_stream(stream, limit);
    if (bytes.size() > limit) {
        throw input_error(path.string() + ": larger than the limit of " + std::to_string(limit) + " bytes");
    }
    return bytes;
}

std::string read_standard_input(std::size_t limit) {
    std::string bytes = read_stream(std::cin, limit);
    if (bytes.size() > limit) {
        throw input_error("standard input: larger than the limit of " + std::to_string(limit) + " bytes");
    }
    return bytes;
}

void write_file(const fs::path& path, const std::string& bytes) {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.flush();
    if (!stream) {
        throw infrastructure_error(path.string() + ": cannot be written: " + std::strerror(errno));
    }
}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent, const std::string& prefix) {
    std::error_code code;
    fs::create_directories(parent, code);
    std::string pattern = (parent / (prefix + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw infrastructure_error("no temporary folder can be made in " + parent.string() + ": " +
                                   std::strerror(errno));
    }
    path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    if (!keep_) {
        std::error_code code;
        fs::remove_all(path_, code);
    }
}

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): kbeval never calls setenv
    if (value == nullptr || *value == '\0') {
        return std::nullopt;
    }
    return std::string(value);
}

}  // namespace kbeval
