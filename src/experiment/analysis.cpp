#include "experiment/analysis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "stats/bootstrap.h"
#include "stats/descriptive.h"
#include "stats/random.h"

namespace kbeval {

namespace {

constexpr std::size_t least_problems = 4;

double number(const nlohmann::ordered_json& verdict, const char* key) {
    return verdict.contains(key) && verdict[key].is_number() ? verdict[key].get<double>() : 0;
}

std::string text(const nlohmann::ordered_json& verdict, const char* key) {
    return verdict.contains(key) && verdict[key].is_string() ? verdict[key].get<std::string>() : "";
}

bool truth(const nlohmann::ordered_json& verdict, const char* key) {
    return verdict.contains(key) && verdict[key].is_boolean() && verdict[key].get<bool>();
}

/// Mean over problems of the mean over a problem's episodes.
double mean_over_problems(const std::vector<const Outcome*>& outcomes,
                          const std::function<double(const Outcome&)>& value) {
    std::map<std::string, std::vector<double>> by_problem;
    for (const Outcome* outcome : outcomes) {
        by_problem[outcome->problem].push_back(value(*outcome));
    }
    std::vector<double> means;
    means.reserve(by_problem.size());
    for (const auto& [problem, values] : by_problem) {
        means.push_back(mean(values));
    }
    return means.empty() ? 0 : mean(means);
}

std::optional<double> geometric_mean(const std::vector<const Outcome*>& outcomes) {
    std::vector<double> logarithms;
    for (const Outcome* outcome : outcomes) {
        if (outcome->score > 0) {
            logarithms.push_back(std::log(outcome->score));
        }
    }
    return logarithms.empty() ? std::nullopt : std::optional(std::exp(mean(logarithms)));
}

}  // namespace

Outcome outcome_of(const EpisodeRecord& e) {
    Outcome o;
    o.problem = e.problem;
    o.level = e.level;
    o.family = e.family;
    o.split = e.split;
    o.arm = e.arm;
    o.reader = e.reader;
    o.repeat = e.repeat;
    o.finished = e.state != EpisodeState::open;
    o.turns = static_cast<int>(e.turns.size());
    for (const TurnRecord& turn : e.turns) {
        o.input_tokens += turn.input_tokens.value_or(0);
        o.output_tokens += turn.output_tokens.value_or(0);
    }
    o.status = "unsubmitted";
    if (e.state == EpisodeState::submitted && !e.turns.empty()) {
        const nlohmann::ordered_json& v = e.turns.back().verdict;
        o.status = e.turns.back().status;
        o.correct = o.status == "correct";
        o.flagged = v.contains("flags") && !v["flags"].empty();
        o.success = truth(v, "success");
        o.speedup = o.correct ? number(v, "speedup") : 0;
        o.speedup_lo95 = o.correct ? number(v, "speedup_lo95") : 0;
        o.score = number(v, "score");
        o.origin =
            "evaluator " + text(v, "evaluator") + ", " + text(v, "gpu") + ", " + text(v, "size") + " size";
    }
    return o;
}

ArmSummary summarize(const std::string& arm, const std::vector<Outcome>& outcomes) {
    ArmSummary s;
    s.arm = arm;
    std::vector<const Outcome*> finished;
    std::set<std::string> problems;
    for (const Outcome& o : outcomes) {
        if (o.arm != arm) {
            continue;
        }
        s.input_tokens += o.input_tokens;
        s.output_tokens += o.output_tokens;
        if (!o.finished) {
            ++s.open;
            continue;
        }
        finished.push_back(&o);
        problems.insert(o.problem);
        ++s.statuses[o.status];
    }
    s.episodes = static_cast<int>(finished.size());
    s.problems = static_cast<int>(problems.size());
    for (std::size_t i = 0; i < fast_thresholds.size(); ++i) {
        const double p = fast_thresholds[i];
        s.fast[i] = mean_over_problems(finished, [p](const Outcome& o) {
            return o.correct && !o.flagged && o.speedup_lo95 > p ? 1.0 : 0.0;
        });
        s.fast_raw[i] = mean_over_problems(
            finished, [p](const Outcome& o) { return o.correct && o.speedup > p ? 1.0 : 0.0; });
    }
    s.success_rate = mean_over_problems(finished, [](const Outcome& o) { return o.success ? 1.0 : 0.0; });
    s.mean_score = mean_over_problems(finished, [](const Outcome& o) { return o.score; });
    s.mean_turns =
        mean_over_problems(finished, [](const Outcome& o) { return static_cast<double>(o.turns); });
    s.geometric_mean_score = geometric_mean(finished);
    return s;
}

double sign_test(int wins, int losses) {
    const int n = wins + losses;
    double tail = 0;
    for (int k = 0; k <= std::min(wins, losses); ++k) {
        tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) -
                         n * std::log(2.0));
    }
    return n == 0 ? 1 : std::min(1.0, 2 * tail);
}

std::pair<double, double> bootstrap_mean(const std::vector<double>& values, std::uint64_t seed,
                                         int resamples) {
    if (values.size() < least_problems) {
        throw std::invalid_argument("bootstrap_mean needs at least 4 values");
    }
    Xoshiro256 random(seed);
    const auto count = static_cast<std::uint32_t>(values.size());
    std::vector<double> means;
    means.reserve(static_cast<std::size_t>(resamples));
    for (int i = 0; i < resamples; ++i) {
        double sum = 0;
        for (std::uint32_t k = 0; k < count; ++k) {
            sum += values[random.below(count)];
        }
        means.push_back(sum / count);
    }
    const double level = expanded_level(0.025, static_cast<int>(count));
    return {quantile(means, level), quantile(means, 1 - level)};
}

PairedDifference paired_difference(const std::string& a, const std::string& b,
                                   const std::vector<Outcome>& outcomes, const ComparisonOptions& options) {
    PairedDifference d;
    d.a = a;
    d.b = b;
    using Place = std::tuple<std::string, std::string, int>;
    std::map<Place, const Outcome*> of_b;
    for (const Outcome& o : outcomes) {
        if (o.arm == b && o.finished) {
            of_b[{o.problem, o.reader, o.repeat}] = &o;
        }
    }
    std::map<std::string, std::vector<double>> scores;
    std::map<std::string, std::vector<double>> successes;
    for (const Outcome& o : outcomes) {
        const auto other = of_b.find({o.problem, o.reader, o.repeat});
        if (o.arm == a && o.finished && other != of_b.end()) {
            scores[o.problem].push_back(o.score - other->second->score);
            successes[o.problem].push_back(static_cast<double>(o.success) -
                                           static_cast<double>(other->second->success));
            ++d.pairs;
        }
    }
    std::vector<double> by_problem;
    std::vector<double> success_by_problem;
    for (const auto& [problem, values] : scores) {
        by_problem.push_back(mean(values));
        success_by_problem.push_back(mean(successes[problem]));
        const double difference = by_problem.back();
        (difference > options.tie_margin    ? d.wins
         : difference < -options.tie_margin ? d.losses
                                            : d.ties) += 1;
    }
    d.problems = static_cast<int>(by_problem.size());
    if (d.problems > 0) {
        d.mean_score = mean(by_problem);
        d.success_rate = mean(success_by_problem);
    }
    if (by_problem.size() >= least_problems) {
        const auto [low, high] = bootstrap_mean(by_problem, options.seed, options.resamples);
        d.low = low;
        d.high = high;
    }
    d.sign_p = sign_test(d.wins, d.losses);
    return d;
}

}  // namespace kbeval
