#include "report/run/report_csv.h"

#include <charconv>
#include <cmath>
#include <functional>

#include "base/text.h"

namespace kbeval {

namespace {

/// The shortest text that reads back as the same double.
std::string number(double value) {
    if (!std::isfinite(value)) {
        return "";
    }
    char text[32];
    const auto result = std::to_chars(text, text + sizeof text, value);
    return {text, result.ptr};
}

std::string number(const std::optional<double>& value) {
    return value ? number(*value) : "";
}

/// A field that holds a text from outside.
std::string field(const std::string& raw) {
    std::string text = replace_all(to_valid_utf8(raw), std::string_view("\0", 1), "\xEF\xBF\xBD");
    if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) {
        text.insert(0, 1, '\'');
    }
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    return '"' + replace_all(text, "\"", "\"\"") + '"';
}

std::string yes(bool value) {
    return value ? "1" : "0";
}

using Value = std::function<std::string(const std::string& run, const ReportRow& row)>;

template <typename Member>
Value of(Member Verdict::*member) {
    return [member](const std::string&, const ReportRow& row) {
        const auto& value = row.verdict.*member;
        if constexpr (std::is_same_v<Member, std::string>) {
            return field(value);
        } else if constexpr (std::is_same_v<Member, bool>) {
            return yes(value);
        } else if constexpr (std::is_integral_v<Member>) {
            return std::to_string(value);
        } else {
            return number(value);
        }
    };
}

const std::vector<std::pair<std::string, Value>>& columns() {
    using V = Verdict;
    static const std::vector<std::pair<std::string, Value>> all{
        {"run", [](const std::string& run, const ReportRow&) { return field(run); }},
        {"id", of(&V::id)},
        {"created", of(&V::created)},
        {"kind", of(&V::kind)},
        {"problem", of(&V::problem)},
        {"name", [](const std::string&, const ReportRow& row) { return field(row.name); }},
        {"level", [](const std::string&,
                     const ReportRow& row) { return row.level == 0 ? "" : std::to_string(row.level); }},
        {"family", [](const std::string&, const ReportRow& row) { return field(row.family); }},
        {"label", of(&V::label)},
        {"status",
         [](const std::string&, const ReportRow& row) { return std::string(to_string(row.verdict.status)); }},
        {"success", of(&V::success)},
        {"fast1", of(&V::fast1)},
        {"fast1_raw", of(&V::fast1_raw)},
        {"score", of(&V::score)},
        {"speedup", of(&V::speedup)},
        {"speedup_lo95", of(&V::speedup_lo95)},
        {"speedup_hi95", of(&V::speedup_hi95)},
        {"speedup_mean", of(&V::speedup_mean)},
        {"speedup_vs_compile", of(&V::speedup_vs_compile)},
        {"ref_ms", of(&V::ref_ms)},
        {"compile_ms", of(&V::compile_ms)},
        {"cand_ms", of(&V::cand_ms)},
        {"trials", of(&V::trials)},
        {"own_kernel_time_frac", of(&V::own_kernel_time_frac)},
        {"flags",
         [](const std::string&, const ReportRow& row) { return field(join(row.verdict.flags, "; ")); }},
        {"message", of(&V::message)},
        {"compile_note", of(&V::compile_note)},
        {"candidate_digest", of(&V::candidate_digest)},
        {"problem_digest", of(&V::problem_digest)},
        {"evaluator", of(&V::evaluator)},
        {"device", of(&V::device)},
        {"gpu", of(&V::gpu)},
        {"size", of(&V::size)},
        {"atol", of(&V::atol)},
        {"rtol", of(&V::rtol)},
        {"seed", of(&V::seed)},
        {"seeds", of(&V::seeds)}};
    return all;
}

}  // namespace

const std::vector<std::string>& csv_columns() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, value] : columns()) {
            all.push_back(name);
        }
        return all;
    }();
    return names;
}

std::string report_csv(const Report& report) {
    std::string out = join(csv_columns(), ",") + "\r\n";
    for (const RunRows& run : report.runs) {
        for (const ReportRow& row : run.rows) {
            bool first = true;
            for (const auto& [name, value] : columns()) {
                out += first ? "" : ",";
                out += value(run.name, row);
                first = false;
            }
            out += "\r\n";
        }
    }
    return out;
}

}  // namespace kbeval
