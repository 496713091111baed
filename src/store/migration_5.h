#pragma once

namespace kbeval {

/// Views for dashboards, and the catalogue's names of problems that they join. docs/database.md describes
/// them; the definitions are those of docs/reports.md. A run is a label here.
///
/// 0xE8 in `gpu_health` are NVML's slowdowns by heat, hardware and power brake: those of GpuState::spoils().
inline constexpr const char* migration_5 = R"sql(
CREATE TABLE catalogue (
    problem TEXT NOT NULL PRIMARY KEY,
    name    TEXT NOT NULL,
    level   INTEGER,
    family  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE threshold (
    p REAL NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO threshold (p) VALUES (0), (1), (1.5), (2), (4);

CREATE VIEW problem_names AS SELECT problem, name, level, family FROM catalogue;

CREATE VIEW judged AS
SELECT e.key, e.id, e.created, e.problem, coalesce(c.name, '') AS name,
       CASE WHEN c.problem IS NOT NULL THEN c.level
            WHEN e.problem GLOB 'L[1-9]_*' THEN CAST(substr(e.problem, 2, 1) AS INTEGER) END AS level,
       coalesce(c.family, 'unknown') AS family,
       e.label, e.status, e.message, e.ref_ms, e.compile_ms, e.cand_ms, e.speedup, e.speedup_lo95, e.speedup_hi95,
       e.speedup_vs_compile, e.success, e.score,
       (SELECT count(*) FROM flag AS f WHERE f.evaluation = e.key) AS flags,
       e.status = 'correct' AND NOT EXISTS (SELECT 1 FROM flag AS f WHERE f.evaluation = e.key) AS clean,
       e.candidate_digest, e.evaluator, e.gpu, e.size
FROM evaluation AS e LEFT JOIN catalogue AS c ON c.problem = e.problem
WHERE e.kind = 'run' AND e.status <> 'infra_error';

CREATE VIEW latest AS
SELECT id, created, problem, name, level, family, label, status, message, ref_ms, compile_ms, cand_ms, speedup,
       speedup_lo95, speedup_hi95, speedup_vs_compile, success, score, flags, clean, candidate_digest, evaluator, gpu,
       size
FROM (SELECT *, row_number() OVER (PARTITION BY problem, label, evaluator, gpu, size
                                   ORDER BY created DESC, key DESC) AS place FROM judged)
WHERE place = 1;

CREATE VIEW fast_p AS
WITH share AS (
    SELECT label, evaluator, gpu, size, level, family, problem, p,
           avg(clean AND (p = 0 OR coalesce(speedup_lo95, 0) > p)) AS sure,
           avg(status = 'correct' AND (p = 0 OR coalesce(speedup, 0) > p)) AS raw
    FROM judged CROSS JOIN threshold
    GROUP BY label, evaluator, gpu, size, problem, p)
SELECT label, evaluator, gpu, size, 'all' AS part, NULL AS level, NULL AS family, p, count(*) AS problems,
       avg(sure) AS fast_p, avg(raw) AS raw, avg(sure > 0) AS best
FROM share GROUP BY label, evaluator, gpu, size, p
UNION ALL
SELECT label, evaluator, gpu, size, 'level', level, NULL, p, count(*), avg(sure), avg(raw), avg(sure > 0)
FROM share GROUP BY label, evaluator, gpu, size, level, p
UNION ALL
SELECT label, evaluator, gpu, size, 'family', NULL, family, p, count(*), avg(sure), avg(raw), avg(sure > 0)
FROM share GROUP BY label, evaluator, gpu, size, family, p;

CREATE VIEW failures AS
SELECT status, first_line AS message, label, evaluator, gpu, size, count(*) AS evaluations,
       count(DISTINCT problem) AS problems, max(created) AS last, max(id) AS example
FROM (SELECT *, CASE instr(message, char(10)) WHEN 0 THEN message
                ELSE substr(message, 1, instr(message, char(10)) - 1) END AS first_line
      FROM evaluation WHERE status <> 'correct')
GROUP BY status, first_line, label, evaluator, gpu, size;

CREATE VIEW flagged AS
SELECT e.id AS evaluation, e.created, e.problem, e.label, f.flag, e.status, e.speedup, e.evaluator, e.gpu, e.size
FROM flag AS f JOIN evaluation AS e ON e.key = f.evaluation;

CREATE VIEW gpu_health AS
SELECT id AS evaluation, created, label, device, gpu, sm_mhz, memory_mhz, temperature_c, power_w, throttle_reasons,
       (throttle_reasons & 0xE8) <> 0 AS slowed, compute_processes
FROM (SELECT e.id, e.created, e.label, e.device, e.gpu,
             max(CASE f.name WHEN 'sm_mhz' THEN CAST(f.value AS INTEGER) END) AS sm_mhz,
             max(CASE f.name WHEN 'memory_mhz' THEN CAST(f.value AS INTEGER) END) AS memory_mhz,
             max(CASE f.name WHEN 'temperature_c' THEN CAST(f.value AS INTEGER) END) AS temperature_c,
             max(CASE f.name WHEN 'power_w' THEN CAST(f.value AS INTEGER) END) AS power_w,
             max(CASE f.name WHEN 'throttle_reasons' THEN CAST(f.value AS INTEGER) END) AS throttle_reasons,
             max(CASE f.name WHEN 'compute_processes' THEN CAST(f.value AS INTEGER) END) AS compute_processes
      FROM evaluation AS e JOIN fact AS f ON f.evaluation = e.key AND f.kind = 'condition'
      GROUP BY e.key)
WHERE sm_mhz IS NOT NULL;

CREATE VIEW stage_seconds AS
SELECT e.id AS evaluation, e.created, e.problem, e.label, s.position, s.name AS stage, s.seconds
FROM stage AS s JOIN evaluation AS e ON e.key = s.evaluation;

CREATE VIEW sources AS
SELECT e.id AS evaluation, e.problem, e.label, e.candidate_digest, s.bytes, s.text
FROM evaluation AS e JOIN source AS s ON s.digest = e.source;

CREATE VIEW fast_p_by_arm AS
WITH share AS (
    SELECT x.experiment, x.arm, x.reader, x.problem, p,
           avg(coalesce(j.clean AND (p = 0 OR coalesce(j.speedup_lo95, 0) > p), 0)) AS sure,
           avg(coalesce(j.status = 'correct' AND (p = 0 OR coalesce(j.speedup, 0) > p), 0)) AS raw,
           count(DISTINCT j.evaluator || j.gpu || j.size) AS settings
    FROM episodes AS x LEFT JOIN judged AS j ON j.id = x.evaluation CROSS JOIN threshold
    WHERE x.state = 'unsubmitted' OR j.id IS NOT NULL
    GROUP BY x.experiment, x.arm, x.reader, x.problem, p)
SELECT experiment, arm, reader, p, count(*) AS problems, avg(sure) AS fast_p, avg(raw) AS raw,
       avg(sure > 0) AS best, max(settings) AS settings
FROM share GROUP BY experiment, arm, reader, p;

CREATE VIEW bullet_scores AS
SELECT playbook, bullet, kind, count(*) AS evaluations, avg(success) AS success_rate, avg(score) AS mean_score
FROM (SELECT DISTINCT e.playbook, e.bullet, e.kind, j.key, j.success, j.score
      FROM bullet_event AS e JOIN judged AS j ON j.key = e.evaluation)
GROUP BY playbook, bullet, kind;
)sql";

}  // namespace kbeval
