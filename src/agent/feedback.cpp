#include "agent/feedback.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"

namespace kbeval {

namespace {

constexpr std::size_t max_message_bytes = 6000;

std::string tolerance(const Verdict& v) {
    return v.atol == v.rtol ? "atol=rtol=" + compact(v.atol)
                            : "atol=" + compact(v.atol) + ", rtol=" + compact(v.rtol);
}

std::string index_text(const std::vector<std::int64_t>& index) {
    std::vector<std::string> parts;
    parts.reserve(index.size());
    for (const std::int64_t i : index) {
        parts.push_back(std::to_string(i));
    }
    return "[" + join(parts, ", ") + "]";
}

/// A mismatch without the values on either side: they would hand out an expected output.
std::string mismatch(const Verdict& v, const Agreement& a) {
    const bool timed = v.message.rfind("outputs produced during timing", 0) == 0;
    std::string text = timed ? "outputs produced during timing do not match the reference: " : "";
    text += "output mismatch beyond " + tolerance(v) + ": max_abs_diff=" + significant(a.max_abs_diff, 4) +
            ", max_rel_diff=" + significant(a.max_rel_diff, 4) + "; worst at index " +
            index_text(a.worst_index) + " of output " + std::to_string(a.output) + "; " +
            significant(100 * a.share_beyond, 3) + " % of its elements are beyond tolerance";
    return text;
}

bool values_differ(const Verdict& v) {
    return v.status == Status::incorrect && v.agreement && v.agreement->share_beyond > 0;
}

std::string reason(const Verdict& v) {
    if (values_differ(v)) {
        return mismatch(v, *v.agreement);
    }
    const std::string text = v.message.substr(0, max_message_bytes);
    return to_valid_utf8(text) + (v.message.size() > max_message_bytes ? "\n(cut)" : "");
}

std::string times(const Verdict& v) {
    std::string text;
    if (v.ref_ms && v.cand_ms && v.speedup) {
        text = "reference " + significant(*v.ref_ms, 4) + " ms, yours " + significant(*v.cand_ms, 4) +
               " ms: speedup " + significant(*v.speedup, 4);
        text +=
            v.speedup_lo95 ? ", at least " + significant(*v.speedup_lo95, 4) + " with 95 % confidence" : "";
    }
    return text;
}

std::string turns_text(int turns_left) {
    if (turns_left <= 0) {
        return "No turn is left.";
    }
    return turns_left == 1 ? "1 turn is left: only a SUBMIT counts."
                           : std::to_string(turns_left) + " turns are left.";
}

std::string correct_text(ReplyAction action, const Verdict& v) {
    std::string text;
    if (v.agreement) {
        text += "The outputs match: max_abs_diff=" + significant(v.agreement->max_abs_diff, 4) +
                ", max_rel_diff=" + significant(v.agreement->max_rel_diff, 4) + " within " + tolerance(v) +
                ".\n";
    }
    if (v.own_kernel_time_frac) {
        char share[96];
        std::snprintf(share, sizeof share, "Your own kernels take %.1f %% of its device time.\n",
                      100 * *v.own_kernel_time_frac);
        text += share;
    }
    const std::string measured = times(v);
    text += measured.empty() ? "" : "Timed: " + measured + ".\n";
    text += action == ReplyAction::check ? "It was not timed; SUBMIT it to have it timed and judged.\n" : "";
    return text;
}

}  // namespace

std::string feedback_text(ReplyAction action, const Verdict& v, int turns_left) {
    std::string text = std::string(to_string(action)) + ": " + std::string(to_string(v.status)) + "\n";
    if (v.status == Status::correct) {
        text += correct_text(action, v);
    } else {
        text += reason(v) + "\n";
        text += v.status == Status::no_code
                    ? "Put the full source of ModelNew into one ```python block of your reply.\n"
                    : "";
    }
    for (const std::string& flag : v.flags) {
        text += "Flagged, which keeps it from being a success: " + to_valid_utf8(flag) + "\n";
    }
    const bool over = action == ReplyAction::submit && v.status != Status::no_code;
    return text + (over ? "The episode ends with this SUBMIT." : turns_text(turns_left)) + "\n";
}

std::string no_action_feedback(const std::string& problem, int turns_left) {
    return "no_action: " + problem + ". Nothing was judged; the turn is spent.\n" + turns_text(turns_left) +
           "\n";
}

}  // namespace kbeval
