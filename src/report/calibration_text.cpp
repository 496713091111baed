#include "report/calibration_text.h"

#include <cstdio>

#include "base/text.h"
#include "calibration/summary.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
    return text;
}

std::string percent(const std::optional<double>& share) {
    return share ? percent(*share) : "-";
}

std::string counted(const Proportion& p) {
    return p.total == 0 ? "-"
                        : std::to_string(p.count) + " of " + std::to_string(p.total) + " = " +
                              percent(p.share) + " (" + percent(p.low) + " to " + percent(p.high) + ")";
}

std::string short_count(const Proportion& p) {
    return p.total == 0 ? "-" : std::to_string(p.count) + "/" + std::to_string(p.total);
}

std::string row(const std::vector<std::string>& cells) {
    return "| " + join(cells, " | ") + " |\n";
}

std::string figures(const CalibrationSummary& s) {
    const IdenticalSummary& i = s.identical;
    return row({"figure", "value"}) + row({"---", "---"}) +
           row({"false fast1 on identical code", counted(i.false_fast1)}) +
           row({"identical code flagged", counted(i.flagged)}) +
           row({"interval holds the true speedup", counted(i.covered)}) +
           row({"likewise by the judge's clock", counted(i.judge_covered)}) +
           row({"abs(speedup - 1): median, most", percent(i.median_off) + ", " + percent(i.most_off)}) +
           row({"likewise by the judge's clock",
                percent(i.judge_median_off) + ", " + percent(i.judge_most_off)}) +
           row({"most drift of a problem's speedup, of its time",
                percent(s.most_speedup_drift) + ", " + percent(s.most_time_drift)}) +
           row({"smallest gain detected in 95 %: all, from 2 ms on",
                percent(s.reliable_gain) + ", " + percent(s.reliable_gain_long)});
}

std::string gains(const CalibrationSummary& s) {
    if (s.gains.empty()) {
        return "";
    }
    std::string out = "\n" + row({"known gain", "called fast1", "from 2 ms on", "interval holds it"}) +
                      row({"---", "---", "---", "---"});
    for (const GainSummary& g : s.gains) {
        out += row({percent(g.gain), counted(g.detected), counted(g.detected_long), short_count(g.covered)});
    }
    return out;
}

std::string problems(const CalibrationSummary& s) {
    std::string out = "\n" +
                      row({"problem", "size", "ms", "false fast1", "covered", "median off", "most off",
                           "by the judge's clock", "drift"}) +
                      row(std::vector<std::string>(9, "---"));
    for (const ProblemSummary& p : s.problems) {
        out += row({p.problem, p.size, significant(p.ref_ms, 4), short_count(p.identical.false_fast1),
                    short_count(p.identical.covered), percent(p.identical.median_off),
                    percent(p.identical.most_off),
                    percent(p.identical.judge_median_off) + ", " + percent(p.identical.judge_most_off),
                    percent(p.speedup_drift)});
    }
    return out;
}

}  // namespace

std::string calibration_text(const Calibration& c) {
    const CalibrationSummary s = summarize(c);
    std::string out = "Calibration " + c.id.substr(0, 8) + " of " + c.created + ", " + terminal_line(c.gpu) +
                      ", evaluator " + terminal_line(c.evaluator) + ": " + std::to_string(c.timings.size()) +
                      " timings of references against themselves in " + significant(c.seconds, 4) + " s" +
                      (c.complete ? "" : " (cut short)") + ". Bounds are 95 % (Clopper-Pearson).\n\n";
    out += figures(s) + gains(s) + problems(s);
    for (const std::string& failure : c.failures) {
        out += "\nfailed: " + terminal_line(failure) + "\n";
    }
    return out;
}

}  // namespace kbeval
