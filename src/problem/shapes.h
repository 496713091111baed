#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kbeval {

/// What a problem's full size is, as recorded by kbeval_problems.facts: `tensor[1024, 8192]:float32` and
/// the like.
struct ProblemShapes {
    std::vector<std::string> inputs;
    std::string init_arguments;
    std::string outputs;
};

/// From `folder/facts.json`; nothing where the file or the problem's entry is missing or malformed.
std::optional<ProblemShapes> recorded_shapes(const std::filesystem::path& folder, const std::string& id);

}  // namespace kbeval
