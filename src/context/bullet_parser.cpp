#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "context/bullet_form.h"
#include "context/bullets.h"
#include "context/lines.h"

namespace kbeval {

namespace {

constexpr std::size_t longest_id = 64;
/// letters-digits, as str-00001.
bool well_formed_id(std::string_view id) {
    const std::size_t dash = id.rfind('-');
    const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    return dash != std::string_view::npos && dash > 0 && dash + 1 < id.size() &&
           std::isalpha(static_cast<unsigned char>(id[0])) != 0 &&
           std::all_of(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(dash), letter) &&
           std::all_of(id.begin() + static_cast<std::ptrdiff_t>(dash) + 1, id.end(), digit);
}

/// The text in the brackets that a line starts with.
std::optional<std::string_view> bracketed(std::string_view line) {
    if (line.empty() || line[0] != '[') {
        return std::nullopt;
    }
    const std::size_t close = line.find_first_of("[]", 1);
    if (close == std::string_view::npos || line[close] != ']' || close - 1 > longest_id) {
        return std::nullopt;
    }
    return line.substr(1, close - 1);
}

class Parser {
  public:
    Parser(const std::string& name, std::string_view text, BulletStyle style)
        : name_(name), text_(text), style_(style) {
        parsed_.document.style = style;
    }

    ParsedBullets run() {
        for (std::size_t at = 0; at < text_.size();) {
            const Line line = line_at(text_, at);
            take(line);
            at = line.next;
        }
        check_end();
        check_ids();
        return std::move(parsed_);
    }

  private:
    void find(std::size_t offset, std::string rule, std::string message) {
        if (parsed_.findings.size() < most_findings) {
            parsed_.findings.push_back({place_of(text_, offset), std::move(rule), std::move(message)});
        }
    }

    bool starts_bullet(std::string_view line) const {
        const auto id = bracketed(line);
        if (!id) {
            return false;
        }
        const std::string_view after = line.substr(id->size() + 2);
        if (style_ == BulletStyle::ace) {
            return after.starts_with(helpful_mark) || (well_formed_id(*id) && after.starts_with(" harmful="));
        }
        return well_formed_id(*id) && (after.empty() || after[0] == ' ');
    }

    void take(const Line& line) {
        const std::string_view content = line_text(text_, line);
        if (starts_bullet(content)) {
            start_bullet(line);
            return;
        }
        if (fence_.empty() && style_ == BulletStyle::ace && content.starts_with("## ")) {
            start_section(line);
            return;
        }
        follow_fence(line, content);
        append(line);
        if (fence_.empty()) {
            check_lost(line, content);
        }
    }

    void follow_fence(const Line& line, std::string_view content) {
        if (!fence_.empty()) {
            if (closes_fence(content, fence_)) {
                fence_ = {};
            }
        } else if (fence_length(content) > 0 && closed_later(line, content)) {
            fence_ = content;
        }
    }

    /// Whether the block closes before the next bullet. Looks ahead no further than the last search did, so
    /// that a file of opening fences stays linear.
    bool closed_later(const Line& from, std::string_view opening) {
        if (from.begin < no_close_before_) {
            return false;
        }
        for (std::size_t at = from.next; at < text_.size();) {
            const Line line = line_at(text_, at);
            const std::string_view content = line_text(text_, line);
            if (closes_fence(content, opening)) {
                return true;
            }
            if (starts_bullet(content)) {
                break;
            }
            at = line.next;
            no_close_before_ = at;
        }
        find(from.begin, "open-fence", "a fenced block is not closed before the next bullet or the end");
        return false;
    }

    void append(const Line& line) {
        const std::string_view raw = text_.substr(line.begin, line.next - line.begin);
        auto& sections = parsed_.document.sections;
        if (sections.empty()) {
            parsed_.document.preamble += raw;
        } else if (sections.back().bullets.empty()) {
            sections.back().lead += raw;
        } else {
            sections.back().bullets.back().rest += raw;
        }
    }

    /// Lines that were meant as headers and are none.
    void check_lost(const Line& line, std::string_view content) {
        const auto id = bracketed(content);
        if (style_ == BulletStyle::ace && id && well_formed_id(*id)) {
            find(line.begin, "malformed-bullet",
                 "[" + std::string(*id) +
                     "] starts a line without counts; taken as text of the bullet before");
        } else if (style_ == BulletStyle::ace && content.starts_with("helpful=")) {
            find(line.begin, "lost-id", "counts without an id; taken as text of the bullet before");
        } else if (style_ == BulletStyle::mem0 && id &&
                   (id->starts_with("mem") || id->find('-') != std::string_view::npos) && !id->empty() &&
                   id->find(' ') == std::string_view::npos) {
            find(line.begin, "malformed-id",
                 "[" + std::string(*id) + "] is no id such as [mem-00035]; taken as text of the item before");
        } else if (style_ == BulletStyle::mem0 && id && id->empty()) {
            find(line.begin, "lost-id", "empty brackets start a line; taken as text of the item before");
        }
    }

    void start_section(const Line& line) {
        BulletSection section;
        section.heading = text_.substr(line.begin, line.next - line.begin);
        const std::string_view title = line_text(text_, line).substr(3);
        section.title = title.substr(0, title.find_last_not_of(" \t") + 1);
        for (const BulletSection& known : parsed_.document.sections) {
            if (!known.heading.empty() && known.title == section.title) {
                find(line.begin, "section-twice", "section '" + section.title + "' was there already");
                break;
            }
        }
        parsed_.document.sections.push_back(std::move(section));
    }

    void start_bullet(const Line& line) {
        const std::string_view content = line_text(text_, line);
        Bullet bullet;
        bullet.offset = line.begin;
        bullet.id = *bracketed(content);
        std::size_t at = bullet.id.size() + 2;
        if (style_ == BulletStyle::ace) {
            at = read_count(line, content, at, helpful_mark, bullet.helpful);
            at = read_count(line, content, at, harmful_mark, bullet.harmful);
            if (!content.substr(at).starts_with(" ::")) {
                refuse(name_, text_, line.begin + at,
                       "' :: ' is missing after the counts of [" + bullet.id + "]");
            }
            at += 3;
        }
        bullet.rest = text_.substr(line.begin + at, line.next - line.begin - at);
        auto& sections = parsed_.document.sections;
        if (sections.empty()) {
            sections.emplace_back();
        }
        sections.back().bullets.push_back(std::move(bullet));
    }

    std::size_t read_count(const Line& line, std::string_view content, std::size_t at, std::string_view mark,
                           BulletCount& count) const {
        const std::string what(mark.substr(1, mark.size() - 2));
        if (!content.substr(at).starts_with(mark)) {
            refuse(name_, text_, line.begin + at, "'" + what + "=' is missing in this bullet's header");
        }
        at += mark.size();
        const std::size_t end = std::min(content.find_first_not_of("0123456789", at), content.size());
        count.digits = content.substr(at, end - at);
        if (count.digits.empty()) {
            const bool negative = at < content.size() && content[at] == '-';
            refuse(name_, text_, line.begin + at,
                   negative ? "the " + what + " count is negative"
                            : "the " + what + " count is no whole number");
        }
        const auto result =
            std::from_chars(count.digits.data(), count.digits.data() + count.digits.size(), count.value);
        if (result.ec != std::errc{}) {
            refuse(name_, text_, line.begin + at, "the " + what + " count is too large for 64 bits");
        }
        return end;
    }

    void check_end() {
        const std::size_t newline = text_.rfind('\n');
        const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
        const std::string_view last = text_.substr(begin);
        if (!last.empty() && last[0] == '[' && last.find(']') == std::string_view::npos &&
            last.size() <= longest_id) {
            find(begin, "truncated", "the document ends in the middle of a bullet's id");
        }
    }

    void check_ids() {
        std::map<std::string, std::size_t> seen;
        for (const Bullet* const bullet : parsed_.document.bullets()) {
            if (bullet->id.empty()) {
                find(bullet->offset, "lost-id", "a bullet without an id");
                continue;
            }
            if (!well_formed_id(bullet->id)) {
                find(bullet->offset, "malformed-id", "[" + bullet->id + "] is no id such as [str-00001]");
            }
            const auto [other, fresh] = seen.emplace(lower_case(bullet->id), bullet->offset);
            if (!fresh) {
                find(bullet->offset, "doubled-id",
                     "[" + bullet->id + "] was there already at line " +
                         std::to_string(place_of(text_, other->second).line));
            }
            if (bullet->text().empty()) {
                find(bullet->offset, "empty-bullet", "[" + bullet->id + "] has no text");
            }
        }
        if (seen.empty()) {
            find(0, "no-bullets", "no bullet was found");
        }
    }

    const std::string& name_;
    std::string_view text_;
    BulletStyle style_;
    ParsedBullets parsed_;
    std::string_view
        fence_;  ///< the line that opened the block we are in, which closes; empty outside of one
    std::size_t no_close_before_ = 0;
};

}  // namespace

ParsedBullets parse_bullets(const std::string& name, std::string_view text, BulletStyle style) {
    require_text(name, text);
    return Parser(name, text, style).run();
}

}  // namespace kbeval
