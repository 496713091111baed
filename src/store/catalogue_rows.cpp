#include "store/catalogue_rows.h"

#include "base/sha256.h"
#include "base/text.h"

namespace kbeval {

namespace {

std::string digest_of(const std::vector<ProblemRow>& rows) {
    Sha256 digest;
    for (const ProblemRow& row : rows) {
        for (const std::string& field : {row.problem, row.name, std::to_string(row.level), row.family}) {
            digest.field(field);
        }
    }
    return digest.hex();
}

}  // namespace

bool problems_are_new(Database& database, const std::vector<ProblemRow>& rows) {
    return query_text(database, "SELECT value FROM meta WHERE key = 'catalogue'") != digest_of(rows);
}

void note_problems(Database& database, const std::vector<ProblemRow>& rows) {
    if (!problems_are_new(database, rows)) {
        return;
    }
    Transaction transaction(database);
    Statement insert(database,
                     "INSERT OR REPLACE INTO catalogue (problem, name, level, family) VALUES (?, ?, ?, ?)");
    for (const ProblemRow& row : rows) {
        insert.bind(1, to_valid_utf8(row.problem));
        insert.bind(2, to_valid_utf8(row.name));
        if (row.level == 0) {
            insert.bind_null(3);
        } else {
            insert.bind(3, row.level);
        }
        insert.bind(4, to_valid_utf8(row.family));
        insert.run();
    }
    Statement mark(database, "INSERT OR REPLACE INTO meta (key, value) VALUES ('catalogue', ?)");
    mark.bind(1, digest_of(rows));
    mark.run();
    transaction.commit();
}

}  // namespace kbeval
