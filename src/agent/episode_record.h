#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/action.h"

namespace kbeval {

/// One whole turn: what was asked and answered, and what came of it.
struct TurnRecord {
    int number = 1;  ///< 1 and up
    std::string
        prompt_digest;  ///< first 16 hex digits of the SHA-256 of what the agent was sent in this turn
    std::string reply;
    ReplyAction action = ReplyAction::none;
    std::string code_digest;         ///< of the code in the reply; empty where there is none
    std::string status;              ///< the verdict's; no_action where the reply had no action
    std::string feedback;            ///< what the agent was told; in the next turn it is the prompt
    std::string evaluation;          ///< id of the evaluation; empty where nothing was judged
    nlohmann::ordered_json verdict;  ///< the verdict's JSON (verdict.h); null where nothing was judged
    std::string started;             ///< UTC, ISO 8601
    double agent_seconds = 0;        ///< waiting for the reply
    double judge_seconds = 0;        ///< judging it, which is what occupies the device
    std::optional<std::int64_t> input_tokens;
    std::optional<std::int64_t> output_tokens;
};

/// How far an episode is.
enum class EpisodeState {
    open,         ///< not at its end; can be resumed
    submitted,    ///< a SUBMIT was judged
    unsubmitted,  ///< the turns ran out first
};

std::string to_string(EpisodeState state);
std::optional<EpisodeState> episode_state_from_string(const std::string& name);

/// One agent at one problem under one context.
struct EpisodeRecord {
    std::string id;          ///< 32 hex digits
    std::string experiment;  ///< its name; empty for an episode of its own
    int position = 0;        ///< place in the experiment's order
    std::string problem;
    int level = 0;
    std::string family;
    std::string split;  ///< learn or held_out in an experiment; else empty
    std::string arm;
    std::string reader;
    int repeat = 0;
    std::string agent;  ///< its specification
    int turns_allowed = 6;
    std::uint64_t seed = 0;  ///< from which the base seed of every judgement derives
    EpisodeState state = EpisodeState::open;
    std::string failure;  ///< why it stopped without being at its end; empty otherwise
    std::string created;
    std::string finished;  ///< empty while open
    std::string prompt;    ///< instruction, context and rules; empty before the first turn
    std::string context_digest;
    std::vector<TurnRecord> turns;
};

}  // namespace kbeval
