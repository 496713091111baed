#include "store/database.h"

#include "base/error.h"
#include "store/database_error.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

constexpr int patience_ms = 60'000;

/// SQLite's URI of a file that nobody changes, which it reads without making any file beside it.
std::string immutable_uri(const std::string& file) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : file) {
        if (c == '%' || c == '?' || c == '#') {
            const auto byte = static_cast<unsigned char>(c);
            uri += {'%', digits[byte >> 4U], digits[byte & 0xFU]};
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

bool has_unmerged_log(const std::string& file) {
    std::error_code code;
    const auto size = fs::file_size(file + "-wal", code);
    return !code && size > 0;
}

}  // namespace

Database::Database(const fs::path& path, Access access) : path_(path) {
    if (access == Access::read_only) {
        open_read_only();
        return;
    }
    // Absolute, so that no name is special to SQLite (":memory:", "file:...").
    open_handle(fs::absolute(path).string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    configure();
    if (sqlite3_db_readonly(handle(), "main") == 1) {
        throw database_error(SQLITE_READONLY, path_, "opening for writing", "opened read-only");
    }
    execute("PRAGMA synchronous = FULL");  // a commit is on the disk: a verdict costs minutes of a GPU
}

void Database::open_handle(const std::string& name, int flags) {
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    handle_.reset(raw);  // holds the message of a failure, too
    if (code != SQLITE_OK) {
        throw database_error(code, path_, "opening", raw == nullptr ? "out of memory" : sqlite3_errmsg(raw));
    }
}

/// A database in WAL mode needs files beside it even for reading. Where they can't be made (a read-only
/// folder) and no commits wait in a log, the file is complete and is read as immutable.
void Database::open_read_only() {
    const std::string file = fs::absolute(path_).string();
    open_handle(file, SQLITE_OPEN_READONLY);
    configure();
    const int code = sqlite3_exec(handle(), "SELECT 1 FROM sqlite_schema LIMIT 1", nullptr, nullptr, nullptr);
    const int primary = code & 0xFF;
    if ((primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY) && !has_unmerged_log(file)) {
        open_handle(immutable_uri(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
        configure();
    } else if (code != SQLITE_OK) {
        fail("reading");
    }
}

Database Database::copy_in_memory() const {
    Database copy(path_);
    copy.open_handle(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
    sqlite3_backup* const backup = sqlite3_backup_init(copy.handle(), "main", handle(), "main");
    const int code = backup == nullptr ? SQLITE_ERROR : sqlite3_backup_step(backup, -1);
    if (backup == nullptr || sqlite3_backup_finish(backup) != SQLITE_OK || code != SQLITE_DONE) {
        copy.fail("reading a copy into memory");
    }
    copy.configure();
    return copy;
}

void Database::configure() {
    sqlite3_busy_timeout(handle(), patience_ms);
    // The file may come from anywhere: no SQL may harm its structure.
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
}

void Database::execute(const std::string& sql) {
    if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("reading or writing");
    }
}

void Database::fail(std::string_view doing) const {
    throw database_error(sqlite3_extended_errcode(handle()), path_, doing, sqlite3_errmsg(handle()));
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
    sqlite3_stmt* raw = nullptr;
    const int code =
        sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    statement_.reset(raw);
    check(code);
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) {
        database_->fail(sqlite3_db_readonly(database_->handle(), "main") == 1 ? "reading"
                                                                              : "reading or writing");
    }
}

void Statement::bind(int parameter, std::string_view text) {
    const char* const bytes = text.data() == nullptr ? "" : text.data();  // a null pointer would bind NULL
    check(
        sqlite3_bind_text64(statement_.get(), parameter, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int parameter, std::int64_t value) {
    check(sqlite3_bind_int64(statement_.get(), parameter, value));
}

void Statement::bind(int parameter, double value) {
    check(sqlite3_bind_double(statement_.get(), parameter, value));
}

void Statement::bind(int parameter, const std::optional<double>& value) {
    if (value) {
        bind(parameter, *value);
    } else {
        bind_null(parameter);
    }
}

void Statement::bind_null(int parameter) {
    check(sqlite3_bind_null(statement_.get(), parameter));
}

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) {
        return true;
    }
    check(code == SQLITE_DONE ? SQLITE_OK : code);
    return false;
}

void Statement::run() {
    step();
    reset();
}

void Statement::reset() {
    sqlite3_reset(statement_.get());
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Statement::text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> Statement::real(int column) const {
    return is_null(column) ? std::nullopt : std::optional(sqlite3_column_double(statement_.get(), column));
}

std::string query_text(Database& database, std::string_view sql) {
    Statement statement(database, sql);
    return statement.step() ? statement.text(0) : std::string();
}

std::int64_t query_integer(Database& database, std::string_view sql) {
    Statement statement(database, sql);
    return statement.step() ? statement.integer(0) : 0;
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
    database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    if (open_) {
        // Nothing to add where this fails, too: SQLite rolls back by itself when the connection ends.
        sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

}  // namespace kbeval
