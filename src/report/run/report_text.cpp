#include "report/run/report_text.h"

#include "report/run/document.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

/// Plain text: headings, and tables laid out in columns.
class PlainText : public Document {
  public:
    void heading(int level, const std::string& text) override {
        out_ += (out_.empty() ? "" : "\n") + terminal_line(text) + "\n";
        if (level == 1) {
            out_ += std::string(text_width(terminal_line(text)), '=') + "\n";
        }
    }

    void paragraph(const std::string& text) override { out_ += terminal_line(text) + "\n"; }

    void table(const TableOf& table) override {
        std::vector<std::vector<std::string>> lines{{}};
        for (const Column& column : table.columns) {
            lines[0].push_back(column.title);
        }
        for (const auto& row : table.rows) {
            lines.emplace_back();
            for (const std::string& cell : row) {
                lines.back().push_back(fit(terminal_line(cell), most_cell));
            }
        }
        std::vector<std::size_t> widths(table.columns.size(), 0);
        for (const auto& line : lines) {
            for (std::size_t i = 0; i < line.size(); ++i) {
                widths[i] = std::max(widths[i], text_width(line[i]));
            }
        }
        for (const auto& line : lines) {
            add_line(line, widths, table.columns);
        }
    }

    void begin_details(const std::string& summary) override { heading(2, summary); }
    void end_details() override {}

    std::string take() { return std::move(out_); }

  private:
    static constexpr std::size_t most_cell = 60;

    void add_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                  const std::vector<Column>& columns) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string padding(widths[i] - text_width(cells[i]), ' ');
            line += "  ";
            line += columns[i].is_figure ? padding + cells[i] : cells[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out_ += line + "\n";
    }

    std::string out_;
};

}  // namespace

std::string report_text(const Report& report) {
    PlainText text;
    write_report(text, report);
    return text.take();
}

}  // namespace kbeval
