#include "base/deflate.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <array>

#include "base/error.h"

namespace kbeval {

std::string deflate(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    const int code = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                               Z_BEST_SPEED);
    if (code != Z_OK) {
        throw infrastructure_error("zlib cannot compress: out of memory");
    }
    packed.resize(size);
    return packed;
}

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock adds a NUL
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                    reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.pop_back();
    return text;
}

std::string sha256_base64(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
        throw infrastructure_error("libcrypto cannot compute SHA-256");
    }
    return base64({reinterpret_cast<const char*>(digest.data()), length});
}

}  // namespace kbeval
