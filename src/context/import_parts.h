#pragma once

#include "context/context_set.h"
#include "context/documents.h"

namespace kbeval {

/// One row of context_document; `parent` 0 for none. Gives its key.
std::int64_t insert_document(Database& database, const std::string& name, DocumentFormat format,
                             const std::string& origin, std::int64_t parent, const std::string& text);

/// What a document holds, into the tables of its format.
void import_parts(Database& database, const Catalogue& catalogue, std::int64_t document,
                  const std::string& name, const std::string& text, DocumentFormat format,
                  ImportReport& report);

/// Looks again for the intact text of every altered context: by its digest among all that are stored, then by
/// building the problem's context from the living store. Gives how many were found, with a note each.
int restore_altered(Database& database, std::vector<std::string>& notes);

}  // namespace kbeval
