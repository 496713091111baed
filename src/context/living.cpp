#include "context/living.h"

namespace kbeval {

std::string_view to_string(LivingKind kind) {
    switch (kind) {
        case LivingKind::lesson:
            return "lesson";
        case LivingKind::pitfall:
            return "pitfall";
        case LivingKind::recipe:
            return "recipe";
        case LivingKind::kernel:
            return "kernel";
    }
    return "";
}

std::string render(const LivingDocument& document) {
    std::string out = document.preamble;
    for (const LivingSection& section : document.sections) {
        out += section.heading;
        out += section.lead;
        for (const PlacedItem& placed : section.items) {
            out += placed.before;
            out += placed.item.text;
            out += placed.after;
        }
    }
    return out;
}

std::string living_heading(const LivingItem& item) {
    switch (item.kind) {
        case LivingKind::lesson:
            return "### Lessons about this environment (from official checker verdicts and verified "
                   "outcomes)";
        case LivingKind::pitfall:
            return "### Pitfalls seen on earlier " + item.family +
                   " problems (wrong results or slower than eager)";
        case LivingKind::recipe:
            return "### Verified recipes for " + item.family +
                   " problems (speedups measured by the protected evaluator)";
        case LivingKind::kernel:
            return "### A verified kernel for a related " + item.family + " problem (" + item.problem + " " +
                   item.name + ", " + item.speedup + "x): adapt what applies";
    }
    return {};
}

std::string living_text(const LivingItem& item) {
    switch (item.kind) {
        case LivingKind::recipe:
            return "- [" + item.speedup + "x on " + item.name + "] " + item.text;
        case LivingKind::kernel:
            return "```python\n" + item.text + "\n```";
        case LivingKind::lesson:
        case LivingKind::pitfall:
            break;
    }
    return "- " + item.text;
}

}  // namespace kbeval
