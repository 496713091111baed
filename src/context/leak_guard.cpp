#include "context/leak_guard.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <set>

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

class Guard {
  public:
    Guard(std::string_view context, std::vector<std::string>& leaks) : context_(context), leaks_(leaks) {}

    void look_for(const std::string& pattern, const std::string& what) {
        re2::StringPiece found;
        const re2::RE2 expression("(?i)(?:^|[^A-Za-z0-9_])(" + pattern + ")(?:$|[^A-Za-z0-9_])");
        if (re2::RE2::PartialMatch(re2::StringPiece(context_.data(), context_.size()), expression, &found)) {
            report(static_cast<std::size_t>(found.data() - context_.data()), what);
        }
    }

    void report(std::size_t offset, const std::string& what) {
        leaks_.push_back("line " + std::to_string(place_of(context_, offset).line) + ": " + what);
    }

  private:
    std::string_view context_;
    std::vector<std::string>& leaks_;
};

}  // namespace

double source_similarity(std::string_view a, std::string_view b) {
    return jaccard(shingles(a), shingles(b));
}

std::vector<std::string> find_leaks(const Problem& problem, std::string_view context,
                                    const std::vector<KnownSolution>& solutions) {
    std::vector<std::string> leaks;
    Guard guard(context, leaks);
    const std::string name = re2::RE2::QuoteMeta(problem.name);
    guard.look_for("L" + std::to_string(problem.level) + "_0*" + std::to_string(problem.number),
                   "names the problem, " + problem.id);
    // A name of one word, such as Softmax, is an operation too: then only where it says what was solved.
    if (problem.name.find('_') != std::string::npos) {
        guard.look_for(name, "names the problem, " + problem.name);
    } else {
        guard.look_for("[0-9.]+x on " + name + "\\]",
                       "a recipe measured on the problem itself, " + problem.name);
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
                guard.report(blocks[i].offset,
                             "code that is " + std::to_string(static_cast<int>(similarity * 100)) +
                                 " % like the problem's own solution from " + solution.origin);
            }
        }
    }
    return leaks;
}

}  // namespace kbeval
