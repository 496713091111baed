#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/layout.h"
#include "inspect/inspection.h"
#include "problem/problem.h"

namespace kbeval {

/// How a problem compares with its recorded facts.
struct Verification {
    std::string id;
    std::vector<std::string> differences;  ///< empty: it does what was recorded
};

/// Recorded facts by problem id, as `kbeval_problems.facts record` writes them. Throws an input error that
/// names the file where it is missing or not of that form.
nlohmann::json read_facts(const std::filesystem::path& file);

/// Loads each problem without allocating its tensors and compares what it does with `facts`. A problem that
/// can't be loaded, or that has no facts, differs.
std::vector<Verification> verify_problems(const Layout& layout, const std::vector<Problem>& problems,
                                          const nlohmann::json& facts, const InspectionOptions& options);

}  // namespace kbeval
