#include <cstring>

#include "fingerprint.h"
#include "fingerprint_core.h"

namespace kbeval::native {

std::uint64_t fingerprint_cpu(const void* data, std::int64_t nbytes, std::uint64_t key) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    const std::int64_t whole = nbytes / 16;
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < whole; ++i) {
        Word word{};
        std::memcpy(&word, bytes + 16 * i, sizeof word);
        sum += hash_word(word, static_cast<std::uint64_t>(i), key);
    }
    if (const std::int64_t rest = nbytes % 16; rest > 0) {
        Word word{};
        std::memcpy(&word, bytes + 16 * whole, static_cast<std::size_t>(rest));
        sum += hash_word(word, static_cast<std::uint64_t>(whole), key);
    }
    return finish_hash(sum, nbytes);
}

}  // namespace kbeval::native
