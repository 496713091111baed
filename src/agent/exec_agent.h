#pragma once

#include <memory>
#include <string>

#include "agent/agent.h"

namespace kbeval {

/// Someone's own program (`exec:COMMAND`, run by /bin/sh): one JSON object a line on its standard input for
/// every turn, one on its standard output in answer (docs/agents.md). It is started with the first turn and
/// lives until the episode ends; then its input is closed, and its process group killed if it stays.
class ExecAgent : public Agent {
  public:
    /// `seconds` is what one reply may take.
    ExecAgent(std::string command, double seconds);
    ~ExecAgent() override;

    AgentReply reply(const AgentRequest& request) override;

  private:
    class Child;

    std::string command_;
    double seconds_;
    std::unique_ptr<Child> child_;
};

/// What an ExecAgent writes for a turn; without the line's end.
std::string exec_request_line(const AgentRequest& request);

/// Reads an answer. Throws AgentFailure that says which rule the line breaks.
AgentReply parse_exec_reply(const std::string& line);

}  // namespace kbeval
