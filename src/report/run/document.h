#pragma once

#include <string>
#include <vector>

#include "figures/report.h"

namespace kbeval {

struct Column {
    std::string title;
    bool is_figure = false;  ///< flush right
};

struct TableOf {
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
};

/// What a report is written to, part by part. Texts arrive as they were stored: the document makes them safe.
class Document {
  public:
    Document() = default;
    virtual ~Document() = default;
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    virtual void heading(int level, const std::string& text) = 0;
    virtual void paragraph(const std::string& text) = 0;
    virtual void table(const TableOf& table) = 0;
    /// Between these lies what a reader may want to fold away.
    virtual void begin_details(const std::string& summary) = 0;
    virtual void end_details() = 0;
};

/// Writes the report's parts in reading order.
void write_report(Document& document, const Report& report);

}  // namespace kbeval
