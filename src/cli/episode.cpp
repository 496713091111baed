#include "agent/episode.h"

#include <iostream>
#include <memory>

#include "agent/agent_spec.h"
#include "agent/transcript.h"
#include "base/error.h"
#include "base/random_id.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/session_judge.h"
#include "report/progress.h"
#include "report/terminal.h"

namespace kbeval::cli {

namespace {

constexpr const char* footer =
    "Examples:\n"
    "  kbeval episode L1_088 --agent 'exec:python3 my_agent.py' --device cpu\n"
    "  kbeval episode L2_076 --agent openai:MODEL@http://127.0.0.1:8000/v1 --arm notes --context notes.md\n"
    "  kbeval episode --resume 3fa94c01\n"
    "Agents: exec:COMMAND, replay:FILE, openai:MODEL[@URL], anthropic:MODEL[@URL] (docs/agents.md).\n"
    "Exit status: 0 a success was submitted, 1 none was, 2 bad usage or input, 3 agent or infrastructure "
    "failed.";

struct EpisodeOptions {
    EvaluateOptions evaluate;
    AgentOptions agent_options;
    std::string agent;
    std::string arm = "bare";
    std::string reader;
    std::string context;
    std::string resume;
    int turns = 6;
    bool allow_leak = false;
};

void require_arguments(const EpisodeOptions& o) {
    if (o.resume.empty() && (o.evaluate.problem.empty() || o.agent.empty())) {
        throw Error(ErrorKind::usage, "an episode needs PROBLEM and --agent, or --resume",
                    "kbeval episode L1_088 --agent 'exec:python3 my_agent.py'");
    }
    if (!o.resume.empty() && !o.evaluate.problem.empty()) {
        throw Error(ErrorKind::usage,
                    "--resume takes up an episode that has its problem already: leave out PROBLEM");
    }
}

void say_turn(const EpisodeRecord& episode) {
    const TurnRecord& turn = episode.turns.back();
    std::cout << "turn " << turn.number << " of " << episode.turns_allowed << "  " << to_string(turn.action)
              << "  " << terminal_line(turn.status) << "\n";
    std::cout << terminal_text(turn.feedback) << std::flush;
}

void say_end(const EpisodeRecord& episode) {
    std::cout << "episode " << episode.id.substr(0, 8) << " " << to_string(episode.state) << " after "
              << episode.turns.size() << (episode.turns.size() == 1 ? " turn" : " turns")
              << " (kbeval transcript export " << episode.id.substr(0, 8) << ")\n";
}

int exit_status(const EpisodeRecord& episode) {
    const bool success =
        episode.state == EpisodeState::submitted && episode.turns.back().verdict.value("success", false);
    return success ? exit_success : exit_no_success;
}

EpisodeRecord begun(const EpisodeOptions& o, const Problem& problem, EpisodeStore& store) {
    EpisodeRecord episode = new_episode(problem, o.evaluate.seed ? *o.evaluate.seed : random_seed());
    episode.arm = o.arm;
    episode.reader = o.reader;
    episode.agent = o.agent;
    episode.turns_allowed = o.turns;
    store.begin(episode);
    return episode;
}

int episode_command(const EpisodeOptions& o) {
    require_arguments(o);
    // The seed is the episode's: that of each judgement derives from it.
    EvaluateOptions judging = o.evaluate;
    judging.seed.reset();
    Session session(judging);
    AgentFactory make_agent;
    const Problem* problem = nullptr;
    if (o.resume.empty()) {
        make_agent = agent_from_spec(o.agent, o.agent_options);
        problem = &session.problem(o.evaluate.problem);
    }
    session.prepare();
    std::map<std::string, std::filesystem::path> files;
    if (!o.context.empty()) {
        files[o.arm] = o.context;
    }
    Store contexts = Store::open(session.database(), Store::Mode::read_write);
    ArmPrompts prompts(files, contexts, session.catalogue(), o.allow_leak);
    if (problem != nullptr) {
        prompts.require(*problem, o.arm, o.reader,
                        o.turns);  // an unknown arm is said before anything is stored
    }
    EpisodeStore store = EpisodeStore::open(session.database(), Store::Mode::read_write);
    EpisodeRecord episode = o.resume.empty() ? begun(o, *problem, store) : store.find(o.resume);
    if (!o.resume.empty()) {
        problem = &session.problem(episode.problem);
        make_agent = agent_from_spec(o.agent.empty() ? episode.agent : o.agent, o.agent_options);
    }
    const auto progress = make_progress(!o.evaluate.json);
    SessionJudge judge(session, *progress);
    EpisodeSurroundings with{store, judge, prompts};
    with.told = [&](const EpisodeRecord& told) {
        prompts.count_citations(told);
        if (!o.evaluate.json) {
            say_turn(told);
        }
    };
    const auto agent = make_agent();
    try {
        run_episode(episode, *problem, *agent, with);
    } catch (const Error& error) {
        throw Error(error.kind(), error.what(),
                    "kbeval episode --resume " + episode.id.substr(0, 8) +
                        " takes it up again after its last whole turn");
    }
    if (o.evaluate.json) {
        for (const std::string& line : transcript_lines(episode)) {
            std::cout << line << "\n";
        }
    } else {
        say_end(episode);
    }
    return exit_status(episode);
}

}  // namespace

void add_episode(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("episode", "Let an agent work at a problem: turns of CHECK until it SUBMITs");
    const auto o = std::make_shared<EpisodeOptions>();
    command->add_option("PROBLEM", o->evaluate.problem, "Problem id, such as L2_076");
    command->add_option("--agent", o->agent,
                        "Who answers: exec:COMMAND, replay:FILE, openai:MODEL, anthropic:MODEL");
    command->add_option("--arm", o->arm, "Which context the agent is given")->capture_default_str();
    command->add_option("--reader", o->reader, "Name of the model that reads it");
    command->add_option("--context", o->context,
                        "File with the arm's context (default: what the database's documents give)");
    command->add_flag("--allow-leak", o->allow_leak,
                      "Hand out a context that gives the problem's own solution away, and record that");
    command->add_option("--turns", o->turns, "Replies that the agent has")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    add_agent_options(*command, o->agent_options);
    command->add_option("--resume", o->resume, "Take up the open episode whose id begins so");
    add_shared_options(*command, o->evaluate, true);
    command->get_option("--json")->description("Print the transcript as JSON lines and nothing else");
    command->remove_option(command->get_option("--label"));  // judgements are labelled by episode and turn
    command->footer(footer);
    command->callback([&chosen, o] { chosen = [o] { return episode_command(*o); }; });
}

}  // namespace kbeval::cli
