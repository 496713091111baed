#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace kbeval {

/// One message of the conversation between the environment and an agent.
struct ChatMessage {
    enum class Role { user, assistant };
    Role role = Role::user;
    std::string text;  ///< UTF-8
};

/// What an agent is asked in one turn.
struct AgentRequest {
    std::string episode;  ///< id
    std::string problem;  ///< L2_076
    std::string arm;
    std::string reader;
    int repeat = 0;  ///< 0 and up
    int turn = 1;    ///< 1 and up
    int turns = 1;   ///< how many there are in all
    std::vector<ChatMessage>
        messages;  ///< all so far, the newest last; so an agent needs no memory of its own
};

struct AgentReply {
    std::string text;                          ///< UTF-8
    std::optional<std::int64_t> input_tokens;  ///< as the agent counts them; absent where it does not say
    std::optional<std::int64_t> output_tokens;
};

/// The agent could not answer: its process died, its endpoint failed for too long, its reply was no reply.
/// Never the fault of what it wrote; the episode stays open and is taken up again later.
class AgentFailure : public Error {
  public:
    explicit AgentFailure(const std::string& message, std::string hint = {})
        : Error(ErrorKind::infrastructure, message, std::move(hint)) {}
};

/// Whoever writes kernels. One object serves one episode.
class Agent {
  public:
    Agent() = default;
    virtual ~Agent() = default;
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    /// Throws AgentFailure.
    virtual AgentReply reply(const AgentRequest& request) = 0;
};

/// Largest reply that is taken, in bytes.
inline constexpr std::size_t max_reply_bytes = std::size_t{16} << 20U;

}  // namespace kbeval
