#pragma once

#include <string>
#include <string_view>

namespace kbeval {

/// `bytes` compressed in zlib's format (RFC 1950), which browsers read as "deflate".
std::string deflate(std::string_view bytes);

/// Base64 (RFC 4648, section 4), padded, on one line.
std::string base64(std::string_view bytes);

/// Base64 of the SHA-256, as Content-Security-Policy names an inline script or style.
std::string sha256_base64(std::string_view bytes);

}  // namespace kbeval
