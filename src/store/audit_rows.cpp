#include "store/audit_rows.h"

#include <limits>

#include "base/text.h"

namespace kbeval {

namespace {

double real_or_nan(const Statement& row, int column) {
    return row.real(column).value_or(std::numeric_limits<double>::quiet_NaN());
}

void insert_judge_clock(Database& database, std::int64_t key, const Verdict& v) {
    if (!v.judge_speedup) {
        return;
    }
    Statement insert(
        database,
        "INSERT INTO judge_clock (evaluation, speedup, speedup_lo95, speedup_hi95) VALUES (?, ?, ?, ?)");
    insert.bind(1, key);
    insert.bind(2, v.judge_speedup);
    insert.bind(3, v.judge_speedup_lo95);
    insert.bind(4, v.judge_speedup_hi95);
    insert.run();
}

void insert_precision(Database& database, std::int64_t key, const Verdict& v) {
    if (!v.precision) {
        return;
    }
    Statement insert(
        database,
        "INSERT INTO precision_error (evaluation, ref_max_abs, ref_rms, cand_max_abs, cand_rms, seeds) "
        "VALUES (?, ?, ?, ?, ?, ?)");
    insert.bind(1, key);
    insert.bind(2, v.precision->ref_max_abs);
    insert.bind(3, v.precision->ref_rms);
    insert.bind(4, v.precision->cand_max_abs);
    insert.bind(5, v.precision->cand_rms);
    insert.bind(6, v.precision->seeds);
    insert.run();
}

void insert_settings(Database& database, std::int64_t key, const Verdict& v) {
    Statement insert(database, "INSERT INTO setting (evaluation, position, name, value) VALUES (?, ?, ?, ?)");
    insert.bind(1, key);
    for (std::size_t i = 0; i < v.settings.size(); ++i) {
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, to_valid_utf8(v.settings[i].first));
        insert.bind(4, to_valid_utf8(v.settings[i].second));
        insert.run();
    }
}

void insert_blocks(Database& database, std::int64_t key, const Verdict& v) {
    Statement insert(
        database,
        "INSERT INTO block (evaluation, round, forwards, ref_wall_ms, ref_device_ms, cand_wall_ms, "
        "cand_device_ms) VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, key);
    for (const BlockPair& b : v.blocks) {
        insert.bind(2, b.round);
        insert.bind(3, b.forwards);
        insert.bind(4, b.ref_wall_ms);
        insert.bind(5, b.ref_device_ms);
        insert.bind(6, b.cand_wall_ms);
        insert.bind(7, b.cand_device_ms);
        insert.run();
    }
}

}  // namespace

void insert_audit(Database& database, std::int64_t key, const Verdict& verdict) {
    insert_judge_clock(database, key, verdict);
    insert_precision(database, key, verdict);
    insert_settings(database, key, verdict);
    insert_blocks(database, key, verdict);
}

void read_audit(Database& database, std::int64_t key, Verdict& verdict) {
    Statement clock(database,
                    "SELECT speedup, speedup_lo95, speedup_hi95 FROM judge_clock WHERE evaluation = ?");
    clock.bind(1, key);
    if (clock.step()) {
        verdict.judge_speedup = clock.real(0);
        verdict.judge_speedup_lo95 = clock.real(1);
        verdict.judge_speedup_hi95 = clock.real(2);
    }
    Statement precision(database,
                        "SELECT ref_max_abs, ref_rms, cand_max_abs, cand_rms, seeds FROM precision_error "
                        "WHERE evaluation = ?");
    precision.bind(1, key);
    if (precision.step()) {
        verdict.precision =
            Precision{real_or_nan(precision, 0), real_or_nan(precision, 1), real_or_nan(precision, 2),
                      real_or_nan(precision, 3), static_cast<int>(precision.integer(4))};
    }
    Statement settings(database, "SELECT name, value FROM setting WHERE evaluation = ? ORDER BY position");
    settings.bind(1, key);
    while (settings.step()) {
        verdict.settings.emplace_back(settings.text(0), settings.text(1));
    }
}

void read_blocks(Database& database, std::int64_t key, Verdict& verdict) {
    Statement rows(
        database,
        "SELECT round, forwards, ref_wall_ms, ref_device_ms, cand_wall_ms, cand_device_ms FROM block "
        "WHERE evaluation = ? ORDER BY round");
    rows.bind(1, key);
    while (rows.step()) {
        verdict.blocks.push_back({static_cast<int>(rows.integer(0)), static_cast<int>(rows.integer(1)),
                                  real_or_nan(rows, 2), real_or_nan(rows, 3), real_or_nan(rows, 4),
                                  real_or_nan(rows, 5)});
    }
}

}  // namespace kbeval
