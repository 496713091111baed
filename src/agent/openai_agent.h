#pragma once

#include "agent/chat_endpoint.h"

namespace kbeval {

/// A model behind an endpoint of the chat-completions form: POST {base}/chat/completions.
class OpenAiAgent : public Agent {
  public:
    OpenAiAgent(EndpointOptions options, std::shared_ptr<HttpTransport> transport)
        : endpoint_(std::move(options), std::move(transport)) {}

    AgentReply reply(const AgentRequest& request) override;

  private:
    ChatEndpoint endpoint_;
};

}  // namespace kbeval
