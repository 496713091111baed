#include "judge/blame.h"

#include "base/text.h"
#include "candidate/compiler_errors.h"

namespace kbeval {

namespace {

constexpr std::size_t max_message = 4000;
constexpr std::size_t max_log_lines = 6;

std::string last_lines(const std::string& log) {
    const auto lines = split_lines(log);
    std::string text;
    for (std::size_t i = lines.size() - std::min(lines.size(), max_log_lines); i < lines.size(); ++i) {
        text += "\n  " + std::string(lines[i].substr(0, 300));
    }
    return text.empty() ? "" : "\nits last output:" + text;
}

std::string place(const protocol::SubjectError& error) {
    if (error.line <= 0) {
        return "";
    }
    return " (line " + std::to_string(error.line) + (error.text.empty() ? "" : ": `" + error.text + "`") +
           ")";
}

Blame of_answer(const protocol::SubjectError& error, const std::string& stage) {
    const std::string what = error.type + ": " + error.message;
    if (error.kind == "compile") {
        return {Status::compile_error, first_compiler_errors(what)};
    }
    if (error.kind == "output") {
        return {Status::incorrect, error.message};
    }
    if (error.kind == "weights") {
        return {Status::runtime_error, error.message};
    }
    const std::string when = stage == "build"       ? "while the source was loaded: "
                             : stage == "construct" ? "while ModelNew was constructed: "
                                                    : "";
    return {Status::runtime_error, when + what.substr(0, max_message) + place(error)};
}

Blame of_candidate(const RunnerFailure& failure, const std::string& stage, const Settings& settings,
                   const std::string& log) {
    switch (failure.how()) {
        case RunnerFailure::How::error:
            return of_answer(failure.error(), stage);
        case RunnerFailure::How::died:
            return {Status::runtime_error,
                    std::string(failure.what()) + " (stage " + stage + ")" + last_lines(log)};
        case RunnerFailure::How::protocol:
            return {Status::runtime_error, std::string(failure.what()) + " (stage " + stage + ")"};
        case RunnerFailure::How::deadline:
            break;
    }
    if (stage == "build") {
        return {Status::compile_error, "the build exceeded " + compact(settings.build_timeout) + "s"};
    }
    if (stage == "timing") {
        return {Status::timeout, "timing exceeded " + compact(settings.time_budget) + "s"};
    }
    return {Status::timeout, std::string(failure.what()) + " (stage " + stage + ")"};
}

}  // namespace

Blame blame(const RunnerFailure& failure, const std::string& stage, const Settings& settings,
            const std::string& log) {
    if (failure.role() == "candidate") {
        return of_candidate(failure, stage, settings, log);
    }
    return {Status::infra_error, "the " + failure.role() + " runner failed in stage " + stage + ": " +
                                     failure.what() + place(failure.error()) + last_lines(log)};
}

}  // namespace kbeval
