#include "experiment/run.h"

#include <spdlog/spdlog.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr int most_failures_in_a_row = 5;

void count(const TurnRecord& turn, ExperimentProgress& progress) {
    progress.gpu_seconds += turn.judge_seconds;
    progress.tokens += turn.input_tokens.value_or(0) + turn.output_tokens.value_or(0);
}

/// Why no further turn may begin; empty where one may.
std::string reason_to_stop(const Plan& plan, const ExperimentProgress& progress, EpisodeStore& store) {
    if (plan.gpu_minutes && progress.gpu_seconds >= 60 * *plan.gpu_minutes) {
        return "the budget of " + compact(*plan.gpu_minutes) + " GPU minutes is spent";
    }
    if (plan.tokens && progress.tokens >= *plan.tokens) {
        return "the budget of " + std::to_string(*plan.tokens) + " tokens is spent";
    }
    const auto experiment = store.experiment(plan.name);
    return experiment && !experiment->cancelled ? "" : "it was cancelled";
}

}  // namespace

void begin_or_resume(const Plan& plan, const Catalogue& catalogue, EpisodeStore& store) {
    const std::string text = canonical_text(plan, catalogue);
    const std::string digest = short_digest(text);
    if (const auto begun = store.experiment(plan.name)) {
        if (begun->digest != digest) {
            throw input_error(store.path().string() + ": experiment '" + printable(plan.name) +
                                  "' was begun with another plan",
                              "give the changed plan another name; only its budget may change");
        }
        store.set_cancelled(plan.name, false);
        return;
    }
    ExperimentRecord record;
    record.name = plan.name;
    record.plan = text;
    record.digest = digest;
    record.created = utc_now();
    store.begin_experiment(record, planned_episodes(plan, catalogue));
}

ExperimentProgress run_experiment(const Plan& plan, const ExperimentSurroundings& with) {
    EpisodeStore& store = with.episodes.store;
    std::vector<EpisodeRecord> episodes = store.list(plan.name, true);
    ExperimentProgress progress;
    progress.episodes = static_cast<int>(episodes.size());
    for (const EpisodeRecord& episode : episodes) {
        progress.finished += episode.state == EpisodeState::open ? 0 : 1;
        if (!episode.turns.empty()) {
            with.episodes.told(episode);  // a kill may have come before it was told
        }
        for (const TurnRecord& turn : episode.turns) {
            count(turn, progress);
        }
    }
    EpisodeSurroundings surroundings = with.episodes;
    surroundings.stop = [&] {
        progress.stopped = reason_to_stop(plan, progress, store);
        return !progress.stopped.empty();
    };
    surroundings.told = [&](const EpisodeRecord& episode) {
        count(episode.turns.back(), progress);
        with.episodes.told(episode);
    };
    const auto start = SteadyClock::now();
    int ran = 0;
    int failures_in_a_row = 0;
    for (EpisodeRecord& episode : episodes) {
        if (episode.state != EpisodeState::open) {
            continue;
        }
        if (surroundings.stop()) {
            break;
        }
        episode = store.find(episode.id);  // with its prompt
        try {
            const auto agent = with.agents.at(episode.reader)();
            run_episode(episode, with.catalogue.find(episode.problem), *agent, surroundings);
            failures_in_a_row = 0;
        } catch (const Error& error) {
            spdlog::warn("episode {} ({}, {}, {}) stays open: {}", episode.id.substr(0, 8), episode.problem,
                         episode.arm, episode.reader, printable(error.what()));
            ++progress.failed;
            if (++failures_in_a_row >= most_failures_in_a_row) {
                progress.stopped = std::to_string(failures_in_a_row) +
                                   " episodes in a row failed, the last: " + error.what();
                break;
            }
        }
        ++ran;
        progress.finished += episode.state == EpisodeState::open ? 0 : 1;
        progress.seconds_left =
            seconds_since(start) / ran * (progress.episodes - progress.finished - progress.failed);
        with.told(episode, progress);
        if (!progress.stopped.empty()) {
            break;
        }
    }
    if (progress.stopped.empty() && progress.finished < progress.episodes) {
        progress.stopped = std::to_string(progress.failed) + " episodes failed and stay open";
    }
    return progress;
}

}  // namespace kbeval
