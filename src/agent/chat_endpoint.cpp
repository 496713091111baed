#include "agent/chat_endpoint.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "base/random_id.h"
#include "base/text.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

constexpr std::size_t shown_bytes = 300;

std::string excerpt(const std::string& text) {
    return terminal_line(text.substr(0, shown_bytes)) + (text.size() > shown_bytes ? "..." : "");
}

}  // namespace

/// How one attempt ended.
struct ChatEndpoint::Attempt {
    std::optional<AgentReply> reply;
    std::string problem;
    bool again = false;
    std::string retry_after;
};

ChatEndpoint::ChatEndpoint(EndpointOptions options, std::shared_ptr<HttpTransport> transport)
    : options_(std::move(options)), transport_(std::move(transport)) {
    if (!options_.retry.sleep) {
        options_.retry.sleep = [](double seconds) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        };
    }
}

std::string ChatEndpoint::without_key(std::string text) const {
    return options_.key.empty() ? text : replace_all(std::move(text), options_.key, "[key]");
}

AgentReply ChatEndpoint::post(const std::string& path, const std::vector<std::string>& headers,
                              const nlohmann::json& body, const Reader& reader) {
    const HttpRequest request{options_.base_url + path, headers,
                              body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                              options_.seconds, 2 * max_reply_bytes};
    for (int number = 1;; ++number) {
        Attempt last = attempt(request, reader);
        if (last.reply) {
            return std::move(*last.reply);
        }
        if (!last.again || number >= options_.retry.attempts) {
            throw AgentFailure(request.url + ": " + last.problem +
                               (number > 1 ? " (attempt " + std::to_string(number) + ")" : ""));
        }
        spdlog::info("{}: attempt {} failed: {}", request.url, number, last.problem);
        wait(number + 1, last, request.url);
    }
}

ChatEndpoint::Attempt ChatEndpoint::attempt(const HttpRequest& request, const Reader& reader) {
    Attempt result;
    try {
        const HttpResponse response = transport_->post(request);
        if (response.status < 200 || response.status > 299) {
            result.problem =
                "status " + std::to_string(response.status) + ": " + excerpt(without_key(response.body));
            result.again = worth_retrying(response.status);
            result.retry_after = response.retry_after;
            return result;
        }
        result.problem =
            "its answer has not the form that was expected: " + excerpt(without_key(response.body));
        result.again = true;
        AgentReply reply = reader(nlohmann::json::parse(response.body));
        if (reply.text.size() > max_reply_bytes) {
            result.problem = "its reply is longer than " + std::to_string(max_reply_bytes >> 20U) + " MiB";
            result.again = false;
            return result;
        }
        result.reply = std::move(reply);
    } catch (const nlohmann::json::exception&) {  // `problem` says it
    } catch (const HttpFailure& failure) {
        result.problem = failure.what();
        result.again = failure.worth_another_try();
    }
    return result;
}

void ChatEndpoint::wait(int next_attempt, const Attempt& last, const std::string& url) const {
    double seconds = back_off(options_.retry, next_attempt, random_seed());
    if (const auto asked = retry_after_seconds(last.retry_after, static_cast<double>(std::time(nullptr)))) {
        if (*asked > options_.retry.most_asked_seconds) {
            throw AgentFailure(url + ": " + last.problem + " (it asks to come back after " + compact(*asked) +
                               " s, which is too long)");
        }
        seconds = std::max(seconds, *asked);
    }
    options_.retry.sleep(seconds);
}

nlohmann::json chat_messages(const AgentRequest& request) {
    nlohmann::json messages = nlohmann::json::array();
    for (const ChatMessage& message : request.messages) {
        messages.push_back({{"role", message.role == ChatMessage::Role::user ? "user" : "assistant"},
                            {"content", message.text}});
    }
    return messages;
}

std::optional<std::int64_t> token_count(const nlohmann::json& usage, const char* name) {
    if (!usage.is_object() || !usage.contains(name) || !usage[name].is_number_unsigned()) {
        return std::nullopt;
    }
    return usage[name].get<std::int64_t>();
}

}  // namespace kbeval
