#pragma once

namespace kbeval {

/// Times of references. docs/database.md describes the views.
inline constexpr const char* migration_7 = R"sql(
CREATE TABLE baseline (
    key            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE CHECK (length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'),
    created        TEXT NOT NULL,
    problem        TEXT NOT NULL,
    problem_digest TEXT NOT NULL,
    evaluator      TEXT NOT NULL,
    device         TEXT NOT NULL,
    gpu            TEXT NOT NULL,
    size           TEXT NOT NULL CHECK (size IN ('full', 'smoke')),
    seed           INTEGER NOT NULL,
    seconds        REAL NOT NULL,
    failure        TEXT NOT NULL,
    eager_ms       REAL,
    eager_lo95     REAL,
    eager_hi95     REAL,
    compile_ms     REAL,
    compile_lo95   REAL,
    compile_hi95   REAL,
    speedup        REAL,
    speedup_lo95   REAL,
    speedup_hi95   REAL,
    compile_note   TEXT NOT NULL,
    compile_seconds    REAL,
    eager_peak_bytes   REAL,
    compile_peak_bytes REAL,
    roofline_ms    REAL,
    max_abs_diff   REAL,
    trials         INTEGER NOT NULL,
    rounds         TEXT NOT NULL CHECK (json_valid(rounds)),
    facts          TEXT NOT NULL CHECK (json_valid(facts))
) STRICT;
CREATE INDEX baseline_of_problem ON baseline (problem, gpu, size);

CREATE VIEW baselines AS
SELECT id, created, problem, problem_digest, evaluator, device, gpu, size, seed, seconds, failure, eager_ms, eager_lo95,
       eager_hi95, compile_ms, compile_lo95, compile_hi95, speedup AS compile_speedup,
       speedup_lo95 AS compile_speedup_lo95, speedup_hi95 AS compile_speedup_hi95, compile_note, compile_seconds,
       eager_peak_bytes, compile_peak_bytes, roofline_ms, roofline_ms / eager_ms AS roofline_share, max_abs_diff,
       trials, facts
FROM baseline;

CREATE VIEW baseline_trials AS
SELECT b.id AS baseline, r.key AS round, t.key AS trial, t.value AS eager_ms,
       json_extract(r.value, '$.compile_ms[' || t.key || ']') AS compile_ms
FROM baseline AS b, json_each(b.rounds) AS r, json_each(r.value, '$.eager_ms') AS t;
)sql";

}  // namespace kbeval
