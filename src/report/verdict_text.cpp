#include "report/verdict_text.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

constexpr std::size_t label_width = 15;
constexpr int time_digits = 4;

enum class Mood { good, doubtful, bad };

Mood mood(const Verdict& v) {
    if (v.status != Status::correct) {
        return Mood::bad;
    }
    const bool checked = v.kind == "check" && !disqualified(v);
    return v.success || checked ? Mood::good : Mood::doubtful;
}

std::string coloured(const std::string& text, Mood of, bool colour) {
    if (!colour) {
        return text;
    }
    const char* const code = of == Mood::good ? "32" : of == Mood::doubtful ? "33" : "31";
    return std::string("\x1b[1;") + code + "m" + text + "\x1b[0m";
}

std::string headline_word(const Verdict& v) {
    switch (v.status) {
        case Status::correct:
            return v.kind == "check" ? "CHECKED" : v.success ? "SUCCESS" : "NO SUCCESS";
        case Status::infra_error:
            return "NOT JUDGED";
        default:
            return "FAILED";
    }
}

/// A row of the report; lines of `value` after the first are indented to its column.
void add_row(std::string& out, std::string_view label, std::string_view value) {
    bool first = true;
    for (const std::string_view line : split_lines(value)) {
        std::string start(first ? label : std::string_view());
        start.resize(label_width, ' ');
        out += line.empty() ? "" : start + std::string(line);
        out += '\n';
        first = false;
    }
}

std::string milliseconds(double ms) {
    return significant(ms, time_digits) + " ms";
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

std::string exact(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string times_over(double ratio) {
    return significant(ratio, time_digits) + "x";
}

std::string shown_message(const std::string& message, std::size_t most) {
    const std::string safe = terminal_text(message);
    const auto lines = split_lines(safe);
    std::string text;
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
        text += std::string(lines[i]) + "\n";
    }
    if (lines.size() > most) {
        text += "(" + std::to_string(lines.size() - most) + " more lines: kbeval show)\n";
    }
    return text;
}

void add_times(std::string& out, const Verdict& v) {
    if (v.ref_ms) {
        add_row(out, "reference", milliseconds(*v.ref_ms));
    }
    if (v.compile_ms) {
        add_row(out, "torch.compile", milliseconds(*v.compile_ms));
    }
    if (v.cand_ms) {
        add_row(out, "candidate", milliseconds(*v.cand_ms));
    }
    if (!v.speedup) {
        return;
    }
    std::string speedup = times_over(*v.speedup);
    if (v.speedup_lo95 && v.speedup_hi95) {
        speedup += "  95 % interval " + times_over(*v.speedup_lo95) + " to " + times_over(*v.speedup_hi95);
    }
    speedup += ", " + std::to_string(v.trials) + (v.trials == 1 ? " trial" : " trials");
    add_row(out, "speedup", speedup);
    if (v.judge_speedup && v.judge_speedup_lo95 && v.judge_speedup_hi95) {
        add_row(out, "judge's clock",
                times_over(*v.judge_speedup) + "  95 % interval " + times_over(*v.judge_speedup_lo95) +
                    " to " + times_over(*v.judge_speedup_hi95));
    }
    if (v.speedup_vs_compile) {
        add_row(out, "vs compile", times_over(*v.speedup_vs_compile));
    } else {
        const std::string reason =
            v.compile_note.empty() ? "no reason recorded" : terminal_line(v.compile_note);
        add_row(out, "vs compile", "none: " + reason);
    }
}

std::string index_text(const std::vector<std::int64_t>& index) {
    std::vector<std::string> parts;
    parts.reserve(index.size());
    for (const std::int64_t i : index) {
        parts.push_back(std::to_string(i));
    }
    return "[" + join(parts, ", ") + "]";
}

void add_agreement(std::string& out, const Agreement& a) {
    add_row(out, "agreement",
            "max_abs_diff=" + significant(a.max_abs_diff, 3) +
                " max_rel_diff=" + significant(a.max_rel_diff, 3) + " over " +
                std::to_string(a.seeds_checked) + (a.seeds_checked == 1 ? " seed, " : " seeds, ") +
                significant(100 * a.share_beyond, 2) + " % beyond tolerance");
    if (a.max_abs_diff != 0) {
        add_row(out, "worst element",
                "output " + std::to_string(a.output) + " at " + index_text(a.worst_index) + ": expected " +
                    exact(a.worst_expected) + ", got " + exact(a.worst_actual));
    }
}

void add_precision(std::string& out, const Precision& p) {
    const auto error = [](double max_abs, double rms) {
        return "max_abs=" + significant(max_abs, 3) + " rms=" + significant(rms, 3);
    };
    add_row(out, "against fp64",
            "candidate " + error(p.cand_max_abs, p.cand_rms) + ", reference " +
                error(p.ref_max_abs, p.ref_rms) + " over " + std::to_string(p.seeds) +
                (p.seeds == 1 ? " seed" : " seeds"));
}

void add_origin(std::string& out, const Verdict& v) {
    std::string tolerance = "atol=" + compact(v.atol) + " rtol=" + compact(v.rtol);
    if (v.atol == v.rtol) {
        tolerance = "atol=rtol=" + compact(v.atol);
    }
    add_row(out, "judged on",
            terminal_line(v.gpu) + ", " + terminal_line(v.size) + " size, " + tolerance + ", " +
                std::to_string(v.seeds) + (v.seeds == 1 ? " seed" : " seeds") + " from " +
                std::to_string(v.seed));
    add_row(out, "evaluator", terminal_line(v.evaluator));
}

std::string correct_in_words(const Verdict& v) {
    if (v.kind == "check") {
        return disqualified(v) ? "correct, but flagged" : "correct (a check: not timed)";
    }
    if (v.success) {
        return "correct and faster than the reference";
    }
    if (v.fast1) {
        return "correct and faster, but flagged";
    }
    if (!v.speedup) {
        return "correct, but not timed";
    }
    if (v.speedup_lo95.value_or(0) > 1 && v.judge_speedup_lo95.value_or(2) <= 1) {
        return "correct, but not surely faster: the judge's own clock does not confirm it";
    }
    return v.fast1_raw ? "correct, but not surely faster: the interval reaches down to 1 or below"
                       : "correct, but not faster than the reference";
}

}  // namespace

std::string outcome_in_words(const Verdict& v) {
    switch (v.status) {
        case Status::correct:
            return correct_in_words(v);
        case Status::incorrect:
            return "incorrect: its output is not the reference's";
        case Status::compile_error:
            return "compile_error: it does not build";
        case Status::runtime_error:
            return "runtime_error: it failed while it ran";
        case Status::timeout:
            return "timeout: it took too long";
        case Status::forbidden:
            return "forbidden: the static check refused the source";
        case Status::no_code:
            return "no_code: there is no Python block in the reply";
        case Status::no_custom_kernel:
            return "no_custom_kernel: no kernel of its own ran";
        case Status::infra_error:
            return "infra_error: the evaluation itself failed, which is not the candidate's fault";
    }
    return "";
}

std::string verdict_text(const Verdict& v, bool colour, std::size_t message_lines) {
    std::string out = coloured(headline_word(v), mood(v), colour) + "  " + terminal_line(v.problem) + "  " +
                      outcome_in_words(v) + "\n";
    if (!v.message.empty()) {
        add_row(out, "reason", shown_message(v.message, message_lines));
    }
    add_times(out, v);
    if (v.own_kernel_time_frac) {
        add_row(out, "own kernels", percent(*v.own_kernel_time_frac) + " of its device time");
    }
    if (v.agreement) {
        add_agreement(out, *v.agreement);
    }
    if (v.precision) {
        add_precision(out, *v.precision);
    }
    std::vector<std::string> flags;
    for (const std::string& flag : v.flags) {
        flags.push_back(terminal_line(flag));
    }
    add_row(out, "flags", flags.empty() ? "none" : join(flags, "\n"));
    for (const std::string& note : v.notes) {
        add_row(out, "note", terminal_line(note));
    }
    add_origin(out, v);
    return out;
}

}  // namespace kbeval
