#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"

namespace kbeval {

namespace {

constexpr std::size_t columns = 9;
using Row = std::array<std::string, columns>;
/// Figures are flush right.
constexpr std::array<bool, columns> flush_right{false, false, false, false, true, true, true, true, false};
constexpr std::size_t status_column = 3;
constexpr std::size_t short_id = 8;
constexpr std::size_t most_problem = 20;
constexpr std::size_t most_label = 60;

const Row heading{"id",         "time (UTC)", "problem", "status", "speedup [lo95]",
                  "vs compile", "cand ms",    "flags",   "label"};

std::string figure(const std::optional<double>& value) {
    return value ? significant(*value, 4) : "-";
}

/// 2026-01-31T23:59:59.123Z as 2026-01-31 23:59:59.
std::string short_time(const std::string& created) {
    std::string text = created.substr(0, std::string_view("2026-01-31T23:59:59").size());
    std::replace(text.begin(), text.end(), 'T', ' ');
    return text;
}

Row row_of(const Verdict& v) {
    const std::string low = v.speedup_lo95 ? " [" + significant(*v.speedup_lo95, 4) + "]" : "";
    return {v.id.substr(0, short_id),
            terminal_line(short_time(v.created)),
            fit(terminal_line(v.problem), most_problem),
            std::string(to_string(v.status)),
            v.speedup ? significant(*v.speedup, 4) + low : "-",
            figure(v.speedup_vs_compile),
            figure(v.cand_ms),
            std::to_string(v.flags.size()),
            fit(terminal_line(v.label), most_label)};
}

const char* colour_code(const Verdict& v) {
    if (v.status != Status::correct) {
        return "31";
    }
    return v.success ? "32" : "33";
}

std::string laid_out(const Row& row, const std::array<std::size_t, columns>& widths, const char* colour) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::string padding(widths[i] - text_width(row[i]), ' ');
        line += i == 0 ? "" : "  ";
        line += flush_right[i] ? padding : "";
        const bool coloured = colour != nullptr && i == status_column;
        line += coloured ? std::string("\x1b[") + colour + "m" + row[i] + "\x1b[0m" : row[i];
        line += flush_right[i] ? "" : padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string verdict_table(const std::vector<Verdict>& verdicts, bool colour) {
    if (verdicts.empty()) {
        return "";
    }
    std::vector<Row> rows{heading};
    for (const Verdict& v : verdicts) {
        rows.push_back(row_of(v));
    }
    std::array<std::size_t, columns> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < columns; ++i) {
            widths[i] = std::max(widths[i], text_width(row[i]));
        }
    }
    std::string out = laid_out(rows[0], widths, nullptr);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        out += laid_out(rows[i + 1], widths, colour ? colour_code(verdicts[i]) : nullptr);
    }
    return out;
}

}  // namespace kbeval
