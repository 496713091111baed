// Every parser of context documents on any bytes: it throws kbeval::Error, or what it parsed renders back to
// them. The first byte picks the parser.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "context/bullets.h"
#include "context/cards.h"
#include "context/citations.h"
#include "context/code_similarity.h"
#include "context/context_set.h"
#include "context/format.h"
#include "context/living.h"

using namespace kbeval;

namespace {

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void try_one(unsigned which, const std::string& text) {
    switch (which % 7) {
        case 0:
            require(render(parse_bullets("f", text, BulletStyle::ace).document) == text);
            break;
        case 1:
            require(render(parse_bullets("f", text, BulletStyle::mem0).document) == text);
            break;
        case 2:
            require(render(parse_living("f", text).document) == text);
            break;
        case 3:
            parse_cards("f", text);
            break;
        case 4:
            summarize("f", text, DocumentFormat::context_set);
            break;
        case 5:
            summarize("f", text, DocumentFormat::problem_records);
            break;
        default:
            read_citations(text);
            code_shingles(text);
            summarize("f", text, detect_format("f", text));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 0) {
        try {
            try_one(data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
        } catch (const Error&) {
            // Refused with a message: what is asked of a parser.
        }
    }
    return 0;
}
