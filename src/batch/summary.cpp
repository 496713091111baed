#include "batch/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

struct Tally {
    std::map<Status, int> statuses;
    int judged = 0;  ///< without infra_error
    int successes = 0;
    double score = 0;
    double log_speedup = 0;
    int timed = 0;

    void add(const Verdict& v) {
        ++statuses[v.status];
        if (v.status == Status::infra_error) {
            return;
        }
        ++judged;
        successes += v.success ? 1 : 0;
        score += v.score;
        if (v.status == Status::correct && v.speedup && *v.speedup > 0) {
            log_speedup += std::log(*v.speedup);
            ++timed;
        }
    }
};

std::string name_of(const JudgedJob& job) {
    std::string name = job.arm;
    if (!job.reader.empty()) {
        name += (name.empty() ? "" : "/") + job.reader;
    }
    return name.empty() ? "all" : terminal_line(name);
}

std::string line(const std::string& name, const Tally& t) {
    char figures[160];
    const double judged = std::max(t.judged, 1);
    std::snprintf(figures, sizeof figures, "%6d  %5d (%5.1f %%)  %10.3f  %15s", t.judged, t.successes,
                  100 * t.successes / judged, t.score / judged,
                  t.timed > 0 ? significant(std::exp(t.log_speedup / t.timed), 4).c_str() : "-");
    std::vector<std::string> statuses;
    for (const auto& [status, count] : t.statuses) {
        statuses.push_back(std::to_string(count) + " " + std::string(to_string(status)));
    }
    std::string padded = fit(name, 30);
    padded.resize(padded.size() + 30 - std::min<std::size_t>(30, text_width(padded)), ' ');
    return padded + "  " + figures + "  " + join(statuses, ", ") + "\n";
}

}  // namespace

void Pace::done(double now) {
    ++done_;
    now_ = std::max(now_, now);
}

std::string Pace::text(std::size_t before) const {
    std::string count = std::to_string(before + done_) + "/" + std::to_string(before + left_);
    if (done_ == 0 || now_ <= 0) {
        return count;
    }
    const double rate = static_cast<double>(done_) / now_;
    return count + "  " + significant(rate, 2) + "/s, " +
           duration_text(static_cast<double>(left_ - done_) / rate) + " left";
}

std::string duration_text(double seconds) {
    const long whole = std::lround(std::max(0.0, seconds));
    char text[40];
    if (whole >= 3600) {
        std::snprintf(text, sizeof text, "%ld h %02ld m", whole / 3600, whole / 60 % 60);
    } else if (whole >= 60) {
        std::snprintf(text, sizeof text, "%ld m %02ld s", whole / 60, whole % 60);
    } else {
        std::snprintf(text, sizeof text, "%ld s", whole);
    }
    return text;
}

std::string summary_table(const std::vector<JudgedJob>& judged) {
    std::map<std::string, Tally> tallies;
    Tally all;
    for (const JudgedJob& job : judged) {
        tallies[name_of(job)].add(job.verdict);
        all.add(job.verdict);
    }
    std::string text =
        "arm/reader                      judged      success      mean score  geomean speedup  statuses\n";
    for (const auto& [name, tally] : tallies) {
        if (name != "all") {
            text += line(name, tally);
        }
    }
    return text + line("all", all);
}

}  // namespace kbeval
