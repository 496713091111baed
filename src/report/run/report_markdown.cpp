#include "report/run/document.h"
#include "report/run/report_text.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

class Markdown : public Document {
  public:
    void heading(int level, const std::string& text) override {
        out_ += (out_.empty() ? "" : "\n") + std::string(static_cast<std::size_t>(level) + 1, '#') + " " +
                markdown_text(text) + "\n";
    }

    void paragraph(const std::string& text) override { out_ += "\n" + markdown_text(text) + "\n"; }

    void table(const TableOf& table) override {
        std::string names = "\n|";
        std::string rule = "|";
        for (const Column& column : table.columns) {
            names += " " + markdown_text(column.title) + " |";
            rule += column.is_figure ? " ---: |" : " --- |";
        }
        out_ += names + "\n" + rule + "\n";
        for (const auto& row : table.rows) {
            out_ += "|";
            for (const std::string& cell : row) {
                out_ += " " + markdown_text(fit(terminal_line(cell), most_cell)) + " |";
            }
            out_ += "\n";
        }
    }

    void begin_details(const std::string& summary) override {
        out_ += "\n<details><summary>" + markdown_text(summary) + "</summary>\n";
    }
    void end_details() override { out_ += "\n</details>\n"; }

    std::string take() { return std::move(out_); }

  private:
    static constexpr std::size_t most_cell = 160;
    std::string out_;
};

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether Markdown or HTML could give the character at `i` a meaning. An underscore inside a word has none.
bool has_meaning(std::string_view text, std::size_t i) {
    if (text[i] == '_') {
        return i == 0 || i + 1 == text.size() || !is_word(text[i - 1]) || !is_word(text[i + 1]);
    }
    return std::string_view("\\`*{}[]<>|~&$!").find(text[i]) != std::string_view::npos;
}

}  // namespace

std::string markdown_text(std::string_view raw) {
    constexpr std::string_view nothing = "<!-- -->";  // splits what GitHub would link, and shows as nothing
    const std::string text = terminal_line(raw);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = std::string_view(text).substr(i);
        if (has_meaning(text, i)) {
            // A reference by number is a plain character to every later pass.
            out += "&#" + std::to_string(static_cast<int>(static_cast<unsigned char>(text[i]))) + ";";
        } else {
            out += text[i];
        }
        const bool links = text[i] == '@' || text[i] == '#' || rest.starts_with("://") ||
                           rest.starts_with("www.") || rest.starts_with("WWW.");
        out += links ? nothing : "";
    }
    return out;
}

std::string report_markdown(const Report& report) {
    Markdown markdown;
    write_report(markdown, report);
    return markdown.take();
}

}  // namespace kbeval
