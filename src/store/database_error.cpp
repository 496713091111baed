#include "store/database_error.h"

#include <sqlite3.h>

namespace kbeval {

namespace {

struct Explanation {
    const char* what;
    std::string hint;
};

Explanation explain(int code, const std::filesystem::path& path) {
    const std::string file = path.string();
    const std::string folder = path.parent_path().string();
    switch (code & 0xFF) {
        case SQLITE_FULL:
            return {"the disk is full", "free some space there, or name another database with --db"};
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return {"it is read-only",
                    "make " + file + " and its folder writable, or name another with --db"};
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {"another process has kept it locked for too long",
                    "`fuser " + file + "` names that process"};
        case SQLITE_CORRUPT:
            return {
                "the database is damaged",
                "`sqlite3 " + file + " .recover` rescues what it can; move the file away to start afresh"};
        case SQLITE_CANTOPEN:
            return {"it cannot be opened",
                    "the file and its folder " + folder + " must be readable and writable"};
        case SQLITE_IOERR:
            return {"the file system failed",
                    "see the kernel's log, or name a database on another disk with --db"};
        case SQLITE_TOOBIG:
            return {"a text is larger than a database can hold", ""};
        default:
            return {"the database refused", ""};
    }
}

}  // namespace

Error database_error(int code, const std::filesystem::path& path, std::string_view doing,
                     const std::string& detail) {
    const std::string start = path.string() + ": ";
    if ((code & 0xFF) == SQLITE_NOTADB) {
        return input_error(start + "not an SQLite database",
                           "name a kbeval database, or a new file, with --db");
    }
    Explanation explanation = explain(code, path);
    return infrastructure_error(
        start + std::string(doing) + " failed: " + explanation.what + " (SQLite: " + detail + ")",
        std::move(explanation.hint));
}

}  // namespace kbeval
