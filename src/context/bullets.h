#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "context/finding.h"

namespace kbeval {

/// A helpful or harmful count with the digits it was written in (007 stays 007 until it changes).
struct BulletCount {
    std::int64_t value = 0;
    std::string digits = "0";

    void set(std::int64_t new_value);
};

/// One item of an ACE playbook (`[str-00001] helpful=88 harmful=0 :: text`) or of a Mem0 list
/// (`[mem-00035] text`).
struct Bullet {
    std::string id;       ///< as written, without the brackets; empty where it was lost
    BulletCount helpful;  ///< of ACE; 0 in Mem0
    BulletCount harmful;
    std::string rest;        ///< all that follows the header, line ends included
    std::size_t offset = 0;  ///< where it begins in the document

    /// `rest` without the white space around it: what people call the bullet's text.
    [[nodiscard]] std::string_view text() const;
};

struct BulletSection {
    std::string heading;  ///< the whole `## ` line with its line end; empty where bullets have no section
    std::string title;    ///< without the marks
    std::string lead;     ///< what stands between heading and first bullet
    std::vector<Bullet> bullets;
};

enum class BulletStyle { ace, mem0 };

/// An ACE playbook or a Mem0 list as items; `render` gives back the bytes that were parsed.
struct BulletDocument {
    BulletStyle style = BulletStyle::ace;
    std::string preamble;
    std::vector<BulletSection> sections;

    [[nodiscard]] std::vector<const Bullet*> bullets() const;
    [[nodiscard]] const Bullet* find(std::string_view id) const;  ///< by id in any letter case
};

struct ParsedBullets {
    BulletDocument document;
    std::vector<Finding> findings;
};

/// Parses in linear time. A bullet begins at a line that starts with its header, wherever that is, and goes
/// on to the next header, `## ` line or the end; a `## ` line in a fenced block that is closed before the
/// next header is text. Throws an input error with line and column where the text is not UTF-8, a count is
/// negative, too large or no number, or a header is cut short.
ParsedBullets parse_bullets(const std::string& name, std::string_view text, BulletStyle style);

std::string render(const BulletDocument& document);

}  // namespace kbeval
