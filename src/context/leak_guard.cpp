#include "context/leak_guard.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "context/bullet_form.h"
#include "context/finding.h"
#include "context/lines.h"

namespace kbeval {

namespace {

constexpr std::size_t shingle_tokens = 5;

std::vector<std::string_view> tokens(std::string_view source) {
    const auto in_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    std::vector<std::string_view> found;
    for (std::size_t at = 0; at < source.size();) {
        const auto c = static_cast<unsigned char>(source[at]);
        if (c == '#') {
            at = std::min(source.find('\n', at), source.size());
        } else if (std::isspace(c) != 0) {
            ++at;
        } else {
            std::size_t end = at + 1;
            while (in_word(c) && end < source.size() && in_word(static_cast<unsigned char>(source[end]))) {
                ++end;
            }
            found.push_back(source.substr(at, end - at));
            at = end;
        }
    }
    return found;
}

std::set<std::string> shingles(std::string_view source) {
    const auto all = tokens(source);
    std::set<std::string> found;
    for (std::size_t i = 0; i + shingle_tokens <= all.size(); ++i) {
        std::string shingle;
        for (std::size_t j = i; j < i + shingle_tokens; ++j) {
            shingle.append(all[j]).append(" ");
        }
        found.insert(std::move(shingle));
    }
    return found;
}

double jaccard(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::size_t shared = 0;
    for (const std::string& member : a) {
        shared += b.contains(member) ? 1 : 0;
    }
    const std::size_t all = a.size() + b.size() - shared;
    return all == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(all);
}

struct Block {
    std::size_t offset = 0;
    std::string_view source;
};

std::vector<Block> fenced_blocks(std::string_view text) {
    std::vector<Block> blocks;
    std::string_view opening;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Line line = line_at(text, at);
        const std::string_view content = line_text(text, line);
        if (!opening.empty() && closes_fence(content, opening)) {
            blocks.push_back({begin, text.substr(begin, line.begin - begin)});
            opening = {};
        } else if (opening.empty() && fence_length(content) > 0) {
            opening = content;
            begin = line.next;
        }
        at = line.next;
    }
    if (!opening.empty()) {
        blocks.push_back({begin, text.substr(begin)});
    }
    return blocks;
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

}  // namespace

double source_similarity(std::string_view a, std::string_view b) {
    return jaccard(shingles(a), shingles(b));
}

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
    const std::vector<Block> blocks = solutions.empty() ? std::vector<Block>{} : fenced_blocks(context);
    std::vector<std::set<std::string>> of_blocks;
    of_blocks.reserve(blocks.size());
    for (const Block& block : blocks) {
        of_blocks.push_back(shingles(block.source));
    }
    for (const KnownSolution& solution : solutions) {
        const auto known = shingles(solution.source);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const double similarity = jaccard(of_blocks[i], known);
            if (similarity >= leak_similarity) {
                report(blocks[i].offset, "code that is " +
                                             std::to_string(static_cast<int>(similarity * 100)) +
                                             " % like the problem's own solution from " + solution.origin);
            }
        }
    }
    return leaks;
}

}  // namespace kbeval
