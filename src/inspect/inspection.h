#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/layout.h"

namespace kbeval {

/// A problem's source, to be loaded where it can do no harm.
struct InspectionTask {
    std::string file;  ///< for messages and tracebacks only: nothing is read from it
    std::string name;  ///< with `level`, from which the family follows
    int level = 0;     ///< 0: of no level
    std::string source;
    nlohmann::json recorded;  ///< facts to compare with; null: none
};

/// What loading and tracing a problem showed.
struct Inspection {
    bool ok = false;
    std::string stage;   ///< where it ended, if it did: parse, load, trace, compare
    std::string reason;  ///< why; also set where a good problem could not be traced
    std::string family;  ///< by kbeval_problems.family; empty where it could not be traced
    nlohmann::json shapes;
    nlohmann::json costs;  ///< see kbeval_problems.costs; null where it could not be traced
    std::vector<std::string> differences;
};

struct InspectionOptions {
    int jobs = 1;          ///< problems loaded at once
    double deadline = 30;  ///< seconds of each
};

/// Loads and traces each problem on meta tensors, so that nothing of its size is allocated. Every source runs
/// in a sandboxed child of its own with limited memory, processor time and a deadline; answers come in the
/// order of the tasks. Throws an infrastructure error where there is no Python with PyTorch or no sandbox.
std::vector<Inspection> inspect_problems(const Layout& layout, const std::vector<InspectionTask>& tasks,
                                         const InspectionOptions& options);

}  // namespace kbeval
