#include "context/format.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/bullets.h"
#include "context/cards.h"
#include "context/context_set.h"
#include "context/living.h"

namespace kbeval {

namespace {

constexpr std::array<std::pair<DocumentFormat, std::string_view>, 6> names{{
    {DocumentFormat::ace, "ace"},
    {DocumentFormat::mem0, "mem0"},
    {DocumentFormat::living, "living"},
    {DocumentFormat::cards, "cards"},
    {DocumentFormat::context_set, "context-set"},
    {DocumentFormat::problem_records, "problem-records"},
}};

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// A record is an object that has `ctx`; the readers of an arm are objects of objects.
DocumentFormat detect_json(const std::string& name, std::string_view text) {
    const auto json = parse_json(name, text).value;
    if (json.is_object() && json.contains("cards")) {
        return DocumentFormat::cards;
    }
    if (json.is_object() && !json.empty() && json.begin()->is_object()) {
        return json.begin()->contains("ctx") ? DocumentFormat::problem_records : DocumentFormat::context_set;
    }
    throw input_error(printable(name) + ": JSON, but neither cards, a context set nor problem records",
                      "name the format with --format");
}

DocumentSummary summarize_bullets(const std::string& name, std::string_view text, BulletStyle style) {
    ParsedBullets parsed = parse_bullets(name, text, style);
    DocumentSummary summary;
    std::size_t sections = 0;
    for (const BulletSection& section : parsed.document.sections) {
        sections += section.heading.empty() ? 0 : 1;
    }
    summary.contents =
        counted(parsed.document.bullets().size(), style == BulletStyle::ace ? "bullet" : "item");
    if (style == BulletStyle::ace) {
        summary.contents += " in " + counted(sections, "section");
    }
    summary.renders_identically = render(parsed.document) == text;
    summary.findings = std::move(parsed.findings);
    return summary;
}

DocumentSummary summarize_living(const std::string& name, std::string_view text) {
    ParsedLiving parsed = parse_living(name, text);
    std::array<std::size_t, 4> counts{};
    for (const LivingSection& section : parsed.document.sections) {
        for (const PlacedItem& placed : section.items) {
            ++counts.at(static_cast<std::size_t>(placed.item.kind));
        }
    }
    DocumentSummary summary;
    summary.contents = counted(counts[0], "lesson") + ", " + counted(counts[1], "pitfall") + ", " +
                       counted(counts[2], "recipe") + ", " + counted(counts[3], "kernel");
    summary.renders_identically = render(parsed.document) == text;
    summary.findings = std::move(parsed.findings);
    return summary;
}

void add_layout_finding(const ParsedJson& json, std::vector<Finding>& findings) {
    if (!json.exact) {
        findings.push_back({{1, 1}, "json-layout", "laid out in a way that kbeval does not write"});
    }
}

/// Findings of the contexts inside of a set or of records, each named by where it is.
void lint_inner(const std::string& where, const std::string& text, std::set<std::string>& seen,
                std::vector<Finding>& findings) {
    if (text.empty() || !seen.insert(short_digest(text)).second) {
        return;
    }
    try {
        for (Finding finding : summarize(where, text, detect_format(where, text)).findings) {
            finding.message = where + ": " + finding.message;
            findings.push_back(std::move(finding));
        }
    } catch (const Error& error) {
        findings.push_back({{1, 1}, "unreadable-context", error.what()});
    }
}

DocumentSummary summarize_set(const std::string& name, std::string_view text) {
    const ParsedJson json = parse_json(name, text);
    const ContextSet set = read_context_set(name, json.value);
    std::set<std::string> arms;
    std::set<std::string> readers;
    std::set<std::string> problems;
    std::set<std::string> seen;
    DocumentSummary summary;
    for (const ContextEntry& entry : set.entries) {
        arms.insert(entry.arm);
        readers.insert(entry.reader);
        problems.insert(entry.problem);
        lint_inner(entry.arm + "/" + entry.reader + "/" + entry.problem, entry.text, seen, summary.findings);
    }
    summary.contents = counted(arms.size(), "arm") + ", " + counted(readers.size(), "reader") + ", " +
                       counted(problems.size(), "problem") + ", " + counted(seen.size(), "distinct context");
    summary.renders_identically = write_json(to_json(set), json.layout) == text;
    add_layout_finding(json, summary.findings);
    return summary;
}

DocumentSummary summarize_records(const std::string& name, std::string_view text) {
    const ParsedJson json = parse_json(name, text);
    const auto records = read_problem_records(name, json.value);
    DocumentSummary summary;
    std::size_t altered = 0;
    for (const ProblemRecord& record : records) {
        const std::string digest = short_digest(record.text());
        const std::int64_t characters = character_count(record.text());
        if (digest != record.ctx_sha || characters != record.ctx_chars) {
            ++altered;
            const std::size_t at = text.find("\"" + record.problem + "\"");
            summary.findings.push_back({place_of(text, at == std::string_view::npos ? 0 : at),
                                        "altered-context",
                                        record.problem + ": the context has " + std::to_string(characters) +
                                            " characters and digest " + digest + ", but was recorded with " +
                                            std::to_string(record.ctx_chars) + " and " + record.ctx_sha});
        }
    }
    summary.contents = counted(records.size(), "record") + ", " + std::to_string(altered) + " altered";
    summary.renders_identically = write_json(to_json(records), json.layout) == text;
    add_layout_finding(json, summary.findings);
    return summary;
}

}  // namespace

std::string_view to_string(DocumentFormat format) {
    for (const auto& [known, name] : names) {
        if (known == format) {
            return name;
        }
    }
    return "";
}

std::optional<DocumentFormat> format_from_string(std::string_view wanted) {
    for (const auto& [format, name] : names) {
        if (name == wanted) {
            return format;
        }
    }
    return std::nullopt;
}

std::vector<std::string> format_names() {
    std::vector<std::string> all;
    all.reserve(names.size());
    for (const auto& [format, name] : names) {
        all.emplace_back(name);
    }
    return all;
}

DocumentFormat detect_format(const std::string& name, std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos &&
        (text[first] == '{' || (text[first] == '[' && text.find("\n[") == std::string_view::npos &&
                                text.find("] ") == std::string_view::npos))) {
        return detect_json(name, text);
    }
    const auto begins_line = [&](std::string_view start) {
        return text.starts_with(start) || text.find("\n" + std::string(start)) != std::string_view::npos;
    };
    if (text.find("] helpful=") != std::string_view::npos) {
        return DocumentFormat::ace;
    }
    if (begins_line("## Kernel memory") || begins_line("### Lessons about this environment") ||
        begins_line("### A verified kernel for a related ")) {
        return DocumentFormat::living;
    }
    if (begins_line("[mem-") || text.starts_with("Mem0 ")) {
        return DocumentFormat::mem0;
    }
    if (text.starts_with("ACE playbook")) {
        return DocumentFormat::ace;
    }
    throw input_error(printable(name) + ": looks like none of the formats " + join(format_names(), ", "),
                      "name the format with --format");
}

DocumentSummary summarize(const std::string& name, std::string_view text, DocumentFormat format) {
    DocumentSummary summary;
    switch (format) {
        case DocumentFormat::ace:
            summary = summarize_bullets(name, text, BulletStyle::ace);
            break;
        case DocumentFormat::mem0:
            summary = summarize_bullets(name, text, BulletStyle::mem0);
            break;
        case DocumentFormat::living:
            summary = summarize_living(name, text);
            break;
        case DocumentFormat::cards: {
            CardDocument cards = parse_cards(name, text);
            summary.contents = counted(cards.cards.size(), "card");
            summary.renders_identically = write_json(cards.json.value, cards.json.layout) == text;
            summary.findings = std::move(cards.findings);
            break;
        }
        case DocumentFormat::context_set:
            summary = summarize_set(name, text);
            break;
        case DocumentFormat::problem_records:
            summary = summarize_records(name, text);
            break;
    }
    summary.format = format;
    return summary;
}

std::string render_again(const std::string& name, std::string_view text, DocumentFormat format) {
    switch (format) {
        case DocumentFormat::ace:
            return render(parse_bullets(name, text, BulletStyle::ace).document);
        case DocumentFormat::mem0:
            return render(parse_bullets(name, text, BulletStyle::mem0).document);
        case DocumentFormat::living:
            return render(parse_living(name, text).document);
        case DocumentFormat::cards:
        case DocumentFormat::context_set:
        case DocumentFormat::problem_records:
            break;
    }
    const ParsedJson json = parse_json(name, text);
    // What kbeval can't lay out the same way is handed back as it came.
    return json.exact ? write_json(json.value, json.layout) : std::string(text);
}

}  // namespace kbeval
