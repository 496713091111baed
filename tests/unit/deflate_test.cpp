#include "base/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "stats/random.h"

namespace kbeval {
namespace {

std::string inflate(const std::string& packed, std::size_t size) {
    std::string bytes(size, '\0');
    uLongf length = size;
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                         reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
              Z_OK);
    EXPECT_EQ(length, size);
    return bytes;
}

TEST(Deflate, ComesBack) {
    Xoshiro256 random(1);
    for (const std::size_t size : {0U, 1U, 1000U, 100'000U}) {
        std::string noise;
        while (noise.size() < size) {
            noise += static_cast<char>(random.below(256));
        }
        EXPECT_EQ(inflate(deflate(noise), size), noise);
        const std::string even(size, 'x');
        EXPECT_EQ(inflate(deflate(even), size), even);
        EXPECT_LT(deflate(even).size(), size / 50 + 20);
    }
}

TEST(Base64, AgreesWithRfc4648) {
    // Section 10.
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64(std::string("\0\xff", 2)), "AP8=");
}

TEST(Sha256Base64, AgreesWithAPublishedPolicy) {
    // The example of Content Security Policy Level 3, section 8.3, for the script "alert('Hello, world.');".
    EXPECT_EQ(sha256_base64("alert('Hello, world.');"), "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
}

}  // namespace
}  // namespace kbeval
