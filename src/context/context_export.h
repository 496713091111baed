#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "store/store.h"

namespace kbeval {

/// Writes what a plan asks for (docs/contexts.md) and gives a line for each file. The plan is an object:
/// `problems`: ids; `readers`: names; `arms` and `context_set`: arms of the set and the file to write it to;
/// `records_arm` and `problem_records`: arm of the records and their file. File names are relative to the
/// plan. Throws an input error that names the field where the plan is wrong; writes nothing then.
std::vector<std::string> export_contexts(Store& store, const Catalogue& catalogue,
                                         const std::filesystem::path& plan, bool allow_leak);

}  // namespace kbeval
