#pragma once

#include <functional>
#include <string>

#include "agent/agent.h"
#include "agent/episode_record.h"
#include "agent/episode_store.h"
#include "agent/prompt_source.h"
#include "candidate/source.h"
#include "problem/problem.h"
#include "verdict/verdict.h"

namespace kbeval {

/// One judgement that an episode asks for.
struct JudgementRequest {
    const Problem& problem;
    CandidateSource source;
    bool has_code = true;
    bool timed = true;       ///< SUBMIT; false: CHECK
    std::uint64_t seed = 0;  ///< base seed
    std::string label;
};

/// Judges and records what agents write.
class EpisodeJudge {
  public:
    EpisodeJudge() = default;
    virtual ~EpisodeJudge() = default;
    EpisodeJudge(const EpisodeJudge&) = delete;
    EpisodeJudge& operator=(const EpisodeJudge&) = delete;

    virtual Verdict judge(const JudgementRequest& request) = 0;
};

/// What an episode works with.
struct EpisodeSurroundings {
    EpisodeStore& store;
    EpisodeJudge& judge;
    PromptSource& prompts;
    std::function<bool()> stop = [] { return false; };  ///< asked before every turn
    std::function<void(const EpisodeRecord&)> told = [](const EpisodeRecord&) {
    };  ///< after every whole turn; may be told again
};

/// A fresh episode, not stored yet.
EpisodeRecord new_episode(const Problem& problem, std::uint64_t seed);

/// Carries a stored episode on from its last whole turn to its end: until a SUBMIT is judged or the turns run
/// out, or `stop` says so. Each turn is stored as a whole, so that a kill at any moment costs that turn
/// alone. A SUBMIT without code is no submission: it costs its turn. Throws AgentFailure where the agent
/// can't answer and an infrastructure error where the judge fails; the episode then stays open and says why.
void run_episode(EpisodeRecord& episode, const Problem& problem, Agent& agent,
                 const EpisodeSurroundings& with);

}  // namespace kbeval
