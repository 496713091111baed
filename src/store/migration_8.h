#pragma once

namespace kbeval {

/// `fast_p` again, by the same definition: SQLite can't pass a label through two levels of GROUP BY, and
/// computed every label's figures before it picked one. So each run computes its own, in one correlated
/// subquery whose rows travel as JSON.
inline constexpr const char* migration_8 = R"sql(
DROP VIEW fast_p;

CREATE VIEW fast_p AS
SELECT run.label, run.evaluator, run.gpu, run.size, figure.value ->> 0 AS part, figure.value ->> 1 AS level,
       figure.value ->> 2 AS family, figure.value ->> 3 AS p, figure.value ->> 4 AS problems,
       figure.value ->> 5 AS fast_p, figure.value ->> 6 AS raw, figure.value ->> 7 AS best
FROM (SELECT DISTINCT label, evaluator, gpu, size FROM evaluation
      WHERE kind = 'run' AND status <> 'infra_error') AS run,
     json_each((
         WITH one AS MATERIALIZED (
             SELECT problem, level, family, clean, status = 'correct' AS correct,
                    coalesce(speedup_lo95, 0) AS low, coalesce(speedup, 0) AS speedup
             FROM judged
             WHERE label = run.label AND evaluator = run.evaluator AND gpu = run.gpu AND size = run.size),
         share AS MATERIALIZED (
             SELECT level, family, p, avg(clean AND (p = 0 OR low > p)) AS sure,
                    avg(correct AND (p = 0 OR speedup > p)) AS raw
             FROM one CROSS JOIN threshold GROUP BY problem, p),
         figures AS (
             SELECT 'all' AS part, NULL AS level, NULL AS family, p, count(*) AS problems, avg(sure) AS fast_p,
                    avg(raw) AS raw, avg(sure > 0) AS best
             FROM share GROUP BY p
             UNION ALL
             SELECT 'level', level, NULL, p, count(*), avg(sure), avg(raw), avg(sure > 0)
             FROM share GROUP BY level, p
             UNION ALL
             SELECT 'family', NULL, family, p, count(*), avg(sure), avg(raw), avg(sure > 0)
             FROM share GROUP BY family, p)
         SELECT json_group_array(json_array(part, level, family, p, problems, fast_p, raw, best)) FROM figures
     )) AS figure;
)sql";

}  // namespace kbeval
