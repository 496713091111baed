#include "agent/openai_agent.h"

namespace kbeval {

namespace {

AgentReply read_completion(const nlohmann::json& answer) {
    const nlohmann::json& content = answer.at("choices").at(0).at("message").at("content");
    const nlohmann::json usage = answer.value("usage", nlohmann::json::object());
    // A refusal has null for content: an empty reply, which costs the turn.
    return {content.is_null() ? std::string() : content.get<std::string>(),
            token_count(usage, "prompt_tokens"), token_count(usage, "completion_tokens")};
}

}  // namespace

AgentReply OpenAiAgent::reply(const AgentRequest& request) {
    const EndpointOptions& options = endpoint_.options();
    nlohmann::json body{{"model", options.model}, {"messages", chat_messages(request)}};
    if (options.max_tokens > 0) {
        body["max_tokens"] = options.max_tokens;
    }
    std::vector<std::string> headers{"Content-Type: application/json"};
    if (!options.key.empty()) {
        headers.push_back("Authorization: Bearer " + options.key);
    }
    return endpoint_.post("/chat/completions", headers, body, read_completion);
}

}  // namespace kbeval
