#include "store/store.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "store/calibration_rows.h"
#include "store/migrations.h"
#include "store/verdict_rows.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t least_prefix = 4;
constexpr int named_in_errors = 10;

Error nothing_recorded(const fs::path& path) {
    return input_error(path.string() + ": nothing has been recorded there yet",
                       "`kbeval run` records an evaluation; --db names another database");
}

/// What is at `path` must be a regular file, or nothing.
bool regular_file_exists(const fs::path& path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (status.type() == fs::file_type::not_found) {
        return false;
    }
    if (status.type() == fs::file_type::none) {
        throw input_error(path.string() + ": " + code.message());
    }
    if (fs::is_directory(status)) {
        throw input_error(path.string() + ": is a folder, not a database", "name a file in it with --db");
    }
    if (!fs::is_regular_file(status)) {
        throw input_error(path.string() + ": is no regular file, so no database");
    }
    return true;
}

void make_parent(const fs::path& path) {
    const fs::path parent = fs::absolute(path).parent_path();
    std::error_code code;
    fs::create_directories(parent, code);
    if (!code || fs::is_directory(parent)) {
        return;
    }
    const std::string message =
        path.string() + ": its folder " + parent.string() + " can't be made: " + code.message();
    throw code == std::errc::not_a_directory || code == std::errc::file_exists
        ? input_error(message, "part of that path is a file; name another database with --db")
        : infrastructure_error(message, "name another database with --db");
}

/// A lower-case prefix of an id, checked.
std::string normal_prefix(std::string_view prefix) {
    constexpr std::size_t id_digits = 32;
    std::string digits(prefix);
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (digits.size() < least_prefix || digits.size() > id_digits ||
        digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
        throw input_error("'" + printable(prefix.substr(0, 80)) + "' is no evaluation id",
                          "give " + std::to_string(least_prefix) + " to " + std::to_string(id_digits) +
                              " hex digits of one that `kbeval log` shows");
    }
    return digits;
}

std::string described(const Statement& row) {  // of id, created, problem, status
    return "\n  " + row.text(0) + "  " + row.text(1) + "  " + printable(row.text(2)) + "  " + row.text(3);
}

Error unknown_id(Database& database, const std::string& prefix) {
    Statement rows(
        database,
        "SELECT id, created, problem, status FROM evaluation ORDER BY created DESC, key DESC LIMIT 5");
    std::string newest;
    while (rows.step()) {
        newest += described(rows);
    }
    if (newest.empty()) {
        return nothing_recorded(database.path());
    }
    return input_error(database.path().string() + ": no evaluation has an id that begins with " + prefix +
                       "; the newest are" + newest);
}

/// The key of the one evaluation whose id begins with `prefix`.
std::int64_t key_of(Database& database, const std::string& prefix) {
    // 'g' follows the last hex digit, so that the range is just the ids that begin so.
    Statement rows(
        database,
        "SELECT id, created, problem, status, key FROM evaluation WHERE id >= ?1 AND id < ?1 || 'g' "
        "ORDER BY created DESC, key DESC LIMIT " +
            std::to_string(named_in_errors + 1));
    rows.bind(1, prefix);
    std::string all;
    int count = 0;
    std::int64_t key = 0;
    for (; rows.step(); ++count) {
        key = rows.integer(4);
        all += count < named_in_errors ? described(rows) : "\n  ...";
    }
    if (count == 0) {
        throw unknown_id(database, prefix);
    }
    if (count > 1) {
        throw input_error(
            database.path().string() + ": several evaluations have ids that begin with " + prefix + ":" + all,
            "give more digits");
    }
    return key;
}

/// Log text as it is stored: UTF-8 without NUL, which ends a text for many programs.
std::string clean_log(std::string_view log) {
    return replace_all(to_valid_utf8(log), std::string_view("\0", 1), "\xEF\xBF\xBD");
}

std::string log_of(Database& database, std::int64_t key) {
    Statement row(database, "SELECT text FROM log WHERE evaluation = ?");
    row.bind(1, key);
    return row.step() ? row.text(0) : std::string();
}

std::string source_of(Database& database, std::int64_t key) {
    Statement row(
        database,
        "SELECT s.text FROM source AS s JOIN evaluation AS e ON e.source = s.digest WHERE e.key = ?");
    row.bind(1, key);
    return row.step() ? row.text(0) : std::string();
}

/// Whether SQLite could write there: to the file, and files beside it.
bool writable(const fs::path& path) {
    return ::access(path.c_str(), W_OK) == 0 && ::access(fs::absolute(path).parent_path().c_str(), W_OK) == 0;
}

/// A database of an earlier version is brought up to date first; where it can't be written, a copy of it is.
Database open_for_reading(const fs::path& path) {
    Database database(path, Database::Access::read_only);
    const SchemaState state = inspect(database);
    if (state == SchemaState::empty) {
        throw nothing_recorded(path);
    }
    if (state == SchemaState::old && writable(path)) {
        Database upgraded(path, Database::Access::read_write);
        bring_up_to_date(upgraded);
    } else if (state == SchemaState::old) {
        spdlog::info("{}: is of an earlier version and can't be written; a copy in memory is read",
                     path.string());
        Database copy = database.copy_in_memory();
        bring_up_to_date(copy);
        return copy;
    }
    return database;
}

}  // namespace

Store Store::open(const fs::path& path, Mode mode) {
    const bool exists = regular_file_exists(path);
    if (mode == Mode::read_only) {
        if (!exists) {
            throw nothing_recorded(path);
        }
        return Store(open_for_reading(path));
    }
    if (!exists) {
        make_parent(path);
    }
    Database database(path, Database::Access::read_write);
    inspect(database);
    if (!use_write_ahead_log(database)) {
        spdlog::warn(
            "{}: its file system can't do write-ahead logging; readers and writers of the database take "
            "turns",
            path.string());
    }
    bring_up_to_date(database);
    return Store(std::move(database));
}

Store::Store(Database database) : database_(std::move(database)) {}

void Store::prove_writable() {
    Transaction transaction(database_);
    Statement write(database_, "INSERT OR REPLACE INTO meta (key, value) VALUES ('last_proof', ?)");
    write.bind(1, utc_now());
    write.run();
    transaction.commit();
    require_free_space(path(), least_free_space);
}

void Store::record(const Verdict& verdict, std::string_view source, std::string_view log) {
    record(verdict, source, log, [](Database&, std::int64_t) { return true; });
}

bool Store::record(const Verdict& verdict, std::string_view source, std::string_view log, const Also& also) {
    // By the whole digest: 16 digits are few enough that someone could make two sources that share them.
    const std::string digest = sha256_hex(source);
    Transaction transaction(database_);
    Statement insert_source(database_, "INSERT OR IGNORE INTO source (digest, text, bytes) VALUES (?, ?, ?)");
    insert_source.bind(1, digest);
    insert_source.bind(2, source);
    insert_source.bind(3, static_cast<std::int64_t>(source.size()));
    insert_source.run();
    const std::int64_t key = insert_verdict(database_, verdict, digest);
    Statement insert_log(database_, "INSERT INTO log (evaluation, text) VALUES (?, ?)");
    insert_log.bind(1, key);
    insert_log.bind(2, clean_log(log));
    insert_log.run();
    if (!also(database_, key)) {
        return false;
    }
    transaction.commit();
    return true;
}

void Store::record(const Calibration& calibration) {
    insert_calibration(database_, calibration);
}

std::optional<Calibration> Store::newest_calibration(const std::string& evaluator, const std::string& gpu,
                                                     bool timings) {
    return kbeval::newest_calibration(database_, evaluator, gpu, timings);
}

EvaluationRecord Store::find(std::string_view prefix) {
    const std::string digits = normal_prefix(prefix);
    const Transaction snapshot(database_, Transaction::Kind::read);
    const std::int64_t key = key_of(database_, digits);
    Statement row(database_, "SELECT " + evaluation_columns() + " FROM evaluation WHERE key = ?");
    row.bind(1, key);
    row.step();
    EvaluationRecord record{read_columns(row, database_), source_of(database_, key), log_of(database_, key)};
    read_lists(database_, key, record.verdict);
    read_samples(database_, key, record.verdict);
    return record;
}

std::string Store::remove(std::string_view prefix) {
    const std::string digits = normal_prefix(prefix);
    Transaction transaction(database_);
    const std::int64_t key = key_of(database_, digits);
    Statement row(database_, "DELETE FROM evaluation WHERE key = ? RETURNING id, source");
    row.bind(1, key);
    row.step();
    std::string id = row.text(0);
    const std::string digest = row.text(1);
    while (row.step()) {
    }
    Statement source(database_,
                     "DELETE FROM source WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM evaluation WHERE "
                     "source = ?1)");
    source.bind(1, digest);
    source.run();
    transaction.commit();
    return id;
}

std::vector<Verdict> Store::list(const EvaluationFilter& filter) {
    std::vector<std::string> values;
    std::string condition = "1";
    const auto restrict_to = [&](const char* column, std::string value) {
        condition += std::string(" AND ") + column + " = ?";
        values.push_back(std::move(value));
    };
    if (filter.problem) {
        restrict_to("problem", *filter.problem);
    }
    if (filter.status) {
        restrict_to("status", std::string(to_string(*filter.status)));
    }
    if (filter.label) {
        restrict_to("label", to_valid_utf8(*filter.label));
    }
    if (filter.kind) {
        restrict_to("kind", *filter.kind);
    }
    const Transaction snapshot(database_, Transaction::Kind::read);
    Statement rows(database_, "SELECT " + evaluation_columns() + " FROM evaluation WHERE " + condition +
                                  " ORDER BY created DESC, key DESC LIMIT " +
                                  std::to_string(std::max(0, filter.limit)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        rows.bind(static_cast<int>(i) + 1, values[i]);
    }
    std::vector<Verdict> verdicts;
    while (rows.step()) {
        verdicts.push_back(read_columns(rows, database_));
        read_lists(database_, rows.integer(0), verdicts.back());
    }
    return verdicts;
}

void require_free_space(const fs::path& path, std::uintmax_t least) {
    std::error_code code;
    const fs::space_info space = fs::space(fs::absolute(path).parent_path(), code);
    if (!code && space.available < least) {
        throw infrastructure_error(path.string() + ": only " + std::to_string(space.available >> 20U) +
                                       " MiB are free on its file system, " + std::to_string(least >> 20U) +
                                       " MiB are needed",
                                   "free some space there, or name another database with --db");
    }
}

}  // namespace kbeval
