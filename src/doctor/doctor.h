#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kbeval {

/// One thing that was looked at.
struct Finding {
    std::string name;
    bool ok = false;
    bool needed = true;  ///< without it nothing can be judged; false: only GPU work, or less comfort
    std::string detail;
    std::string remedy;  ///< what to do about it, as a command where there is one
};

/// Looks at everything that judging needs: files, Python, torch, Triton, native library, sandbox, compilers,
/// GPU, CUPTI, disk and database. Never throws for what it finds missing.
std::vector<Finding> examine_machine(const std::filesystem::path& database);

}  // namespace kbeval
