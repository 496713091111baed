#pragma once

namespace kbeval {

/// The second clock, precision and settings of evaluations, and calibrations. docs/database.md describes the
/// views.
inline constexpr const char* migration_2 = R"sql(
CREATE TABLE judge_clock (
    evaluation INTEGER NOT NULL PRIMARY KEY REFERENCES evaluation (key) ON DELETE CASCADE,
    speedup      REAL,
    speedup_lo95 REAL,
    speedup_hi95 REAL
) STRICT;

CREATE TABLE block (
    evaluation     INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    round          INTEGER NOT NULL,
    forwards       INTEGER NOT NULL,
    ref_wall_ms    REAL,
    ref_device_ms  REAL,
    cand_wall_ms   REAL,
    cand_device_ms REAL,
    PRIMARY KEY (evaluation, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE precision_error (
    evaluation   INTEGER NOT NULL PRIMARY KEY REFERENCES evaluation (key) ON DELETE CASCADE,
    ref_max_abs  REAL,
    ref_rms      REAL,
    cand_max_abs REAL,
    cand_rms     REAL,
    seeds        INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (
    evaluation INTEGER NOT NULL REFERENCES evaluation (key) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    name       TEXT NOT NULL,
    value      TEXT NOT NULL,
    PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE calibration (
    key       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE CHECK (length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'),
    created   TEXT NOT NULL,
    evaluator TEXT NOT NULL,
    device    TEXT NOT NULL,
    gpu       TEXT NOT NULL,
    seconds   REAL NOT NULL,
    complete  INTEGER NOT NULL CHECK (complete IN (0, 1)),
    failures  TEXT NOT NULL CHECK (json_valid(failures))
) STRICT;
CREATE INDEX calibration_evaluator ON calibration (evaluator, gpu, created);

CREATE TABLE calibration_timing (
    calibration   INTEGER NOT NULL REFERENCES calibration (key) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    problem       TEXT NOT NULL,
    size          TEXT NOT NULL,
    processes     INTEGER NOT NULL,
    gain          REAL NOT NULL,
    true_speedup  REAL NOT NULL,
    start_s       REAL NOT NULL,
    seconds       REAL NOT NULL,
    ref_ms        REAL NOT NULL,
    cand_ms       REAL NOT NULL,
    speedup       REAL NOT NULL,
    lo95          REAL NOT NULL,
    hi95          REAL NOT NULL,
    judge_speedup REAL NOT NULL,
    judge_lo95    REAL NOT NULL,
    judge_hi95    REAL NOT NULL,
    trials        INTEGER NOT NULL,
    fast1         INTEGER NOT NULL CHECK (fast1 IN (0, 1)),
    flags         TEXT NOT NULL,
    PRIMARY KEY (calibration, number)
) STRICT, WITHOUT ROWID;

DROP VIEW verdicts;
CREATE VIEW verdicts AS
SELECT id, created, kind, problem, problem_digest, candidate_digest, source, label, status, message,
       ref_ms, compile_ms, cand_ms, e.speedup, speedup_mean, e.speedup_lo95, e.speedup_hi95,
       j.speedup AS judge_speedup, j.speedup_lo95 AS judge_speedup_lo95, j.speedup_hi95 AS judge_speedup_hi95,
       speedup_vs_compile,
       compile_note, trials, own_kernel_time_frac, fast1_raw, fast1, success, score,
       (SELECT json_group_array(flag) FROM
           (SELECT flag FROM flag WHERE evaluation = e.key ORDER BY position)) AS flags,
       (SELECT json_group_array(note) FROM
           (SELECT note FROM note WHERE evaluation = e.key ORDER BY position)) AS notes,
       agreement,
       (SELECT json_object('ref_max_abs', ref_max_abs, 'ref_rms', ref_rms, 'cand_max_abs', cand_max_abs,
                           'cand_rms', cand_rms, 'seeds', p.seeds)
           FROM precision_error AS p WHERE evaluation = e.key) AS precision,
       evaluator, device, gpu, size, atol, rtol, seed, seeds,
       (SELECT json_group_object(name, value) FROM
           (SELECT name, value FROM fact WHERE evaluation = e.key AND kind = 'version' ORDER BY position)) AS versions,
       (SELECT json_group_object(name, value) FROM
           (SELECT name, value FROM fact WHERE evaluation = e.key AND kind = 'condition' ORDER BY position))
           AS conditions,
       (SELECT json_group_object(name, value) FROM
           (SELECT name, value FROM setting WHERE evaluation = e.key ORDER BY position)) AS settings,
       (SELECT json_group_object(name, seconds) FROM
           (SELECT name, seconds FROM stage WHERE evaluation = e.key ORDER BY position)) AS stages
FROM evaluation AS e LEFT JOIN judge_clock AS j ON j.evaluation = e.key;

CREATE VIEW judge_clocks AS
SELECT e.id AS evaluation, j.speedup, j.speedup_lo95, j.speedup_hi95
FROM judge_clock AS j JOIN evaluation AS e ON e.key = j.evaluation;

CREATE VIEW blocks AS
SELECT e.id AS evaluation, b.round, b.forwards, b.ref_wall_ms, b.ref_device_ms, b.cand_wall_ms, b.cand_device_ms
FROM block AS b JOIN evaluation AS e ON e.key = b.evaluation;

CREATE VIEW precisions AS
SELECT e.id AS evaluation, p.ref_max_abs, p.ref_rms, p.cand_max_abs, p.cand_rms, p.seeds
FROM precision_error AS p JOIN evaluation AS e ON e.key = p.evaluation;

CREATE VIEW settings AS
SELECT e.id AS evaluation, s.name, s.value
FROM setting AS s JOIN evaluation AS e ON e.key = s.evaluation;

CREATE VIEW calibrations AS
SELECT id, created, evaluator, device, gpu, seconds, complete, failures,
       (SELECT count(*) FROM calibration_timing WHERE calibration = c.key AND gain = 0) AS identical,
       (SELECT count(*) FROM calibration_timing WHERE calibration = c.key AND gain = 0 AND fast1) AS false_fast1
FROM calibration AS c;

CREATE VIEW calibration_timings AS
SELECT c.id AS calibration, t.number, t.problem, t.size, t.processes, t.gain, t.true_speedup, t.start_s, t.seconds,
       t.ref_ms, t.cand_ms, t.speedup, t.lo95, t.hi95, t.judge_speedup, t.judge_lo95, t.judge_hi95, t.trials,
       t.fast1, t.flags
FROM calibration_timing AS t JOIN calibration AS c ON c.key = t.calibration;
)sql";

}  // namespace kbeval
