#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/http.h"
#include "agent/retry.h"

namespace kbeval {

/// Where a model is served, and how patiently it is asked.
struct EndpointOptions {
    std::string base_url;  ///< without a slash at the end
    std::string model;
    std::string key;       ///< from the environment; sent, and never written anywhere
    double seconds = 600;  ///< for one attempt
    int max_tokens = 0;    ///< of a reply; 0: the endpoint's default (anthropic: 32000)
    RetryPolicy retry;
};

/// Posts JSON and returns the JSON that came back, after as many attempts as the policy allows: again after
/// 408, 425, 429, 5xx, a broken connection and a body that is no JSON. Throws AgentFailure that names
/// address, last status and reason; the key is struck out of everything that the endpoint says.
class ChatEndpoint {
  public:
    /// Reads a reply out of the endpoint's JSON; throws nlohmann::json::exception where it has another form.
    using Reader = std::function<AgentReply(const nlohmann::json&)>;

    ChatEndpoint(EndpointOptions options, std::shared_ptr<HttpTransport> transport);

    AgentReply post(const std::string& path, const std::vector<std::string>& headers,
                    const nlohmann::json& body, const Reader& reader);

    [[nodiscard]] const EndpointOptions& options() const { return options_; }

  private:
    struct Attempt;

    Attempt attempt(const HttpRequest& request, const Reader& reader);
    void wait(int next_attempt, const Attempt& last, const std::string& url) const;
    [[nodiscard]] std::string without_key(std::string text) const;

    EndpointOptions options_;
    std::shared_ptr<HttpTransport> transport_;
};

/// The conversation as both APIs take it: [{"role": ..., "content": ...}, ...].
nlohmann::json chat_messages(const AgentRequest& request);

/// A count of tokens; absent where the endpoint does not say.
std::optional<std::int64_t> token_count(const nlohmann::json& usage, const char* name);

}  // namespace kbeval
