#include "cli/run_plan.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <set>

#include "agent/episode_store.h"
#include "cli/session_judge.h"
#include "experiment/lock.h"
#include "report/terminal.h"

namespace kbeval::cli {

namespace {

std::string duration(double seconds) {
    char text[48];
    const long whole = std::lround(seconds);
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    return text;
}

void say_episode(const EpisodeRecord& e, const ExperimentProgress& p) {
    const std::string status = e.turns.empty() ? "no turn" : e.turns.back().status;
    std::cerr << p.finished << "/" << p.episodes << "  " << e.problem << "  " << terminal_line(e.arm) << "  "
              << terminal_line(e.reader) << "  " << to_string(e.state) << "  " << terminal_line(status)
              << "  about " << duration(p.seconds_left) << " left\n";
}

std::map<std::string, AgentFactory> agents_of(const Plan& plan, const AgentOptions& options) {
    std::map<std::string, AgentFactory> agents;
    for (const PlannedReader& reader : plan.readers) {
        agents[reader.name] = agent_from_spec(reader.agent, options);
    }
    return agents;
}

/// Every arm must have a context for every problem and reader before anything runs.
void require_contexts(const Plan& plan, const Catalogue& catalogue, ArmPrompts& prompts) {
    std::set<std::array<std::string, 3>> seen;
    for (const EpisodeRecord& e : planned_episodes(plan, catalogue)) {
        if (seen.insert({e.problem, e.arm, e.reader}).second) {
            prompts.require(catalogue.find(e.problem), e.arm, e.reader, plan.turns);
        }
    }
}

}  // namespace

void add_plan_options(CLI::App& command, EvaluateOptions& evaluate, AgentOptions& agents, bool& allow_leak) {
    command.add_flag("--allow-leak", allow_leak,
                     "Hand out contexts that give a problem's own solution away, and record that");
    add_agent_options(command, agents);
    add_shared_options(command, evaluate, true);
    command.get_option("--json")->description("Print one JSON object at the end and nothing else");
    command.remove_option(command.get_option("--label"));
    command.remove_option(command.get_option("--seed"));
}

ExperimentProgress run_plan(const Plan& plan, Session& session, const AgentOptions& options, bool allow_leak,
                            bool quiet) {
    (void)canonical_text(plan, session.catalogue());
    const auto agents = agents_of(plan, options);
    session.prepare();
    Store contexts = Store::open(session.database(), Store::Mode::read_write);
    ArmPrompts prompts(plan.contexts, contexts, session.catalogue(), allow_leak);
    require_contexts(plan, session.catalogue(), prompts);
    const ExperimentLock lock(session.database(), plan.name);
    EpisodeStore store = EpisodeStore::open(session.database(), Store::Mode::read_write);
    begin_or_resume(plan, session.catalogue(), store);
    QuietProgress progress;
    SessionJudge judge(session, progress);
    const auto told = [&](const EpisodeRecord& episode, const ExperimentProgress& far) {
        if (!quiet) {
            say_episode(episode, far);
        }
    };
    EpisodeSurroundings surroundings{store, judge, prompts};
    surroundings.told = [&](const EpisodeRecord& episode) { prompts.count_citations(episode); };
    return run_experiment(plan, {session.catalogue(), surroundings, agents, told});
}

}  // namespace kbeval::cli
