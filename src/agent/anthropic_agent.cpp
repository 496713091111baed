#include "agent/anthropic_agent.h"

namespace kbeval {

namespace {

constexpr int default_max_tokens = 32000;  // the API demands a number

AgentReply read_message(const nlohmann::json& answer) {
    AgentReply reply;
    for (const nlohmann::json& block : answer.at("content")) {
        if (block.at("type") == "text") {
            reply.text += block.at("text").get<std::string>();
        }
    }
    const nlohmann::json usage = answer.value("usage", nlohmann::json::object());
    reply.input_tokens = token_count(usage, "input_tokens");
    for (const char* cached : {"cache_creation_input_tokens", "cache_read_input_tokens"}) {
        if (reply.input_tokens) {
            *reply.input_tokens += token_count(usage, cached).value_or(0);
        }
    }
    reply.output_tokens = token_count(usage, "output_tokens");
    return reply;
}

}  // namespace

AgentReply AnthropicAgent::reply(const AgentRequest& request) {
    const EndpointOptions& options = endpoint_.options();
    const nlohmann::json body{
        {"model", options.model},
        {"max_tokens", options.max_tokens > 0 ? options.max_tokens : default_max_tokens},
        {"messages", chat_messages(request)}};
    std::vector<std::string> headers{"Content-Type: application/json", "anthropic-version: 2023-06-01"};
    if (!options.key.empty()) {
        headers.push_back("x-api-key: " + options.key);
    }
    return endpoint_.post("/v1/messages", headers, body, read_message);
}

}  // namespace kbeval
