#include "context/citations.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/bullet_form.h"
#include "context/documents.h"
#include "context/lines.h"

namespace kbeval {

namespace {

/// `reply` without its fenced blocks.
std::string prose(std::string_view reply) {
    std::string out;
    std::string_view opening;
    for (std::size_t at = 0; at < reply.size();) {
        const Line line = line_at(reply, at);
        const std::string_view content = line_text(reply, line);
        if (!opening.empty()) {
            opening = closes_fence(content, opening) ? std::string_view() : opening;
        } else if (fence_length(content) > 0) {
            opening = content;
        } else {
            out.append(content).append("\n");
        }
        at = line.next;
    }
    return out;
}

/// The id of a reply among the events of a playbook.
std::string reply_key(const CitedIn& where) {
    if (!where.turn.empty()) {
        return "turn " + where.turn;
    }
    if (!where.reply.empty()) {
        return "reply " + sha256_hex(where.reply);
    }
    return where.evaluation.empty() ? "" : "evaluation " + where.evaluation;
}

std::string_view to_string(EventSource source) {
    switch (source) {
        case EventSource::agent_citation:
            return "agent_citation";
        case EventSource::reflector:
            return "reflector";
        case EventSource::verdict_rule:
            return "verdict_rule";
    }
    return "";
}

std::int64_t evaluation_key(Database& database, const std::string& id) {
    Statement row(database, "SELECT key FROM evaluation WHERE id = ?");
    row.bind(1, id);
    if (!row.step()) {
        throw input_error("no evaluation has the id " + printable(id));
    }
    return row.integer(0);
}

bool bullet_known(Database& database, const std::string& playbook, const std::string& bullet) {
    Statement row(database, "SELECT 1 FROM bullet_counts WHERE playbook = ? AND bullet = ?");
    row.bind(1, playbook);
    row.bind(2, bullet);
    return row.step();
}

}  // namespace

std::vector<Citation> read_citations(std::string_view reply) {
    // A word that judges, or an id; a clause or line end forgets the word, unless a list follows a colon.
    static const re2::RE2 expression(
        "(?i)\\b(not (?:very )?(?:helpful|useful)|unhelpful|misleading|harmful|misled|wrong)\\b|"
        "\\b(helpful|useful|helped|used)\\b|\\[?\\b([a-z][a-z0-9]{1,15}-[0-9]{3,})\\b\\]?|(\\n\\s*\\n|[.;!?]"
        "\\s|\\n#)");
    const std::string text = prose(reply);
    std::vector<Citation> citations;
    std::vector<std::string> waiting;  // ids before their word: "[str-00001] was helpful"
    bool judged = false;
    CitationKind kind = CitationKind::helpful;
    const auto add = [&](const std::string& id) {
        const Citation citation{id, kind};
        if (std::ranges::find(citations, citation) == citations.end()) {
            citations.push_back(citation);
        }
    };
    re2::StringPiece rest(text);
    re2::StringPiece bad;
    re2::StringPiece good;
    re2::StringPiece id;
    re2::StringPiece end;
    while (re2::RE2::FindAndConsume(&rest, expression, &bad, &good, &id, &end)) {
        if (!end.empty()) {
            judged = false;
            waiting.clear();
        } else if (!id.empty()) {
            const std::string name = lower_case(std::string_view(id.data(), id.size()));
            if (judged) {
                add(name);
            } else {
                waiting.push_back(name);
            }
        } else {
            kind = bad.empty() ? CitationKind::helpful : CitationKind::harmful;
            for (const std::string& name : waiting) {
                add(name);
            }
            // "[a-001] was helpful, [b-001] misleading": the word belongs to what came before it.
            judged = waiting.empty();
            waiting.clear();
        }
    }
    return citations;
}

RecordedCitations record_citations(Store& store, const CitedIn& where, const std::vector<Citation>& citations,
                                   EventSource source) {
    const std::string reply = reply_key(where);
    if (reply.empty()) {
        throw input_error("citations need an evaluation, a turn or a reply that they were made in");
    }
    find_document(store, where.playbook);
    Database& database = store.database();
    Transaction transaction(database);
    RecordedCitations recorded;
    Statement row(
        database,
        "INSERT OR IGNORE INTO bullet_event (playbook, bullet, kind, source, reply, evaluation, reader, "
        "created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Citation& citation : citations) {
        const std::string_view kind = citation.kind == CitationKind::helpful ? "helpful" : "harmful";
        Statement before(
            database,
            "SELECT 1 FROM bullet_event WHERE playbook = ? AND bullet = ? AND kind = ? AND source = ? "
            "AND reply = ?");
        int parameter = 0;
        for (const std::string_view value :
             {std::string_view(where.playbook), std::string_view(citation.bullet), kind, to_string(source),
              std::string_view(reply)}) {
            before.bind(++parameter, value);
            row.bind(parameter, value);
        }
        const bool counted_before = before.step();
        if (where.evaluation.empty()) {
            row.bind_null(6);
        } else {
            row.bind(6, evaluation_key(database, where.evaluation));
        }
        row.bind(7, where.reader);
        row.bind(8, utc_now());
        row.run();
        const bool known = bullet_known(database, where.playbook, citation.bullet);
        recorded.unknown += known ? 0 : 1;
        recorded.known += known && counted_before ? 1 : 0;
        recorded.counted += known && !counted_before ? 1 : 0;
    }
    transaction.commit();
    return recorded;
}

}  // namespace kbeval
