#pragma once

namespace kbeval {

/// Episodes of agents, their turns, and experiments (docs/database.md). A turn keeps its verdict as JSON, so
/// that an imported transcript is whole without the evaluations of the machine that it comes from.
inline constexpr const char* migration_4 = R"sql(
CREATE TABLE experiment (
    key      INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    plan     TEXT NOT NULL,
    digest   TEXT NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('open', 'cancelled')),
    created  TEXT NOT NULL
) STRICT;

CREATE TABLE prompt (
    digest TEXT NOT NULL PRIMARY KEY CHECK (length(digest) = 64),
    text   TEXT NOT NULL
) STRICT;

CREATE TABLE episode (
    key            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE CHECK (length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'),
    experiment     INTEGER REFERENCES experiment (key) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    problem        TEXT NOT NULL,
    level          INTEGER NOT NULL,
    family         TEXT NOT NULL,
    split          TEXT NOT NULL,
    arm            TEXT NOT NULL,
    reader         TEXT NOT NULL,
    repeat         INTEGER NOT NULL CHECK (repeat >= 0),
    agent          TEXT NOT NULL,
    turns          INTEGER NOT NULL CHECK (turns >= 1),
    seed           TEXT NOT NULL CHECK (seed NOT GLOB '*[^0-9]*' AND length(seed) BETWEEN 1 AND 20),
    state          TEXT NOT NULL CHECK (state IN ('open', 'submitted', 'unsubmitted')),
    failure        TEXT NOT NULL,
    created        TEXT NOT NULL,
    finished       TEXT,
    prompt         TEXT REFERENCES prompt (digest),
    context_digest TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX episode_place ON episode (experiment, position) WHERE experiment IS NOT NULL;
CREATE INDEX episode_created ON episode (created);

CREATE TABLE turn (
    episode       INTEGER NOT NULL REFERENCES episode (key) ON DELETE CASCADE,
    number        INTEGER NOT NULL CHECK (number >= 1),
    prompt_digest TEXT NOT NULL,
    reply         TEXT NOT NULL,
    action        TEXT NOT NULL CHECK (action IN ('none', 'CHECK', 'SUBMIT')),
    code_digest   TEXT NOT NULL,
    status        TEXT NOT NULL,
    feedback      TEXT NOT NULL,
    evaluation    TEXT NOT NULL,
    verdict       TEXT CHECK (verdict IS NULL OR json_valid(verdict)),
    started       TEXT NOT NULL,
    agent_seconds REAL NOT NULL,
    judge_seconds REAL NOT NULL,
    input_tokens  INTEGER,
    output_tokens INTEGER,
    PRIMARY KEY (episode, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_evaluation ON turn (evaluation);

CREATE VIEW episodes AS
SELECT e.id, coalesce(x.name, '') AS experiment, e.problem, e.level, e.family, e.split, e.arm, e.reader, e.repeat,
       e.agent, e.turns AS turn_limit, e.state, e.failure, e.created, e.finished, e.context_digest,
       (SELECT count(*) FROM turn AS t WHERE t.episode = e.key) AS turns,
       (SELECT sum(input_tokens) FROM turn AS t WHERE t.episode = e.key) AS input_tokens,
       (SELECT sum(output_tokens) FROM turn AS t WHERE t.episode = e.key) AS output_tokens,
       (SELECT t.status FROM turn AS t WHERE t.episode = e.key ORDER BY number DESC LIMIT 1) AS last_status,
       (SELECT t.evaluation FROM turn AS t WHERE t.episode = e.key AND e.state = 'submitted'
        ORDER BY number DESC LIMIT 1) AS evaluation
FROM episode AS e LEFT JOIN experiment AS x ON x.key = e.experiment;

CREATE VIEW turns AS
SELECT e.id AS episode, e.problem, e.arm, e.reader, e.repeat, t.number, t.prompt_digest, t.action, t.code_digest,
       t.status, t.evaluation, t.started, t.agent_seconds, t.judge_seconds, t.input_tokens, t.output_tokens
FROM turn AS t JOIN episode AS e ON e.key = t.episode;
)sql";

}  // namespace kbeval
