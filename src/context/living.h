#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "context/finding.h"

namespace kbeval {

enum class LivingKind { lesson, pitfall, recipe, kernel };

std::string_view to_string(LivingKind kind);

/// One item of living memory.
struct LivingItem {
    LivingKind kind = LivingKind::lesson;
    std::string family;   ///< empty for lessons
    std::string problem;  ///< id; kernels only
    std::string name;     ///< problem name; recipes and kernels
    std::string speedup;  ///< two decimals as written, without the x: 2.29; recipes and kernels
    std::string text;     ///< the sentence, or a kernel's source without its last line end

    friend bool operator==(const LivingItem&, const LivingItem&) = default;
};

/// An item with the bytes around it, so that the document renders as it was.
struct PlacedItem {
    LivingItem item;
    std::string before;  ///< "- ", "- [2.29x on NAME] ", "```python\n"
    std::string after;   ///< up to the next item or heading
    std::size_t offset = 0;
};

struct LivingSection {
    std::string heading;  ///< the whole `### ` line with its end
    std::string lead;     ///< what stands before the first item
    std::vector<PlacedItem> items;
};

/// A context of living memory: Markdown sections with lessons, pitfalls of a family, recipes with their
/// speedups and verified kernels.
struct LivingDocument {
    std::string preamble;
    std::vector<LivingSection> sections;
};

struct ParsedLiving {
    LivingDocument document;
    std::vector<Finding> findings;
};

/// Parses in linear time. Throws an input error with line and column where the text is not UTF-8; what it
/// can't read as an item stays in place as text, with a finding.
ParsedLiving parse_living(const std::string& name, std::string_view text);

std::string render(const LivingDocument& document);

/// The canonical heading of the section that holds an item.
std::string living_heading(const LivingItem& item);
/// The canonical line or block of an item, without a line end.
std::string living_text(const LivingItem& item);

/// First line of every context of living memory.
inline constexpr std::string_view living_title =
    "## Kernel memory (items verified by the protected evaluator on training problems; may not all apply)";

}  // namespace kbeval
