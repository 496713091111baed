#include "context/documents.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/import_parts.h"

namespace kbeval {

namespace {

std::optional<std::string> text_of(Database& database, const std::string& name) {
    Statement row(database, "SELECT text FROM context_document WHERE name = ?");
    row.bind(1, name);
    return row.step() ? std::optional(row.text(0)) : std::nullopt;
}

DocumentRow read_row(const Statement& row) {
    return {row.text(0), format_from_string(row.text(1)).value_or(DocumentFormat::ace), row.text(2),
            row.text(3), row.text(4)};
}

}  // namespace

std::string store_context_text(Database& database, std::string_view text) {
    const std::string sha256 = sha256_hex(text);
    std::string digest = sha256.substr(0, 16);
    Statement known(database, "SELECT sha256 FROM context_text WHERE digest = ?");
    known.bind(1, digest);
    if (known.step()) {
        if (known.text(0) != sha256) {
            throw input_error("two different contexts share the digest " + digest);
        }
        return digest;
    }
    Statement row(database, "INSERT INTO context_text (digest, sha256, text, chars) VALUES (?, ?, ?, ?)");
    row.bind(1, digest);
    row.bind(2, sha256);
    row.bind(3, text);
    row.bind(4, character_count(text));
    row.run();
    return digest;
}

std::int64_t insert_document(Database& database, const std::string& name, DocumentFormat format,
                             const std::string& origin, std::int64_t parent, const std::string& text) {
    Statement row(database,
                  "INSERT INTO context_document (name, format, origin, imported, parent, text) "
                  "VALUES (?, ?, ?, ?, ?, ?)");
    row.bind(1, name);
    row.bind(2, to_string(format));
    row.bind(3, origin);
    row.bind(4, utc_now());
    if (parent == 0) {
        row.bind_null(5);
    } else {
        row.bind(5, parent);
    }
    row.bind(6, text);
    row.run();
    return query_integer(database, "SELECT last_insert_rowid()");
}

ImportReport import_document(Store& store, const Catalogue& catalogue, const std::string& text,
                             const ImportOptions& options) {
    if (options.name.empty() || printable(options.name) != options.name ||
        options.name.find('\n') != std::string::npos) {
        throw input_error("'" + printable(options.name) + "' is no name for a document");
    }
    ImportReport report;
    const DocumentFormat format = options.format ? *options.format : detect_format(options.origin, text);
    report.summary = summarize(options.origin, text, format);
    Database& database = store.database();
    Transaction transaction(database);
    if (const auto known = text_of(database, options.name)) {
        if (*known == text) {
            report.unchanged = true;
            return report;
        }
        if (!options.replace) {
            throw input_error("a document named '" + options.name + "' is there already, with another text",
                              "give another --name, or --replace it");
        }
        Statement remove(database, "DELETE FROM context_document WHERE name = ?");
        remove.bind(1, options.name);
        remove.run();
    }
    const std::int64_t key = insert_document(database, options.name, format, options.origin, 0, text);
    import_parts(database, catalogue, key, options.name, text, format, report);
    report.restored = restore_altered(database, report.notes);
    transaction.commit();
    return report;
}

std::vector<DocumentRow> list_documents(Store& store) {
    Statement rows(store.database(),
                   "SELECT name, format, origin, imported, text FROM context_document ORDER BY key");
    std::vector<DocumentRow> all;
    while (rows.step()) {
        all.push_back(read_row(rows));
    }
    return all;
}

DocumentRow find_document(Store& store, const std::string& name) {
    Statement row(store.database(),
                  "SELECT name, format, origin, imported, text FROM context_document WHERE name = ?");
    row.bind(1, name);
    if (row.step()) {
        return read_row(row);
    }
    std::vector<std::string> names;
    for (const DocumentRow& known : list_documents(store)) {
        names.push_back(known.name);
    }
    throw input_error("no document or playbook is named '" + printable(name) + "'",
                      names.empty() ? "import one with `kbeval playbook import FILE`"
                                    : "there are " + join(nearest(name, names, 5), ", "));
}

}  // namespace kbeval
