#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kbeval {

/// One SQLite connection. Every failure is thrown as kbeval::Error that names the file (see
/// database_error.h).
class Database {
  public:
    enum class Access {
        read_write,  ///< made where it is missing
        read_only,   ///< must exist; also works where neither file nor folder can be written
    };

    /// Opens with foreign keys on and 60 s of patience for locks. Whose database it is, is not looked at.
    Database(const std::filesystem::path& path, Access access);

    /// A copy of the whole database in memory, under the same name in errors.
    [[nodiscard]] Database copy_in_memory() const;

    /// Runs statements that return nothing of interest; `sql` may hold several.
    void execute(const std::string& sql);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

    /// The last failure of this connection as an Error; `doing` says what was tried ("reading").
    [[noreturn]] void fail(std::string_view doing) const;

  private:
    struct Close {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };

    explicit Database(std::filesystem::path path) : path_(std::move(path)) {}

    void configure();
    void open_handle(const std::string& name, int flags);
    void open_read_only();

    std::filesystem::path path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// One prepared statement. Parameters are numbered from 1, columns from 0.
class Statement {
  public:
    Statement(Database& database, std::string_view sql);

    void bind(int parameter, std::string_view text);
    void bind(int parameter, const std::string& text) { bind(parameter, std::string_view(text)); }
    void bind(int parameter, const char* text) { bind(parameter, std::string_view(text)); }
    void bind(int parameter, std::int64_t value);
    void bind(int parameter, int value) { bind(parameter, static_cast<std::int64_t>(value)); }
    void bind(int parameter, double value);  ///< NaN becomes NULL, as always in SQLite
    void bind(int parameter, const std::optional<double>& value);
    void bind_null(int parameter);

    /// Goes to the next row; false where there is none left.
    bool step();
    /// Runs a statement that returns no rows and makes it ready for the next binding.
    void run();
    /// Makes the statement ready to run again; bindings stay.
    void reset();

    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] std::string text(int column) const;  ///< all bytes, NUL included; empty for NULL
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<double> real(int column) const;
    [[nodiscard]] sqlite3_stmt* handle() const { return statement_.get(); }

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };

    void check(int code) const;

    Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// The one value that a query returns, as text; empty where there is no row.
std::string query_text(Database& database, std::string_view sql);
/// Likewise, as a whole number; 0 where there is no row.
std::int64_t query_integer(Database& database, std::string_view sql);

/// A transaction that is rolled back unless committed. A write transaction takes the write lock at once, so
/// that it waits for another writer here and never fails half-way for it.
class Transaction {
  public:
    enum class Kind { write, read };

    explicit Transaction(Database& database, Kind kind = Kind::write);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

}  // namespace kbeval
