#include "batch/schedule.h"

#include <algorithm>
#include <map>

namespace kbeval {

Schedule::Schedule(const std::vector<std::string>& problems, std::size_t workers, std::size_t ahead)
    : states_(problems.size(), State::waiting),
      not_for_(problems.size(), none),
      group_of_(problems.size()),
      current_(workers, none),
      ahead_(std::max<std::size_t>(ahead, 1)) {
    std::map<std::string, std::size_t> index;
    for (std::size_t job = 0; job < problems.size(); ++job) {
        const auto [at, fresh] = index.try_emplace(problems[job], groups_.size());
        if (fresh) {
            groups_.emplace_back();
        }
        groups_[at->second].jobs.push_back(job);
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.jobs.size() > b.jobs.size(); });
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const std::size_t job : groups_[group].jobs) {
            group_of_[job] = group;
        }
    }
}

std::optional<std::size_t> Schedule::first(const Group& group, State state) const {
    const auto found = std::find_if(group.jobs.begin(), group.jobs.end(),
                                    [&](std::size_t job) { return states_[job] == state; });
    return found == group.jobs.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::size_t> Schedule::ready(const Group& group, std::size_t worker) const {
    const auto found = std::find_if(group.jobs.begin(), group.jobs.end(), [&](std::size_t job) {
        return states_[job] == State::ready && not_for_[job] != worker;
    });
    return found == group.jobs.end() ? std::nullopt : std::optional(*found);
}

std::size_t Schedule::left(const Group& group) const {
    return static_cast<std::size_t>(std::count_if(group.jobs.begin(), group.jobs.end(), [&](std::size_t job) {
        return states_[job] != State::taken && states_[job] != State::settled;
    }));
}

bool Schedule::over() const {
    return stopped_ ||
           std::all_of(states_.begin(), states_.end(), [](State state) { return state == State::settled; });
}

std::optional<std::size_t> Schedule::next_to_prepare() {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto under_way =
            static_cast<std::size_t>(std::count_if(states_.begin(), states_.end(), [](State state) {
                return state == State::ready || state == State::preparing;
            }));
        if (stopped_ || std::count(states_.begin(), states_.end(), State::waiting) == 0) {
            return std::nullopt;
        }
        // First what workers are at, then the groups that come next. A worker whose group has nothing ready
        // comes before one that has.
        std::optional<std::size_t> choice;
        std::size_t least_ready = none;
        for (const std::size_t group : current_) {
            if (group == none) {
                continue;
            }
            const auto waiting = first(groups_[group], State::waiting);
            const auto ready_now = static_cast<std::size_t>(
                std::count_if(groups_[group].jobs.begin(), groups_[group].jobs.end(),
                              [&](std::size_t job) { return states_[job] == State::ready; }));
            if (waiting && ready_now < least_ready) {
                choice = waiting;
                least_ready = ready_now;
            }
        }
        for (std::size_t group = 0; !choice && group < groups_.size(); ++group) {
            choice = first(groups_[group], State::waiting);
        }
        const bool starving = least_ready == 0;  // some worker would wait for it
        if (choice && (under_way < ahead_ || starving)) {
            states_[*choice] = State::preparing;
            return choice;
        }
        changed_.wait(lock);
    }
}

void Schedule::prepared(std::size_t job) {
    const std::lock_guard lock(mutex_);
    states_[job] = State::ready;
    changed_.notify_all();
}

void Schedule::settled(std::size_t job) {
    const std::lock_guard lock(mutex_);
    states_[job] = State::settled;
    changed_.notify_all();
}

void Schedule::give_back(std::size_t job, std::size_t worker) {
    const std::lock_guard lock(mutex_);
    states_[job] = State::ready;
    not_for_[job] = worker;
    changed_.notify_all();
}

void Schedule::worker_gone() {
    const std::lock_guard lock(mutex_);
    std::fill(not_for_.begin(), not_for_.end(), none);
    changed_.notify_all();
}

void Schedule::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
}

std::size_t Schedule::stolen() const {
    const std::lock_guard lock(mutex_);
    return stolen_;
}

std::size_t Schedule::choose_group(std::size_t worker) {
    std::size_t best = none;
    const auto better = [&](std::size_t group, bool owned) {
        return ready(groups_[group], worker) && groups_[group].workers.empty() != owned &&
               (best == none || left(groups_[group]) > left(groups_[best]));
    };
    for (const bool owned : {false, true}) {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (better(group, owned)) {
                best = group;
            }
        }
        if (best != none) {
            break;
        }
    }
    if (best != none) {
        current_[worker] = best;
        groups_[best].workers.push_back(worker);
    }
    return best;
}

std::optional<std::size_t> Schedule::take(std::size_t worker) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (over()) {
            return std::nullopt;
        }
        std::size_t group = current_[worker];
        if (group == none || !ready(groups_[group], worker)) {
            group = choose_group(worker);
        }
        if (group != none) {
            const std::size_t job = *ready(groups_[group], worker);
            states_[job] = State::taken;
            stolen_ += groups_[group].workers.front() == worker ? 0 : 1;
            changed_.notify_all();
            return job;
        }
        changed_.wait(lock);
    }
}

}  // namespace kbeval
