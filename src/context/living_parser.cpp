#include <optional>
#include <set>
#include <utility>

#include "context/lines.h"
#include "context/living.h"

namespace kbeval {

namespace {

/// The text between `before` and the first `after` of a line that starts with `before`.
std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view after) {
    if (!line.starts_with(before)) {
        return std::nullopt;
    }
    line.remove_prefix(before.size());
    const std::size_t end = line.find(after);
    return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(0, end));
}

/// Digits, a point, digits: 36.02.
bool is_speedup(std::string_view text) {
    const std::size_t point = text.find('.');
    constexpr std::string_view digits = "0123456789";
    return point != std::string_view::npos && point > 0 && point <= 9 && point + 1 < text.size() &&
           text.size() - point <= 9 && text.find_first_not_of(digits) == point &&
           text.find_first_not_of(digits, point + 1) == std::string_view::npos;
}

/// What a heading says of the items under it; nothing where the section is of another kind.
std::optional<LivingItem> read_heading(std::string_view line) {
    LivingItem item;
    if (line.starts_with("### Lessons about this environment")) {
        item.kind = LivingKind::lesson;
        return item;
    }
    if (const auto family = between(line, "### Pitfalls seen on earlier ", " problems")) {
        item.kind = LivingKind::pitfall;
        item.family = *family;
        return item;
    }
    if (const auto family = between(line, "### Verified recipes for ", " problems")) {
        item.kind = LivingKind::recipe;
        item.family = *family;
        return item;
    }
    constexpr std::string_view start = "### A verified kernel for a related ";
    const auto family = between(line, start, " problem (");
    if (!family) {
        return std::nullopt;
    }
    std::string_view rest =
        line.substr(start.size() + family->size() + std::string_view(" problem (").size());
    const std::size_t close = rest.rfind("x)");
    const std::size_t comma = rest.rfind(", ", close);
    const std::size_t space = rest.find(' ');
    if (close == std::string_view::npos || comma == std::string_view::npos || space >= comma) {
        return std::nullopt;
    }
    item.kind = LivingKind::kernel;
    item.family = *family;
    item.problem = rest.substr(0, space);
    item.name = rest.substr(space + 1, comma - space - 1);
    item.speedup = rest.substr(comma + 2, close - comma - 2);
    return is_speedup(item.speedup) ? std::optional(item) : std::nullopt;
}

class Parser {
  public:
    Parser(std::string_view text) : text_(text) {}

    ParsedLiving run() {
        for (std::size_t at = 0; at < text_.size();) {
            const Line line = line_at(text_, at);
            take(line);
            at = line.next;
        }
        finish_section();
        if (parsed_.document.sections.empty()) {
            find(0, "no-sections", "no '### ' section was found");
        }
        return std::move(parsed_);
    }

  private:
    void find(std::size_t offset, std::string rule, std::string message) {
        if (parsed_.findings.size() < most_findings) {
            parsed_.findings.push_back({place_of(text_, offset), std::move(rule), std::move(message)});
        }
    }

    LivingSection& section() { return parsed_.document.sections.back(); }

    void take(const Line& line) {
        const std::string_view content = line_text(text_, line);
        const std::string_view raw = text_.substr(line.begin, line.next - line.begin);
        if (fence_.empty() && content.starts_with("### ")) {
            start_section(line, content, raw);
            return;
        }
        if (parsed_.document.sections.empty()) {
            parsed_.document.preamble += raw;
            return;
        }
        if (kind_ && kind_->kind == LivingKind::kernel) {
            take_kernel_line(line, content, raw);
        } else if (kind_ && fence_.empty() && content.starts_with("- ")) {
            start_item(line, content, raw);
        } else if (section().items.empty()) {
            section().lead += raw;
        } else {
            follow_fence(line, content);
            extend(raw);
        }
    }

    void start_section(const Line& line, std::string_view content, std::string_view raw) {
        finish_section();
        kind_ = read_heading(content);
        section_offset_ = line.begin;
        if (!kind_) {
            find(line.begin, "unknown-section",
                 "'" + std::string(content.substr(0, 80)) + "' is no section of living memory; kept as text");
        } else if (!headings_.insert(std::string(content)).second) {
            find(line.begin, "section-twice", "this section was there already");
        }
        parsed_.document.sections.push_back({std::string(raw), {}, {}});
    }

    void start_item(const Line& line, std::string_view content, std::string_view raw) {
        PlacedItem placed;
        placed.item = *kind_;
        placed.offset = line.begin;
        std::size_t prefix = 2;
        if (kind_->kind == LivingKind::recipe) {
            const auto speedup = between(content, "- [", "x on ");
            const std::size_t close = content.find("] ");
            const std::size_t name = 3 + (speedup ? speedup->size() : 0) + 5;
            if (speedup && is_speedup(*speedup) && close != std::string_view::npos && close > name) {
                placed.item.speedup = *speedup;
                placed.item.name = content.substr(name, close - name);
                prefix = close + 2;
            } else {
                find(line.begin, "malformed-recipe", "a recipe begins with '- [1.23x on NAME] '");
            }
        }
        placed.before = raw.substr(0, prefix);
        section().items.push_back(std::move(placed));
        extend(raw.substr(prefix));
    }

    /// Adds a line to the last item: its line ends wait in `after`, so that they stay outside of the text.
    void extend(std::string_view raw) {
        PlacedItem& placed = section().items.back();
        std::size_t end = raw.find_last_not_of("\r\n");
        end = end == std::string_view::npos ? 0 : end + 1;
        if (end > 0) {
            placed.item.text += placed.after;
            placed.item.text += raw.substr(0, end);
            placed.after.clear();
        }
        placed.after += raw.substr(end);
    }

    void follow_fence(const Line& line, std::string_view content) {
        if (!fence_.empty()) {
            if (closes_fence(content, fence_)) {
                fence_ = {};
            }
        } else if (fence_length(content) > 0) {
            fence_ = content;
            fence_offset_ = line.begin;
        }
    }

    void take_kernel_line(const Line& line, std::string_view content, std::string_view raw) {
        if (!fence_.empty()) {
            if (closes_fence(content, fence_)) {
                fence_ = {};
                close_kernel(raw);
            } else {
                section().items.back().item.text += raw;
            }
        } else if (section().items.empty() && fence_length(content) > 0) {
            fence_ = content;
            fence_offset_ = line.begin;
            section().items.push_back({*kind_, std::string(raw), {}, line.begin});
        } else if (section().items.empty()) {
            section().lead += raw;
        } else {
            section().items.back().after += raw;
        }
    }

    /// The source's last line end belongs to the block, not to the source.
    void close_kernel(std::string_view closing) {
        PlacedItem& placed = section().items.back();
        if (placed.item.text.ends_with('\n')) {
            placed.item.text.pop_back();
            placed.after = "\n";
        }
        placed.after += closing;
    }

    void finish_section() {
        if (!fence_.empty()) {
            find(fence_offset_, "open-fence", "a fenced block is never closed; was the document cut short?");
            fence_ = {};
        }
        if (kind_ && !parsed_.document.sections.empty() && section().items.empty()) {
            find(section_offset_, "empty-section", "a section without items");
        }
    }

    std::string_view text_;
    ParsedLiving parsed_;
    std::optional<LivingItem> kind_;  ///< of the section we are in
    std::size_t section_offset_ = 0;
    std::set<std::string> headings_;
    std::string_view fence_;
    std::size_t fence_offset_ = 0;
};

}  // namespace

ParsedLiving parse_living(const std::string& name, std::string_view text) {
    require_text(name, text);
    return Parser(text).run();
}

}  // namespace kbeval
