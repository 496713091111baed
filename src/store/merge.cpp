#include "store/merge.h"

#include "base/error.h"
#include "base/text.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

/// One merge: `main` is the database that grows, `shard` the one that is folded in.
class Merge {
  public:
    Merge(Database& database, const fs::path& from) : database_(database) {
        Statement attach(database_, "ATTACH DATABASE ? AS shard");
        attach.bind(1, from.string());
        attach.run();
    }
    ~Merge() {
        try {
            database_.execute("DETACH DATABASE shard");
        } catch (const Error&) {
            // The connection ends soon.
        }
    }
    Merge(const Merge&) = delete;
    Merge& operator=(const Merge&) = delete;

    MergeResult run() {
        {
            Transaction transaction(database_);
            sources();
            evaluations();
            parts();
            runs();
            jobs();
            calibrations();
            execute("DROP TABLE temp.merged");
            transaction.commit();
        }
        return std::move(result_);
    }

  private:
    void execute(const std::string& sql) { database_.execute(sql); }

    /// Runs a statement that writes; how many rows it changed.
    std::int64_t change(const std::string& sql) {
        Statement(database_, sql).run();
        return sqlite3_changes64(database_.handle());
    }

    std::vector<std::string> texts(const std::string& sql) {
        Statement rows(database_, sql);
        std::vector<std::string> all;
        while (rows.step()) {
            all.push_back(rows.text(0));
        }
        return all;
    }

    /// Columns of a table but for `left_out`, each after `prefix`.
    std::vector<std::string> columns(const std::string& table, const std::string& left_out,
                                     const std::string& prefix = "") {
        std::vector<std::string> names = texts("SELECT name FROM pragma_table_info('" + table +
                                               "', 'main') WHERE name <> '" + left_out + "'");
        for (std::string& name : names) {
            name.insert(0, prefix);
        }
        return names;
    }

    /// `a.x IS NOT b.x OR ...`
    std::string differ(const std::string& table, const std::string& left_out) {
        std::vector<std::string> terms;
        for (const std::string& name : columns(table, left_out)) {
            terms.push_back("m." + name + " IS NOT s." + name);
        }
        return "(" + join(terms, " OR ") + ")";
    }

    void sources() {
        for (const std::string& digest :
             texts("SELECT digest FROM shard.source AS s JOIN main.source AS m USING (digest) "
                   "WHERE m.text <> s.text")) {
            result_.conflicts.push_back("source " + digest.substr(0, 16) + " has two texts");
        }
        change("INSERT OR IGNORE INTO main.source SELECT * FROM shard.source");
    }

    /// Those that are new get keys of their own; `temp.merged` says which, so that their parts can follow.
    void evaluations() {
        result_.known = query_integer(
            database_, "SELECT count(*) FROM shard.evaluation AS s JOIN main.evaluation AS m USING (id)");
        for (const std::string& id :
             texts("SELECT id FROM shard.evaluation AS s JOIN main.evaluation AS m USING (id) WHERE " +
                   differ("evaluation", "key"))) {
            result_.conflicts.push_back("evaluation " + id + " differs");
            --result_.known;
        }
        const std::string names = join(columns("evaluation", "key"), ", ");
        execute("CREATE TEMP TABLE merged (old INTEGER PRIMARY KEY, id TEXT NOT NULL, new INTEGER)");
        change(
            "INSERT INTO temp.merged (old, id) SELECT key, id FROM shard.evaluation "
            "WHERE id NOT IN (SELECT id FROM main.evaluation)");
        result_.evaluations = change("INSERT INTO main.evaluation (" + names + ") SELECT " + names +
                                     " FROM shard.evaluation WHERE key IN (SELECT old FROM temp.merged) "
                                     "ORDER BY key");
        change("UPDATE temp.merged SET new = (SELECT key FROM main.evaluation AS e WHERE e.id = merged.id)");
    }

    /// What belongs to an evaluation: every table whose primary key begins with it.
    void parts() {
        for (const std::string& table :
             texts("SELECT t.name FROM main.sqlite_schema AS t, pragma_table_info(t.name) AS c "
                   "WHERE t.type = 'table' AND c.name = 'evaluation' AND c.pk = 1 ORDER BY t.name")) {
            const std::string names = join(columns(table, "evaluation"), ", ");
            const std::string theirs = join(columns(table, "evaluation", "s."), ", ");
            change("INSERT INTO main." + table + " (evaluation, " + names + ") SELECT m.new, " + theirs +
                   " FROM shard." + table + " AS s JOIN temp.merged AS m ON m.old = s.evaluation");
        }
    }

    void runs() {
        const std::string names = join(columns("run", "key"), ", ");
        result_.runs = change("INSERT INTO main.run (" + names + ") SELECT " + names +
                              " FROM shard.run WHERE id NOT IN (SELECT id FROM main.run) ORDER BY key");
        change(
            "INSERT OR IGNORE INTO main.job (run, job, position, problem, label, arm, reader) "
            "SELECT r.key, s.job, s.position, s.problem, s.label, s.arm, s.reader FROM shard.job AS s "
            "JOIN shard.run AS o ON o.key = s.run JOIN main.run AS r ON r.id = o.id");
    }

    /// A job takes the evaluation that a shard has of it, unless it has a verdict already.
    void jobs() {
        static const std::string pairs =
            " FROM shard.job AS s JOIN shard.run AS o ON o.key = s.run JOIN main.run AS r ON r.id = o.id "
            "JOIN main.job AS j ON j.run = r.key AND j.job = s.job "
            "JOIN shard.evaluation AS se ON se.key = s.evaluation "
            "JOIN main.evaluation AS n ON n.id = se.id LEFT JOIN main.evaluation AS e ON e.key = "
            "j.evaluation ";
        for (const std::string& text :
             texts("SELECT 'job ' || substr(j.job, 1, 16) || ' of run ' || r.id || ' has two verdicts, ' || "
                   "e.id || ' and ' || n.id" +
                   pairs +
                   "WHERE e.key <> n.key AND e.status <> 'infra_error' AND n.status <> 'infra_error'")) {
            result_.conflicts.push_back(text);
        }
        execute("CREATE TEMP TABLE completed AS SELECT j.run, j.job, n.key AS evaluation" + pairs +
                "WHERE e.key IS NULL OR (e.status = 'infra_error' AND n.status <> 'infra_error')");
        result_.jobs = change(
            "UPDATE main.job SET evaluation = c.evaluation FROM temp.completed AS c "
            "WHERE c.run = job.run AND c.job = job.job");
        execute("DROP TABLE temp.completed");
        change(
            "UPDATE main.run SET finished = (SELECT max(created) FROM main.evaluation WHERE key IN "
            "(SELECT evaluation FROM main.job WHERE run = run.key)) WHERE finished IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM main.job WHERE run = run.key AND evaluation IS NULL)");
    }

    void calibrations() {
        const std::string names = join(columns("calibration", "key"), ", ");
        execute(
            "CREATE TEMP TABLE calibrated AS SELECT id FROM shard.calibration WHERE id NOT IN "
            "(SELECT id FROM main.calibration)");
        result_.calibrations =
            change("INSERT INTO main.calibration (" + names + ") SELECT " + names +
                   " FROM shard.calibration WHERE id IN (SELECT id FROM temp.calibrated) ORDER BY key");
        change("INSERT INTO main.calibration_timing (calibration, " +
               join(columns("calibration_timing", "calibration"), ", ") + ") SELECT c.key, " +
               join(columns("calibration_timing", "calibration", "t."), ", ") +
               " FROM shard.calibration_timing AS t JOIN shard.calibration AS o ON o.key = t.calibration "
               "JOIN main.calibration AS c ON c.id = o.id "
               "WHERE c.id IN (SELECT id FROM temp.calibrated)");
        execute("DROP TABLE temp.calibrated");
    }

    Database& database_;
    MergeResult result_;
};

}  // namespace

MergeResult merge_database(Store& into, const fs::path& from) {
    if (!fs::is_regular_file(from)) {
        throw input_error(from.string() + ": no such database");
    }
    if (fs::equivalent(into.path(), from)) {
        throw input_error(from.string() + ": a database can't be merged into itself");
    }
    (void)Store::open(from, Store::Mode::read_write);  // looks whose it is, and brings its schema up to date
    return Merge(into.database(), from).run();
}

}  // namespace kbeval
