#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/error.h"

namespace kbeval {

struct Sha256::State {
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

namespace {
void require(bool ok) {
    if (!ok) {
        throw infrastructure_error("libcrypto cannot compute SHA-256");
    }
}
}  // namespace

Sha256::Sha256() : state_(std::make_unique<State>()) {
    require(state_->context != nullptr &&
            EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
    require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

void Sha256::field(std::string_view bytes) {
    update(std::to_string(bytes.size()) + ":");
    update(bytes);
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) == 1);
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += digits[digest[i] >> 4U];
        text += digits[digest[i] & 15U];
    }
    return text;
}

std::string sha256_hex(std::string_view bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.hex();
}

std::string short_digest(std::string_view bytes) {
    return sha256_hex(bytes).substr(0, 16);
}

}  // namespace kbeval
