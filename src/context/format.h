#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context/finding.h"

namespace kbeval {

/// Formats of documents that hold contexts (docs/contexts.md).
enum class DocumentFormat { ace, mem0, living, cards, context_set, problem_records };

/// Largest document that is read, in bytes.
inline constexpr std::size_t max_document_bytes = std::size_t{64} << 20U;

std::string_view to_string(DocumentFormat format);
std::optional<DocumentFormat> format_from_string(std::string_view name);
std::vector<std::string> format_names();

/// From what the text looks like. Throws an input error, which names the formats, where it looks like none.
DocumentFormat detect_format(const std::string& name, std::string_view text);

/// What is in a document, and whether its items render to the same bytes.
struct DocumentSummary {
    DocumentFormat format = DocumentFormat::ace;
    std::string contents;  ///< "76 bullets in 1 section"
    bool renders_identically = false;
    std::vector<Finding> findings;
};

/// Parses a document and renders it back.
DocumentSummary summarize(const std::string& name, std::string_view text, DocumentFormat format);

/// Likewise; gives the rendering.
std::string render_again(const std::string& name, std::string_view text, DocumentFormat format);

}  // namespace kbeval
