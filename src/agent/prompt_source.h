#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "problem/problem.h"

namespace kbeval {

/// What an agent is given in the first turn.
struct GivenPrompt {
    std::string text;            ///< instruction, context, rules
    std::string context;         ///< the context alone; empty for the arm `bare`
    std::string context_digest;  ///< first 16 hex digits of its SHA-256
};

/// Where prompts come from.
class PromptSource {
  public:
    PromptSource() = default;
    virtual ~PromptSource() = default;
    PromptSource(const PromptSource&) = delete;
    PromptSource& operator=(const PromptSource&) = delete;

    /// Throws an input error where there is no such arm for this problem and reader.
    virtual GivenPrompt prompt(const Problem& problem, const std::string& arm, const std::string& reader,
                               int turns) = 0;
};

/// Instruction and rules with the text of a file for each arm that names one; `bare` has none.
class FilePrompts : public PromptSource {
  public:
    /// Reads the files. Throws input errors that name them.
    explicit FilePrompts(const std::map<std::string, std::filesystem::path>& contexts);

    GivenPrompt prompt(const Problem& problem, const std::string& arm, const std::string& reader,
                       int turns) override;

    [[nodiscard]] bool has(const std::string& arm) const { return contexts_.contains(arm); }

  private:
    std::map<std::string, std::string> contexts_;
};

}  // namespace kbeval
