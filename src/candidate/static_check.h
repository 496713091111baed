#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kbeval {

/// One rule that a source breaks.
struct Violation {
    std::string code;  ///< KB101
    std::string rule;  ///< import-not-allowed
    std::string message;
    int line = 0;    ///< 1-based; 0 where the rule is about the whole source
    int column = 0;  ///< 1-based
};

/// A kernel that the candidate's own source defines.
struct OwnKernel {
    std::string name;
    std::string kind;  ///< triton, cuda or cpp
};

struct StaticCheckResult {
    bool ok = false;
    std::vector<Violation> violations;
    std::vector<Violation> warnings;  ///< don't change `ok`
    std::vector<OwnKernel> kernels;
};

/// Runs the static check (harness/kbeval_harness/static_check) on a source; nothing of the source is
/// executed. `device_kind` is "cuda" or "cpu". Throws an infrastructure error where the checker can't run.
StaticCheckResult static_check(const std::string& source, const std::string& device_kind,
                               const std::filesystem::path& python, const std::filesystem::path& harness);

/// The violations as an agent reads them: one per line, `line:column CODE rule: message`.
std::string describe(const std::vector<Violation>& violations);

}  // namespace kbeval
