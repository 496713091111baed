#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kbeval {

struct HttpRequest {
    std::string url;
    std::vector<std::string> headers;  ///< "Name: value"
    std::string body;
    double seconds = 600;                   ///< for the whole exchange
    std::size_t response_limit = 32 << 20;  ///< bytes
};

struct HttpResponse {
    long status = 0;
    std::string body;
    std::string retry_after;  ///< the header's value; empty where there is none
};

/// No whole response came: refused, cut off, too slow, too large.
class HttpFailure : public std::runtime_error {
  public:
    HttpFailure(const std::string& message, bool again) : std::runtime_error(message), again_(again) {}
    /// Whether trying again may help.
    [[nodiscard]] bool worth_another_try() const { return again_; }

  private:
    bool again_;
};

/// Sends requests; an interface, so that what retries can be tested without a network.
class HttpTransport {
  public:
    HttpTransport() = default;
    virtual ~HttpTransport() = default;
    HttpTransport(const HttpTransport&) = delete;
    HttpTransport& operator=(const HttpTransport&) = delete;

    /// POST. A response of any status is returned; throws HttpFailure where there is no whole one.
    virtual HttpResponse post(const HttpRequest& request) = 0;
};

}  // namespace kbeval
