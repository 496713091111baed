#include "context/leak_guard.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "context/bullet_form.h"
#include "context/code_similarity.h"
#include "context/finding.h"
#include "context/lines.h"

namespace kbeval {

namespace {

struct Block {
    std::size_t offset = 0;
    std::string_view source;
};

/// A context's fenced blocks, and its prose, where code may stand without a fence.
struct Parts {
    std::vector<Block> blocks;
    std::string prose;
};

Parts parts_of(std::string_view text) {
    Parts parts;
    std::string_view opening;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Line line = line_at(text, at);
        const std::string_view content = line_text(text, line);
        if (!opening.empty() && closes_fence(content, opening)) {
            parts.blocks.push_back({begin, text.substr(begin, line.begin - begin)});
            opening = {};
        } else if (opening.empty() && fence_length(content) > 0) {
            opening = content;
            begin = line.next;
        } else if (opening.empty()) {
            parts.prose.append(content).append("\n");
        }
        at = line.next;
    }
    if (!opening.empty()) {
        parts.blocks.push_back({begin, text.substr(begin)});
    }
    return parts;
}

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
    return (begin == 0 || !in_word(text[begin - 1])) && (end >= text.size() || !in_word(text[end]));
}

/// Where a text in lower case names a problem by its id, with or without leading zeros: l2_76.
std::size_t find_id(std::string_view text, const Problem& problem) {
    const std::string start = "l" + std::to_string(problem.level) + "_";
    const std::string number = std::to_string(problem.number);
    for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at + 1)) {
        const std::size_t digits = std::min(text.find_first_not_of('0', at + start.size()), text.size());
        if (text.substr(digits).starts_with(number) && stands_alone(text, at, digits + number.size())) {
            return at;
        }
    }
    return std::string_view::npos;
}

/// Where it holds `word`, not as a part of a longer one.
std::size_t find_word(std::string_view text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        if (stands_alone(text, at, at + word.size())) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::string percent(double share) {
    return std::to_string(static_cast<int>(share * 100)) + " %";
}

using Report = std::function<void(std::size_t, const std::string&)>;

/// Code that holds a known solution, or is a large piece of one.
void find_code(const Parts& parts, const std::vector<KnownSolution>& solutions, const Report& report) {
    std::vector<CodeShingles> of_blocks;
    of_blocks.reserve(parts.blocks.size());
    for (const Block& block : parts.blocks) {
        of_blocks.push_back(code_shingles(block.source));
    }
    const CodeShingles of_prose = code_shingles(parts.prose);
    for (const KnownSolution& solution : solutions) {
        const CodeShingles known = code_shingles(solution.source);
        const std::string own = " the problem's own solution from " + solution.origin;
        for (std::size_t i = 0; i < of_blocks.size(); ++i) {
            const double held = share_within(known, of_blocks[i]);
            if (held >= leak_similarity) {
                report(parts.blocks[i].offset, "code that is " + percent(held) + " like" + own);
            } else if (held >= leak_piece && share_within(of_blocks[i], known) >= leak_taken) {
                report(parts.blocks[i].offset, "code that is " + percent(held) + " of" + own);
            }
        }
        if (const double held = share_within(known, of_prose); held >= leak_similarity) {
            report(0, "code outside of fences that is " + percent(held) + " like" + own);
        }
    }
}

}  // namespace

std::vector<std::string> find_leaks(const Problem& problem, std::string_view context,
                                    const std::vector<KnownSolution>& solutions) {
    std::vector<std::string> leaks;
    const auto report = [&](std::size_t offset, const std::string& what) {
        if (offset != std::string_view::npos) {
            leaks.push_back("line " + std::to_string(place_of(context, offset).line) + ": " + what);
        }
    };
    const std::string text = lower_case(context);
    const std::string name = lower_case(problem.name);
    report(find_id(text, problem), "names the problem, " + problem.id);
    // A name of one word, such as Softmax, is an operation too: then only where it says what was solved.
    if (name.find('_') != std::string::npos) {
        report(find_word(text, name), "names the problem, " + problem.name);
    } else {
        report(text.find("x on " + name + "]"), "a recipe measured on the problem itself, " + problem.name);
    }
    if (!solutions.empty()) {
        find_code(parts_of(context), solutions, report);
    }
    return leaks;
}

}  // namespace kbeval
