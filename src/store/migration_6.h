#pragma once

namespace kbeval {

/// Batches: a run is what one `kbeval batch` set out to judge, a job one candidate of it. The job is done
/// when it names its evaluation, which is written in the same transaction: so a run that was killed at any
/// instant can go on with what is left, and nothing is judged twice.
inline constexpr const char* migration_6 = R"sql(
CREATE TABLE run (
    key       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE CHECK (length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'),
    started   TEXT NOT NULL,
    finished  TEXT,
    source    TEXT NOT NULL,
    identity  TEXT NOT NULL CHECK (length(identity) = 64),
    evaluator TEXT NOT NULL,
    gpu       TEXT NOT NULL,
    size      TEXT NOT NULL,
    jobs      INTEGER NOT NULL CHECK (jobs >= 0)
) STRICT;
CREATE INDEX run_identity ON run (identity);

CREATE TABLE job (
    run        INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    job        TEXT NOT NULL CHECK (length(job) = 64),
    position   INTEGER NOT NULL,
    problem    TEXT NOT NULL,
    label      TEXT NOT NULL,
    arm        TEXT NOT NULL,
    reader     TEXT NOT NULL,
    evaluation INTEGER UNIQUE REFERENCES evaluation (key) ON DELETE SET NULL,
    PRIMARY KEY (run, job)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_evaluation ON job (evaluation);

CREATE VIEW runs AS
SELECT id, started, finished, source, evaluator, gpu, size, jobs,
       (SELECT count(*) FROM job WHERE run = r.key AND evaluation IS NOT NULL) AS judged
FROM run AS r;

CREATE VIEW jobs AS
SELECT r.id AS run, j.job, j.position, j.problem, j.label, j.arm, j.reader, e.id AS evaluation, e.status,
       e.speedup, e.success, e.score
FROM job AS j JOIN run AS r ON r.key = j.run LEFT JOIN evaluation AS e ON e.key = j.evaluation;
)sql";

}  // namespace kbeval
