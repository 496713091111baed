#pragma once

#include <optional>
#include <string>
#include <vector>

#include "context/format.h"
#include "problem/problem.h"
#include "store/store.h"

namespace kbeval {

struct ImportOptions {
    std::string name;    ///< what it is called from now on
    std::string origin;  ///< where it came from, for people
    std::optional<DocumentFormat> format;
    bool replace = false;  ///< take the place of another document of this name
};

struct ImportReport {
    DocumentSummary summary;
    bool unchanged = false;          ///< the very same document was there already
    std::vector<std::string> parts;  ///< names of playbooks that a set holds: SET/ARM
    std::vector<std::string> notes;
    int altered = 0;   ///< contexts that don't match what was recorded of them
    int restored = 0;  ///< of these, and of earlier ones: whose intact text is known now
};

/// Imports one document in one transaction: its text, its items, its contexts (each once by digest) and, of
/// living memory, the store. Throws an input error where it can't be used or the name is taken.
ImportReport import_document(Store& store, const Catalogue& catalogue, const std::string& text,
                             const ImportOptions& options);

struct DocumentRow {
    std::string name;
    DocumentFormat format = DocumentFormat::ace;
    std::string origin;
    std::string imported;
    std::string text;
};

std::vector<DocumentRow> list_documents(Store& store);

/// Throws an input error that names the nearest names.
DocumentRow find_document(Store& store, const std::string& name);

/// Stores a context once; gives its digest.
std::string store_context_text(Database& database, std::string_view text);

}  // namespace kbeval
