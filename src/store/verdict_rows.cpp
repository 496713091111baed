#include "store/verdict_rows.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "store/agreement_json.h"
#include "store/audit_rows.h"
#include "store/columns.h"

namespace kbeval {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Binds the fields of a verdict to consecutive parameters.
class Binder {
  public:
    Binder(Statement& statement, int first) : statement_(statement), next_(first) {}

    void operator()(const char*, const std::string& text) { statement_.bind(next_++, to_valid_utf8(text)); }
    void operator()(const char*, const std::optional<double>& value) { statement_.bind(next_++, value); }
    void operator()(const char*, double value) { statement_.bind(next_++, value); }
    void operator()(const char*, int value) { statement_.bind(next_++, value); }
    void operator()(const char*, bool value) { statement_.bind(next_++, value ? 1 : 0); }
    void operator()(const char*, std::uint64_t value) { statement_.bind(next_++, std::to_string(value)); }
    void operator()(const char*, Status value) { statement_.bind(next_++, to_string(value)); }
    void operator()(const char*, const std::optional<Agreement>& value) {
        if (value) {
            statement_.bind(next_++, agreement_to_text(*value));
        } else {
            statement_.bind_null(next_++);
        }
    }

  private:
    Statement& statement_;
    int next_;
};

double real_or_nan(const Statement& row, int column) {
    return row.real(column).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Reads the fields of a verdict from consecutive columns.
class Reader {
  public:
    Reader(const Statement& row, int first) : row_(row), next_(first) {}

    void operator()(const char*, std::string& text) { text = row_.text(next_++); }
    void operator()(const char*, std::optional<double>& value) { value = row_.real(next_++); }
    void operator()(const char*, double& value) { value = real_or_nan(row_, next_++); }
    void operator()(const char*, int& value) { value = static_cast<int>(row_.integer(next_++)); }
    void operator()(const char*, bool& value) { value = row_.integer(next_++) != 0; }
    void operator()(const char* name, std::uint64_t& value) {
        const std::string text = row_.text(next_++);
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
            throw std::invalid_argument(std::string(name) + " is out of range");
        }
    }
    void operator()(const char* name, Status& value) {
        const auto status = status_from_string(row_.text(next_++));
        if (!status) {
            throw std::invalid_argument(std::string(name) + " is unknown");
        }
        value = *status;
    }
    void operator()(const char*, std::optional<Agreement>& value) {
        if (!row_.is_null(next_)) {
            value = agreement_from_text(row_.text(next_));
        }
        ++next_;
    }

  private:
    const Statement& row_;
    int next_;
};

std::vector<std::string> column_names() {
    std::vector<std::string> names;
    Verdict any;
    each_column(any, [&](const char* name, const auto&) { names.emplace_back(name); });
    return names;
}

std::string insertion() {
    const std::vector<std::string> names = column_names();
    return "INSERT INTO evaluation (source, " + join(names, ", ") + ") VALUES (?" +
           join(std::vector<std::string>(names.size(), ", ?"), "") + ")";
}

void insert_texts(Database& database, const std::string& table, std::int64_t key,
                  const std::vector<std::string>& texts) {
    Statement insert(database,
                     "INSERT INTO " + table + " (evaluation, position, " + table + ") VALUES (?, ?, ?)");
    insert.bind(1, key);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, to_valid_utf8(texts[i]));
        insert.run();
    }
}

void insert_facts(Database& database, const char* kind, std::int64_t key, const Pairs& facts) {
    Statement insert(database,
                     "INSERT INTO fact (evaluation, kind, position, name, value) VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, key);
    insert.bind(2, kind);
    for (std::size_t i = 0; i < facts.size(); ++i) {
        insert.bind(3, static_cast<std::int64_t>(i));
        insert.bind(4, to_valid_utf8(facts[i].first));
        insert.bind(5, to_valid_utf8(facts[i].second));
        insert.run();
    }
}

void insert_stages(Database& database, std::int64_t key, const std::vector<StageTime>& stages) {
    Statement insert(database, "INSERT INTO stage (evaluation, position, name, seconds) VALUES (?, ?, ?, ?)");
    insert.bind(1, key);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, to_valid_utf8(stages[i].name));
        insert.bind(4, stages[i].seconds);
        insert.run();
    }
}

void insert_samples(Database& database, std::int64_t key, const std::vector<Trial>& samples) {
    Statement insert(database,
                     "INSERT INTO trial (evaluation, number, round, ref_ms, cand_ms, compile_ms) "
                     "VALUES (?, ?, ?, ?, ?, ?)");
    insert.bind(1, key);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, samples[i].round);
        insert.bind(4, samples[i].ref_ms);
        insert.bind(5, samples[i].cand_ms);
        insert.bind(6, samples[i].compile_ms);
        insert.run();
    }
}

std::vector<std::string> read_texts(Database& database, const std::string& table, std::int64_t key) {
    Statement rows(database,
                   "SELECT " + table + " FROM " + table + " WHERE evaluation = ? ORDER BY position");
    rows.bind(1, key);
    std::vector<std::string> texts;
    while (rows.step()) {
        texts.push_back(rows.text(0));
    }
    return texts;
}

Pairs read_facts(Database& database, const char* kind, std::int64_t key) {
    Statement rows(database,
                   "SELECT name, value FROM fact WHERE evaluation = ? AND kind = ? ORDER BY position");
    rows.bind(1, key);
    rows.bind(2, kind);
    Pairs facts;
    while (rows.step()) {
        facts.emplace_back(rows.text(0), rows.text(1));
    }
    return facts;
}

}  // namespace

const std::string& evaluation_columns() {
    static const std::string columns = "key, " + join(column_names(), ", ");
    return columns;
}

std::int64_t insert_verdict(Database& database, const Verdict& verdict, const std::string& source) {
    Statement insert(database, insertion());
    insert.bind(1, source);
    each_column(verdict, Binder(insert, 2));
    insert.run();
    const std::int64_t key = sqlite3_last_insert_rowid(database.handle());
    insert_texts(database, "flag", key, verdict.flags);
    insert_texts(database, "note", key, verdict.notes);
    insert_facts(database, "version", key, verdict.versions);
    insert_facts(database, "condition", key, verdict.conditions);
    insert_stages(database, key, verdict.stages);
    insert_samples(database, key, verdict.samples);
    insert_audit(database, key, verdict);
    return key;
}

Verdict read_columns(const Statement& row, const Database& database) {
    Verdict verdict;
    try {
        each_column(verdict, Reader(row, 1));
    } catch (const std::exception& error) {  // of the standard library or of the JSON parser
        throw infrastructure_error(database.path().string() + ": evaluation " + verdict.id +
                                   " can't be read: " + error.what());
    }
    return verdict;
}

void read_lists(Database& database, std::int64_t key, Verdict& verdict) {
    verdict.flags = read_texts(database, "flag", key);
    verdict.notes = read_texts(database, "note", key);
    verdict.versions = read_facts(database, "version", key);
    verdict.conditions = read_facts(database, "condition", key);
    Statement rows(database, "SELECT name, seconds FROM stage WHERE evaluation = ? ORDER BY position");
    rows.bind(1, key);
    while (rows.step()) {
        verdict.stages.push_back({rows.text(0), real_or_nan(rows, 1)});
    }
    read_audit(database, key, verdict);
}

void read_samples(Database& database, std::int64_t key, Verdict& verdict) {
    Statement rows(
        database,
        "SELECT round, ref_ms, cand_ms, compile_ms FROM trial WHERE evaluation = ? ORDER BY number");
    rows.bind(1, key);
    while (rows.step()) {
        verdict.samples.push_back(
            {static_cast<int>(rows.integer(0)), real_or_nan(rows, 1), real_or_nan(rows, 2), rows.real(3)});
    }
    read_blocks(database, key, verdict);
}

}  // namespace kbeval
