#include "agent/curl.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/error.h"

// The checking macros would name the library's functions, which are not linked.
#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace kbeval {

namespace {

constexpr long connect_seconds = 30;

struct Incoming {
    std::string body;
    std::string retry_after;
    std::size_t limit = 0;
    bool too_large = false;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
    auto& incoming = *static_cast<Incoming*>(user);
    const std::size_t bytes = size * count;
    if (incoming.body.size() + bytes > incoming.limit) {
        incoming.too_large = true;
        return 0;  // ends the transfer
    }
    incoming.body.append(data, bytes);
    return bytes;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
    constexpr std::string_view name = "retry-after:";
    const std::string_view line(data, size * count);
    const bool ours =
        line.size() > name.size() && std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
            return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
        });
    if (ours) {
        std::string value(line.substr(name.size()));
        value.erase(0, value.find_first_not_of(" \t"));
        value.erase(value.find_last_not_of(" \t\r\n") + 1);
        static_cast<Incoming*>(user)->retry_after = value;
    }
    return size * count;
}

bool worth_another_try(CURLcode code) {
    switch (code) {
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_URL_MALFORMAT:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_OUT_OF_MEMORY:
            return false;
        default:
            return true;
    }
}

}  // namespace

struct CurlTransport::Library {
    struct Close {
        void operator()(void* handle) const { ::dlclose(handle); }
    };
    std::unique_ptr<void, Close> handle;
    decltype(&::curl_global_init) global_init = nullptr;
    decltype(&::curl_easy_init) easy_init = nullptr;
    decltype(&::curl_easy_setopt) setopt = nullptr;
    decltype(&::curl_easy_perform) perform = nullptr;
    decltype(&::curl_easy_getinfo) getinfo = nullptr;
    decltype(&::curl_easy_cleanup) cleanup = nullptr;
    decltype(&::curl_easy_strerror) strerror = nullptr;
    decltype(&::curl_slist_append) append = nullptr;
    decltype(&::curl_slist_free_all) free_all = nullptr;

    template <typename F>
    void load(F& function, const char* symbol) const {
        function = reinterpret_cast<F>(::dlsym(handle.get(), symbol));
        if (function == nullptr) {
            throw infrastructure_error(std::string("libcurl has no ") + symbol);
        }
    }
};

CurlTransport::CurlTransport() : library_(std::make_unique<Library>()) {
    Library& l = *library_;
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
        if (!l.handle) {
            l.handle.reset(::dlopen(name, RTLD_NOW | RTLD_NODELETE));
        }
    }
    if (!l.handle) {
        throw infrastructure_error(
            "agents that speak HTTP need libcurl, and libcurl.so.4 is not on this machine",
            "apt-get install libcurl4");
    }
    l.load(l.global_init, "curl_global_init");
    l.load(l.easy_init, "curl_easy_init");
    l.load(l.setopt, "curl_easy_setopt");
    l.load(l.perform, "curl_easy_perform");
    l.load(l.getinfo, "curl_easy_getinfo");
    l.load(l.cleanup, "curl_easy_cleanup");
    l.load(l.strerror, "curl_easy_strerror");
    l.load(l.append, "curl_slist_append");
    l.load(l.free_all, "curl_slist_free_all");
    l.global_init(CURL_GLOBAL_DEFAULT);
}

CurlTransport::~CurlTransport() = default;

HttpResponse CurlTransport::post(const HttpRequest& request) {
    const Library& l = *library_;
    const std::unique_ptr<CURL, void (*)(CURL*)> handle(l.easy_init(), l.cleanup);
    if (!handle) {
        throw infrastructure_error("libcurl can't start");
    }
    std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, l.free_all);
    for (const std::string& header : request.headers) {
        curl_slist* const longer = l.append(headers.get(), header.c_str());
        (void)headers.release();
        headers.reset(longer);
    }
    Incoming incoming;
    incoming.limit = request.response_limit;
    CURL* const h = handle.get();
    l.setopt(h, CURLOPT_URL, request.url.c_str());
    l.setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
    l.setopt(h, CURLOPT_POST, 1L);
    l.setopt(h, CURLOPT_POSTFIELDS, request.body.c_str());
    l.setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    l.setopt(h, CURLOPT_HTTPHEADER, headers.get());
    l.setopt(h, CURLOPT_CONNECTTIMEOUT, connect_seconds);
    l.setopt(h, CURLOPT_TIMEOUT_MS, static_cast<long>(request.seconds * 1000));
    l.setopt(h, CURLOPT_NOSIGNAL, 1L);
    l.setopt(h, CURLOPT_ACCEPT_ENCODING, "");
    l.setopt(h, CURLOPT_WRITEFUNCTION, &take_body);
    l.setopt(h, CURLOPT_WRITEDATA, &incoming);
    l.setopt(h, CURLOPT_HEADERFUNCTION, &take_header);
    l.setopt(h, CURLOPT_HEADERDATA, &incoming);
    const CURLcode code = l.perform(h);
    if (incoming.too_large) {
        throw HttpFailure("the response is larger than " + std::to_string(incoming.limit >> 20U) + " MiB",
                          false);
    }
    if (code != CURLE_OK) {
        throw HttpFailure(l.strerror(code), worth_another_try(code));
    }
    HttpResponse response{0, std::move(incoming.body), std::move(incoming.retry_after)};
    l.getinfo(h, CURLINFO_RESPONSE_CODE, &response.status);
    return response;
}

}  // namespace kbeval
