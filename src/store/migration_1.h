#pragma once

namespace kbeval {

/// The first schema. docs/database.md describes it; columns of `evaluation` are the fields of Verdict.
///
/// `key` is an evaluation's place in the order of writing; child rows refer to it, since it is a quarter of
/// the size of an id. In columns that are REAL and never absent, NULL stands for NaN, which SQLite can't
/// hold.
inline constexpr const char* migration_1 = R"sql(
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
    digest TEXT NOT NULL PRIMARY KEY CHECK (length(digest) = 64),
    text   TEXT NOT NULL,
    bytes  INTEGER NOT NULL CHECK (bytes = length(CAST(text AS BLOB)))
) STRICT;

CREATE TABLE evaluation (
    key                  INTEGER PRIMARY KEY,
    source               TEXT NOT NULL REFERENCES source (digest),
    id                   TEXT NOT NULL UNIQUE CHECK (length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'),
    created              TEXT NOT NULL,
    kind                 TEXT NOT NULL CHECK (kind IN ('run', 'check')),
    problem              TEXT NOT NULL,
    problem_digest       TEXT NOT NULL,
    candidate_digest     TEXT NOT NULL,
    label                TEXT NOT NULL,
    status               TEXT NOT NULL CHECK (status IN ('correct', 'incorrect', 'compile_error', 'runtime_error',
                                              'timeout', 'forbidden', 'no_code', 'no_custom_kernel', 'infra_error')),
    message              TEXT NOT NULL,
    ref_ms               REAL,
    compile_ms           REAL,
    cand_ms              REAL,
    speedup              REAL,
    speedup_mean         REAL,
    speedup_lo95         REAL,
    speedup_hi95         REAL,
    speedup_vs_compile   REAL,
    compile_note         TEXT NOT NULL,
    trials               INTEGER NOT NULL CHECK (trials >= 0),
    own_kernel_time_frac REAL,
    fast1_raw            INTEGER NOT NULL CHECK (fast1_raw IN (0, 1)),
    fast1                INTEGER NOT NULL CHECK (fast1 IN (0, 1)),
    success              INTEGER NOT NULL CHECK (success IN (0, 1)),
    score                REAL,
    agreement            TEXT CHECK (agreement IS NULL OR json_valid(agreement)),
    evaluator            TEXT NOT NULL,
    device               TEXT NOT NULL,
    gpu                  TEXT NOT NULL,
    size                 TEXT NOT NULL,
    atol                 REAL,
    rtol                 REAL,
    seed                 TEXT NOT NULL CHECK (seed NOT GLOB '*[^0-9]*' AND length(seed) BETWEEN 1 AND 20),
    seeds                INTEGER NOT NULL CHECK (seeds >= 0)
) STRICT;
CREATE INDEX evaluation_created ON evaluation (created);
CREATE INDEX evaluation_problem ON evaluation (problem, created);
CREATE INDEX evaluation_status ON evaluation (status, created);
CREATE INDEX evaluation_label ON evaluation (label, created);
CREATE INDEX evaluation_source ON evaluation (source);

CREATE TABLE trial (
    evaluation INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    round      INTEGER NOT NULL,
    ref_ms     REAL,
    cand_ms    REAL,
    compile_ms REAL,
    PRIMARY KEY (evaluation, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE stage (
    evaluation INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    name       TEXT NOT NULL,
    seconds    REAL,
    PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE flag (
    evaluation INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    flag       TEXT NOT NULL,
    PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    evaluation INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    note       TEXT NOT NULL,
    PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
    evaluation INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('version', 'condition')),
    position   INTEGER NOT NULL,
    name       TEXT NOT NULL,
    value      TEXT NOT NULL,
    PRIMARY KEY (evaluation, kind, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
    evaluation INTEGER NOT NULL PRIMARY KEY REFERENCES evaluation (key) ON DELETE CASCADE,
    text       TEXT NOT NULL
) STRICT;

CREATE VIEW verdicts AS
SELECT id, created, kind, problem, problem_digest, candidate_digest, source, label, status, message,
       ref_ms, compile_ms, cand_ms, speedup, speedup_mean, speedup_lo95, speedup_hi95, speedup_vs_compile,
       compile_note, trials, own_kernel_time_frac, fast1_raw, fast1, success, score,
       (SELECT json_group_array(flag) FROM
           (SELECT flag FROM flag WHERE evaluation = e.key ORDER BY position)) AS flags,
       (SELECT json_group_array(note) FROM
           (SELECT note FROM note WHERE evaluation = e.key ORDER BY position)) AS notes,
       agreement, evaluator, device, gpu, size, atol, rtol, seed, seeds,
       (SELECT json_group_object(name, value) FROM
           (SELECT name, value FROM fact WHERE evaluation = e.key AND kind = 'version' ORDER BY position)) AS versions,
       (SELECT json_group_object(name, value) FROM
           (SELECT name, value FROM fact WHERE evaluation = e.key AND kind = 'condition' ORDER BY position))
           AS conditions,
       (SELECT json_group_object(name, seconds) FROM
           (SELECT name, seconds FROM stage WHERE evaluation = e.key ORDER BY position)) AS stages
FROM evaluation AS e;

CREATE VIEW trials AS
SELECT e.id AS evaluation, e.problem, t.number, t.round, t.ref_ms, t.cand_ms, t.compile_ms
FROM trial AS t JOIN evaluation AS e ON e.key = t.evaluation;
)sql";

}  // namespace kbeval
