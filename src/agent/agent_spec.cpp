#include "agent/agent_spec.h"

#include "agent/anthropic_agent.h"
#include "agent/curl.h"
#include "agent/exec_agent.h"
#include "agent/openai_agent.h"
#include "agent/replay_agent.h"
#include "base/file.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr const char* forms =
    "an agent is exec:COMMAND, replay:FILE, openai:MODEL[@URL] or anthropic:MODEL[@URL]";

/// What differs between the two kinds of endpoint.
struct Provider {
    const char* default_url;
    const char* url_variable;
    const char* key_variable;
};

constexpr Provider openai{"https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"};
constexpr Provider anthropic{"https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"};

void require_key_characters(const std::string& key, const char* variable) {
    for (const char c : key) {
        if (c < 0x21 || c > 0x7e) {
            throw input_error(std::string(variable) +
                              " holds a character that no key has (a space, a line end?)");
        }
    }
}

EndpointOptions endpoint_options(const std::string& rest, const AgentOptions& options,
                                 const Provider& provider) {
    EndpointOptions endpoint;
    const std::size_t at = std::min(rest.find("@http://"), rest.find("@https://"));
    endpoint.model = rest.substr(0, at);
    const auto named = at == std::string::npos ? environment(provider.url_variable) : rest.substr(at + 1);
    endpoint.base_url = named.value_or(provider.default_url);
    while (endpoint.base_url.ends_with('/')) {
        endpoint.base_url.pop_back();
    }
    if (endpoint.model.empty() || endpoint.model.find('@') == 0) {
        throw input_error("agent '" + printable(rest) + "' names no model", forms);
    }
    if (endpoint.base_url.find("://") == std::string::npos ||
        endpoint.base_url.find('@') != std::string::npos) {
        throw input_error("'" + printable(endpoint.base_url) + "' is no address of an endpoint",
                          "it begins with http:// or https:// and holds no user name");
    }
    endpoint.key = environment(provider.key_variable).value_or("");
    require_key_characters(endpoint.key, provider.key_variable);
    if (endpoint.key.empty() && !named) {
        throw input_error(std::string(provider.key_variable) + " is not set",
                          "export it; the key is read from the environment only and never stored");
    }
    endpoint.seconds = options.seconds;
    endpoint.max_tokens = options.max_tokens;
    endpoint.retry.attempts = options.attempts;
    return endpoint;
}

template <typename AnAgent>
AgentFactory endpoint_factory(const EndpointOptions& endpoint) {
    const auto transport = std::make_shared<CurlTransport>();
    return [endpoint, transport] { return std::make_unique<AnAgent>(endpoint, transport); };
}

}  // namespace

AgentFactory agent_from_spec(const std::string& spec, const AgentOptions& options) {
    const std::size_t colon = spec.find(':');
    const std::string kind = spec.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
    if (rest.empty()) {
        throw input_error("'" + printable(spec) + "' is no agent", forms);
    }
    if (kind == "exec") {
        return [rest, options] { return std::make_unique<ExecAgent>(rest, options.seconds); };
    }
    if (kind == "replay") {
        const auto recording = std::make_shared<const Recording>(rest);
        return [recording] { return std::make_unique<ReplayAgent>(recording); };
    }
    if (kind == "openai") {
        return endpoint_factory<OpenAiAgent>(endpoint_options(rest, options, openai));
    }
    if (kind == "anthropic") {
        return endpoint_factory<AnthropicAgent>(endpoint_options(rest, options, anthropic));
    }
    throw input_error("'" + printable(kind) + "' is no kind of agent", forms);
}

}  // namespace kbeval
