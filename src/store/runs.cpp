#include "store/runs.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/random_id.h"
#include "base/text.h"
#include "store/verdict_rows.h"

namespace kbeval {

Runs::Key Runs::begin(RunHeader& header, const std::vector<JobRow>& jobs) {
    Database& database = store_.database();
    if (header.id.empty()) {
        header.id = random_id();
    }
    Transaction transaction(database);
    Statement insert(database,
                     "INSERT INTO run (id, started, source, identity, evaluator, gpu, size, jobs) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, header.id);
    insert.bind(2, utc_now());
    insert.bind(3, to_valid_utf8(header.source));
    insert.bind(4, header.identity);
    insert.bind(5, header.evaluator);
    insert.bind(6, header.gpu);
    insert.bind(7, header.size);
    insert.bind(8, static_cast<std::int64_t>(jobs.size()));
    insert.run();
    const Key run = sqlite3_last_insert_rowid(database.handle());
    Statement row(
        database,
        "INSERT INTO job (run, job, position, problem, label, arm, reader) VALUES (?, ?, ?, ?, ?, ?, ?)");
    std::int64_t position = 0;
    for (const JobRow& job : jobs) {
        row.bind(1, run);
        row.bind(2, job.job);
        row.bind(3, position++);
        row.bind(4, job.problem);
        row.bind(5, to_valid_utf8(job.label));
        row.bind(6, to_valid_utf8(job.arm));
        row.bind(7, to_valid_utf8(job.reader));
        row.run();
    }
    transaction.commit();
    return run;
}

std::optional<Runs::Key> Runs::find(RunHeader& header) {
    Statement row(store_.database(), "SELECT key, id FROM run WHERE identity = ? ORDER BY key DESC LIMIT 1");
    row.bind(1, header.identity);
    if (!row.step()) {
        return std::nullopt;
    }
    header.id = row.text(1);
    return row.integer(0);
}

std::optional<Runs::Key> Runs::find_id(const std::string& id) {
    Statement row(store_.database(), "SELECT key FROM run WHERE id = ?");
    row.bind(1, id);
    return row.step() ? std::optional(row.integer(0)) : std::nullopt;
}

std::vector<JudgedJob> Runs::judged(Key run) {
    Database& database = store_.database();
    const Transaction snapshot(database, Transaction::Kind::read);
    Statement rows(database,
                   "SELECT " + evaluation_columns() +
                       ", (SELECT job FROM job AS j WHERE j.evaluation = evaluation.key),"
                       " (SELECT arm FROM job AS j WHERE j.evaluation = evaluation.key),"
                       " (SELECT reader FROM job AS j WHERE j.evaluation = evaluation.key)"
                       " FROM evaluation WHERE key IN (SELECT evaluation FROM job WHERE run = ?1)"
                       " ORDER BY (SELECT position FROM job AS j WHERE j.evaluation = evaluation.key)");
    rows.bind(1, run);
    const int columns = sqlite3_column_count(rows.handle());
    std::vector<JudgedJob> all;
    while (rows.step()) {
        JudgedJob job{rows.text(columns - 3), rows.text(columns - 2), rows.text(columns - 1),
                      read_columns(rows, database)};
        read_lists(database, rows.integer(0), job.verdict);
        all.push_back(std::move(job));
    }
    return all;
}

bool Runs::complete(Key run, const std::string& job, const Verdict& verdict, std::string_view source,
                    std::string_view log) {
    return store_.record(verdict, source, log, [&](Database& database, std::int64_t evaluation) {
        Statement update(
            database,
            "UPDATE job SET evaluation = ?1 WHERE run = ?2 AND job = ?3 AND (evaluation IS NULL OR "
            "(SELECT status FROM evaluation WHERE key = job.evaluation) = 'infra_error')");
        update.bind(1, evaluation);
        update.bind(2, run);
        update.bind(3, job);
        update.run();
        return sqlite3_changes(database.handle()) == 1;
    });
}

void Runs::finish(Key run) {
    Database& database = store_.database();
    Transaction transaction(database);
    Statement update(database,
                     "UPDATE run SET finished = coalesce(finished, ?1) WHERE key = ?2 AND NOT EXISTS "
                     "(SELECT 1 FROM job WHERE run = ?2 AND evaluation IS NULL)");
    update.bind(1, utc_now());
    update.bind(2, run);
    update.run();
    transaction.commit();
}

}  // namespace kbeval
