#include "experiment/plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/episode.h"
#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "stats/random.h"

namespace kbeval {

namespace {

constexpr std::uint64_t order_stream = 1;
constexpr std::uint64_t seed_stream = 2;

bool holds(const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool has_all(const Problem& problem, const ProblemSelection& s) {
    const bool any = !s.levels.empty() || !s.families.empty() || !s.tags.empty();
    return any && (s.levels.empty() || holds(s.levels, problem.level)) &&
           (s.families.empty() || holds(s.families, problem.family)) &&
           (s.tags.empty() || std::any_of(s.tags.begin(), s.tags.end(),
                                          [&](const auto& tag) { return holds(problem.tags, tag); }));
}

/// In the catalogue's order.
std::vector<const Problem*> selected(const ProblemSelection& s, const Catalogue& catalogue) {
    std::set<std::string> named;
    for (const std::string& id : s.ids) {
        named.insert(catalogue.find(id).id);
    }
    std::vector<const Problem*> problems;
    for (const Problem& problem : catalogue.problems()) {
        if (named.contains(problem.id) || has_all(problem, s)) {
            problems.push_back(&problem);
        }
    }
    return problems;
}

struct Planned {
    const Problem* problem;
    std::string split;
};

std::vector<Planned> planned_problems(const Plan& plan, const Catalogue& catalogue) {
    std::vector<Planned> all;
    std::set<std::string> seen;
    for (const auto& [split, selection] : plan.problems) {
        for (const Problem* problem : selected(selection, catalogue)) {
            if (!seen.insert(problem->id).second) {
                throw input_error("plan '" + printable(plan.name) + "': " + problem->id +
                                  " is among the problems to learn from and among those held out");
            }
            all.push_back({problem, split});
        }
    }
    if (all.empty()) {
        throw input_error("plan '" + printable(plan.name) + "' selects no problem",
                          "[problems] takes ids, levels, families and tags (kbeval problems list)");
    }
    return all;
}

template <typename T>
void shuffle(std::vector<T>& items, Xoshiro256& random) {  // Fisher and Yates
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
    }
}

}  // namespace

std::string canonical_text(const Plan& plan, const Catalogue& catalogue) {
    nlohmann::ordered_json problems = nlohmann::ordered_json::object();
    for (const Planned& planned : planned_problems(plan, catalogue)) {
        problems[planned.problem->id] = planned.split;
    }
    nlohmann::ordered_json readers = nlohmann::ordered_json::object();
    for (const PlannedReader& reader : plan.readers) {
        readers[reader.name] = reader.agent;
    }
    nlohmann::ordered_json contexts = nlohmann::ordered_json::object();
    for (const auto& [arm, file] : plan.contexts) {
        contexts[arm] = short_digest(read_file(file, std::size_t{16} << 20U));
    }
    const nlohmann::ordered_json text{{"name", plan.name},       {"seed", plan.seed},   {"turns", plan.turns},
                                      {"repeats", plan.repeats}, {"arms", plan.arms},   {"readers", readers},
                                      {"contexts", contexts},    {"problems", problems}};
    return text.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<EpisodeRecord> planned_episodes(const Plan& plan, const Catalogue& catalogue) {
    struct Block {
        Planned planned;
        const PlannedReader* reader;
        int repeat;
    };
    std::vector<Block> blocks;
    for (const Planned& planned : planned_problems(plan, catalogue)) {
        for (const PlannedReader& reader : plan.readers) {
            for (int repeat = 0; repeat < plan.repeats; ++repeat) {
                blocks.push_back({planned, &reader, repeat});
            }
        }
    }
    Xoshiro256 random(derive_seed(plan.seed, order_stream, 0));
    shuffle(blocks, random);
    std::vector<EpisodeRecord> episodes;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::vector<std::string> arms = plan.arms;
        shuffle(arms, random);
        for (const std::string& arm : arms) {
            EpisodeRecord episode =
                new_episode(*blocks[i].planned.problem, derive_seed(plan.seed, seed_stream, i));
            episode.experiment = plan.name;
            episode.position = static_cast<int>(episodes.size());
            episode.split = blocks[i].planned.split;
            episode.arm = arm;
            episode.reader = blocks[i].reader->name;
            episode.agent = blocks[i].reader->agent;
            episode.repeat = blocks[i].repeat;
            episode.turns_allowed = plan.turns;
            episodes.push_back(std::move(episode));
        }
    }
    return episodes;
}

}  // namespace kbeval
