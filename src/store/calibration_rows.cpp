#include "store/calibration_rows.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

namespace {

void insert_timings(Database& database, std::int64_t key, const std::vector<CalibrationTiming>& timings) {
    Statement insert(database,
                     "INSERT INTO calibration_timing (calibration, number, problem, size, processes, gain, "
                     "true_speedup, start_s, seconds, ref_ms, cand_ms, speedup, lo95, hi95, judge_speedup, "
                     "judge_lo95, judge_hi95, trials, fast1, flags) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, key);
    for (std::size_t i = 0; i < timings.size(); ++i) {
        const CalibrationTiming& t = timings[i];
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, t.problem);
        insert.bind(4, t.size);
        insert.bind(5, t.processes);
        int parameter = 6;
        for (const double value : {t.gain, t.true_speedup, t.start_s, t.seconds, t.ref_ms, t.cand_ms,
                                   t.speedup, t.lo95, t.hi95, t.judge_speedup, t.judge_lo95, t.judge_hi95}) {
            insert.bind(parameter++, value);
        }
        insert.bind(parameter++, t.trials);
        insert.bind(parameter++, t.fast1 ? 1 : 0);
        insert.bind(parameter, to_valid_utf8(t.flags));
        insert.run();
    }
}

std::vector<CalibrationTiming> read_timings(Database& database, std::int64_t key) {
    Statement rows(database,
                   "SELECT problem, size, processes, gain, true_speedup, start_s, seconds, ref_ms, cand_ms, "
                   "speedup, lo95, hi95, judge_speedup, judge_lo95, judge_hi95, trials, fast1, flags "
                   "FROM calibration_timing WHERE calibration = ? ORDER BY number");
    rows.bind(1, key);
    std::vector<CalibrationTiming> timings;
    while (rows.step()) {
        CalibrationTiming t;
        t.problem = rows.text(0);
        t.size = rows.text(1);
        t.processes = static_cast<int>(rows.integer(2));
        int column = 3;
        for (double* field : {&t.gain, &t.true_speedup, &t.start_s, &t.seconds, &t.ref_ms, &t.cand_ms,
                              &t.speedup, &t.lo95, &t.hi95, &t.judge_speedup, &t.judge_lo95, &t.judge_hi95}) {
            *field = rows.real(column++).value_or(0);
        }
        t.trials = static_cast<int>(rows.integer(column++));
        t.fast1 = rows.integer(column++) != 0;
        t.flags = rows.text(column);
        timings.push_back(std::move(t));
    }
    return timings;
}

}  // namespace

void insert_calibration(Database& database, const Calibration& c) {
    Transaction transaction(database);
    Statement insert(
        database,
        "INSERT INTO calibration (id, created, evaluator, device, gpu, seconds, complete, failures) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, c.id);
    insert.bind(2, c.created);
    insert.bind(3, c.evaluator);
    insert.bind(4, c.device);
    insert.bind(5, c.gpu);
    insert.bind(6, c.seconds);
    insert.bind(7, c.complete ? 1 : 0);
    nlohmann::json failures = nlohmann::json::array();
    for (const std::string& failure : c.failures) {
        failures.push_back(to_valid_utf8(failure));
    }
    insert.bind(8, failures.dump());
    insert.run();
    insert_timings(database, sqlite3_last_insert_rowid(database.handle()), c.timings);
    transaction.commit();
}

std::optional<Calibration> newest_calibration(Database& database, const std::string& evaluator,
                                              const std::string& gpu, bool timings) {
    const Transaction snapshot(database, Transaction::Kind::read);
    Statement row(
        database,
        "SELECT key, id, created, evaluator, device, gpu, seconds, complete, failures FROM calibration "
        "WHERE (?1 = '' OR evaluator = ?1) AND (?2 = '' OR gpu = ?2) "
        "ORDER BY created DESC, key DESC LIMIT 1");
    row.bind(1, evaluator);
    row.bind(2, gpu);
    if (!row.step()) {
        return std::nullopt;
    }
    Calibration c{row.text(1),         row.text(2), row.text(3),
                  row.text(4),         row.text(5), row.real(6).value_or(0),
                  row.integer(7) != 0, {},          {}};
    try {
        c.failures = nlohmann::json::parse(row.text(8)).get<std::vector<std::string>>();
    } catch (const nlohmann::json::exception& error) {
        throw infrastructure_error(database.path().string() + ": calibration " + c.id +
                                   " can't be read: " + error.what());
    }
    if (timings) {
        c.timings = read_timings(database, row.integer(0));
    }
    return c;
}

}  // namespace kbeval
