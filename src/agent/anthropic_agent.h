#pragma once

#include "agent/chat_endpoint.h"

namespace kbeval {

/// A model behind the messages API: POST {base}/v1/messages.
class AnthropicAgent : public Agent {
  public:
    AnthropicAgent(EndpointOptions options, std::shared_ptr<HttpTransport> transport)
        : endpoint_(std::move(options), std::move(transport)) {}

    AgentReply reply(const AgentRequest& request) override;

  private:
    ChatEndpoint endpoint_;
};

}  // namespace kbeval
