#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "agent/episode_record.h"
#include "context/prompt.h"
#include "problem/problem.h"
#include "store/store.h"

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

/// Prompts as context/prompt.h makes them: an arm's context is the file that is named for it, else what the
/// database's documents give. Contexts that are handed out are recorded.
class ArmPrompts : public PromptSource {
  public:
    /// Reads the files; throws input errors that name them. With `allow_leak`, contexts that give a problem's
    /// own solution away are handed out, and that is recorded; without, they are an input error.
    ArmPrompts(const std::map<std::string, std::filesystem::path>& files, Store& store,
               const Catalogue& catalogue, bool allow_leak);

    GivenPrompt prompt(const Problem& problem, const std::string& arm, const std::string& reader,
                       int turns) override;

    /// Throws as prompt() does; hands nothing out and records nothing.
    void require(const Problem& problem, const std::string& arm, const std::string& reader, int turns);

    /// Counts what the replies of an episode say of the bullets of the playbook that it was given
    /// (context/citations.h). Nothing is counted twice, however often an episode is read. An arm whose
    /// context is a file or has no bullets counts nothing.
    void count_citations(const EpisodeRecord& episode);

  private:
    [[nodiscard]] Prompt made(const Problem& problem, const std::string& arm, const std::string& reader,
                              int turns);

    std::map<std::string, std::string> files_;
    Store& store_;
    const Catalogue& catalogue_;
    bool allow_leak_;
};

}  // namespace kbeval
