#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/agent.h"

namespace kbeval {

struct AgentOptions {
    double seconds = 600;  ///< that one reply (of an endpoint: one attempt) may take
    int max_tokens = 0;    ///< of an endpoint's reply; 0: its default
    int attempts = 8;      ///< that an endpoint is asked for one reply
};

/// Makes a fresh agent for every episode.
using AgentFactory = std::function<std::unique_ptr<Agent>()>;

/// Reads an agent's specification, and all that it needs, before anything runs:
///   exec:COMMAND            someone's program, run by /bin/sh
///   replay:FILE             recorded replies
///   openai:MODEL[@URL]      chat completions; key from OPENAI_API_KEY, URL else OPENAI_BASE_URL
///   anthropic:MODEL[@URL]   messages API; key from ANTHROPIC_API_KEY, URL else ANTHROPIC_BASE_URL
/// An endpoint at an address that was given may do without a key. Throws input errors.
AgentFactory agent_from_spec(const std::string& spec, const AgentOptions& options);

}  // namespace kbeval
