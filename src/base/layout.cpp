#include "base/layout.h"

#include <unistd.h>

#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

fs::path executable_directory() {
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    return code ? fs::current_path() : self.parent_path();
}

bool is_root(const fs::path& path) {
    return fs::exists(path / "harness" / "kbeval_harness" / "protocol.json") &&
           fs::exists(path / "problems" / "catalog.json");
}

fs::path home() {
    return environment("HOME").value_or("/tmp");
}

}  // namespace

Layout find_layout() {
    if (const auto named = environment("KBEVAL_ROOT")) {
        if (!is_root(*named)) {
            throw infrastructure_error("KBEVAL_ROOT=" + *named + " holds no harness/ and problems/");
        }
        return {*named};
    }
    const fs::path start = executable_directory();
    for (fs::path at = start;; at = at.parent_path()) {
        if (is_root(at)) {
            return {at};
        }
        if (is_root(at / "share" / "kbeval")) {
            return {at / "share" / "kbeval"};
        }
        if (at == at.parent_path()) {
            break;
        }
    }
    throw infrastructure_error("kbeval's own files (harness/, problems/) are not above " + start.string(),
                               "set KBEVAL_ROOT to the folder that holds them");
}

fs::path default_database() {
    if (const auto named = environment("KBEVAL_DB")) {
        return *named;
    }
    const auto data = environment("XDG_DATA_HOME");
    return (data ? fs::path(*data) : home() / ".local" / "share") / "kbeval" / "kbeval.db";
}

fs::path imported_problems() {
    if (const auto named = environment("KBEVAL_PROBLEMS")) {
        return *named;
    }
    const auto data = environment("XDG_DATA_HOME");
    return (data ? fs::path(*data) : home() / ".local" / "share") / "kbeval" / "problems";
}

fs::path cache_directory() {
    if (const auto named = environment("KBEVAL_CACHE")) {
        return *named;
    }
    const auto cache = environment("XDG_CACHE_HOME");
    return (cache ? fs::path(*cache) : home() / ".cache") / "kbeval";
}

fs::path find_program(const std::string& name) {
    std::istringstream path(environment("PATH").value_or("/usr/bin:/bin"));
    for (std::string folder; std::getline(path, folder, ':');) {
        fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) {
            return candidate;
        }
    }
    return {};
}

fs::path find_python(const Layout& layout) {
    if (const auto named = environment("KBEVAL_PYTHON")) {
        return *named;
    }
    fs::path own = layout.root / ".venv" / "bin" / "python";
    if (::access(own.c_str(), X_OK) == 0) {
        return own;
    }
    return find_program("python3");
}

fs::path find_built_library(const Layout& layout, const std::string& stem) {
    const fs::path binary = executable_directory();
    const std::vector<fs::path> folders = {binary, binary / ".." / "lib", layout.root / "lib",
                                           layout.harness() / "lib"};
    for (const fs::path& folder : folders) {
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(folder, code)) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with(stem) && name.ends_with(".so")) {
                return entry.path().lexically_normal();
            }
        }
    }
    return {};
}

}  // namespace kbeval
