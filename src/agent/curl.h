#pragma once

#include <memory>

#include "agent/http.h"

namespace kbeval {

/// HTTP and HTTPS through libcurl, which is loaded at run time: kbeval starts on machines without it, and the
/// portable binary needs none. Follows no redirect, since that could carry a key to another host.
class CurlTransport : public HttpTransport {
  public:
    /// Throws an infrastructure error where libcurl is missing.
    CurlTransport();
    ~CurlTransport() override;

    HttpResponse post(const HttpRequest& request) override;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace kbeval
