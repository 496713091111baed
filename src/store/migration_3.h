#pragma once

namespace kbeval {

/// Contexts, playbooks, living memory and the events of bullets (docs/contexts.md).
inline constexpr const char* migration_3 = R"sql(
CREATE TABLE context_text (
    digest TEXT NOT NULL PRIMARY KEY CHECK (length(digest) = 16),
    sha256 TEXT NOT NULL UNIQUE CHECK (substr(sha256, 1, 16) = digest),
    text   TEXT NOT NULL,
    chars  INTEGER NOT NULL
) STRICT;

-- `name` is unique; a part of a set is named SET/ARM and points to it.
CREATE TABLE context_document (
    key      INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE CHECK (name <> ''),
    format   TEXT NOT NULL CHECK (format IN ('ace', 'mem0', 'living', 'cards', 'context-set', 'problem-records')),
    origin   TEXT NOT NULL,
    imported TEXT NOT NULL,
    parent   INTEGER REFERENCES context_document (key) ON DELETE CASCADE,
    text     TEXT NOT NULL
) STRICT;

CREATE TABLE playbook_bullet (
    document INTEGER NOT NULL REFERENCES context_document (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    bullet   TEXT NOT NULL COLLATE NOCASE,
    section  TEXT NOT NULL,
    helpful  INTEGER NOT NULL CHECK (helpful >= 0),
    harmful  INTEGER NOT NULL CHECK (harmful >= 0),
    text     TEXT NOT NULL,
    PRIMARY KEY (document, position)
) STRICT, WITHOUT ROWID;

-- What a set or a record promises for an arm, a reader and a problem. `recorded` is the digest that a record
-- names; where the text that came with it has another, `state` says so and whether the intact text is known.
CREATE TABLE context_entry (
    document INTEGER NOT NULL REFERENCES context_document (key) ON DELETE CASCADE,
    arm      TEXT NOT NULL,
    reader   TEXT NOT NULL,
    problem  TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest   TEXT NOT NULL REFERENCES context_text (digest),
    recorded TEXT NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('intact', 'altered', 'restored')),
    PRIMARY KEY (document, arm, reader, problem)
) STRICT, WITHOUT ROWID;
CREATE INDEX context_entry_problem ON context_entry (arm, problem, reader);

-- Living memory as a store. `intact` 0: known only from an altered document.
CREATE TABLE living_item (
    key        INTEGER PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('lesson', 'pitfall', 'recipe', 'kernel')),
    family     TEXT NOT NULL,
    problem    TEXT NOT NULL,
    name       TEXT NOT NULL,
    speedup    TEXT NOT NULL,
    text       TEXT NOT NULL,
    flat       TEXT NOT NULL,
    intact     INTEGER NOT NULL CHECK (intact IN (0, 1)),
    origin     TEXT NOT NULL,
    evaluation INTEGER REFERENCES evaluation (key) ON DELETE CASCADE,
    UNIQUE (kind, family, problem, name, speedup, flat)
) STRICT;

-- Of two items with the same rounded speedup, the one that documents put first. Each is "NAME speedup".
CREATE TABLE living_order (
    family TEXT NOT NULL,
    first  TEXT NOT NULL,
    second TEXT NOT NULL,
    PRIMARY KEY (family, first, second)
) STRICT, WITHOUT ROWID;

-- The family under which documents gave a problem its living memory, where it is not the catalogue's.
CREATE TABLE living_family (
    problem TEXT NOT NULL PRIMARY KEY,
    family  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Readers that an arm gives living memory without its recipes (living:rC).
CREATE TABLE living_reader (
    arm     TEXT NOT NULL,
    reader  TEXT NOT NULL,
    recipes INTEGER NOT NULL CHECK (recipes IN (0, 1)),
    PRIMARY KEY (arm, reader)
) STRICT, WITHOUT ROWID;

CREATE TABLE context_leak (
    problem TEXT NOT NULL,
    arm     TEXT NOT NULL,
    reader  TEXT NOT NULL,
    digest  TEXT NOT NULL REFERENCES context_text (digest),
    reason  TEXT NOT NULL,
    allowed TEXT NOT NULL
) STRICT;

-- `reply` says which reply it is, so that judging or reading it again counts nothing twice.
CREATE TABLE bullet_event (
    key        INTEGER PRIMARY KEY,
    playbook   TEXT NOT NULL,
    bullet     TEXT NOT NULL COLLATE NOCASE,
    kind       TEXT NOT NULL CHECK (kind IN ('helpful', 'harmful')),
    source     TEXT NOT NULL CHECK (source IN ('agent_citation', 'reflector', 'verdict_rule')),
    reply      TEXT NOT NULL CHECK (reply <> ''),
    evaluation INTEGER REFERENCES evaluation (key) ON DELETE CASCADE,
    reader     TEXT NOT NULL,
    created    TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX bullet_event_once ON bullet_event
    (playbook, bullet, kind, source, reply, ifnull(evaluation, -1));
CREATE INDEX bullet_event_evaluation ON bullet_event (evaluation);

-- One row a bullet of a playbook: imported base, distinct events, and their sum.
CREATE VIEW bullet_counts AS
SELECT d.name AS playbook, b.position, b.bullet, b.section,
       b.helpful AS base_helpful, b.harmful AS base_harmful,
       (SELECT count(DISTINCT e.source || ' ' || e.reply) FROM bullet_event AS e
        WHERE e.playbook = d.name AND e.bullet = b.bullet AND e.kind = 'helpful') AS event_helpful,
       (SELECT count(DISTINCT e.source || ' ' || e.reply) FROM bullet_event AS e
        WHERE e.playbook = d.name AND e.bullet = b.bullet AND e.kind = 'harmful') AS event_harmful
FROM playbook_bullet AS b JOIN context_document AS d ON d.key = b.document;

CREATE VIEW contexts AS
SELECT d.name AS document, e.arm, e.reader, e.problem, e.digest, t.chars, e.recorded, e.state
FROM context_entry AS e JOIN context_document AS d ON d.key = e.document
JOIN context_text AS t ON t.digest = e.digest;
)sql";

}  // namespace kbeval
