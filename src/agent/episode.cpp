#include "agent/episode.h"

#include "agent/feedback.h"
#include "base/clock.h"
#include "base/random_id.h"
#include "base/sha256.h"
#include "stats/random.h"

namespace kbeval {

namespace {

constexpr std::uint64_t turn_stream = 0x7475726E;  // "turn"

AgentRequest request_of(const EpisodeRecord& episode) {
    AgentRequest request{episode.id,
                         episode.problem,
                         episode.arm,
                         episode.reader,
                         episode.repeat,
                         static_cast<int>(episode.turns.size()) + 1,
                         episode.turns_allowed,
                         {}};
    request.messages.push_back({ChatMessage::Role::user, episode.prompt});
    for (const TurnRecord& turn : episode.turns) {
        request.messages.push_back({ChatMessage::Role::assistant, turn.reply});
        request.messages.push_back({ChatMessage::Role::user, turn.feedback});
    }
    return request;
}

TurnRecord ask(const EpisodeRecord& episode, Agent& agent) {
    const AgentRequest request = request_of(episode);
    TurnRecord turn;
    turn.number = request.turn;
    turn.prompt_digest = short_digest(request.messages.back().text);
    turn.started = utc_now();
    const auto start = SteadyClock::now();
    AgentReply reply = agent.reply(request);
    turn.agent_seconds = seconds_since(start);
    turn.reply = std::move(reply.text);
    turn.input_tokens = reply.input_tokens;
    turn.output_tokens = reply.output_tokens;
    return turn;
}

/// Judges what the reply asks for and says what the agent is told.
void act(TurnRecord& turn, const EpisodeRecord& episode, const Problem& problem, EpisodeJudge& judge) {
    ParsedReply parsed = parse_reply(turn.reply);
    const int left = episode.turns_allowed - turn.number;
    turn.action = parsed.action;
    turn.code_digest = parsed.code ? short_digest(*parsed.code) : "";
    if (parsed.action == ReplyAction::none) {
        turn.status = "no_action";
        turn.feedback = no_action_feedback(parsed.problem, left);
        return;
    }
    const bool has_code = parsed.code.has_value();
    const auto start = SteadyClock::now();
    const Verdict verdict = judge.judge(
        {problem,
         candidate_from_text(has_code ? std::move(*parsed.code) : turn.reply, "episode " + episode.id),
         has_code, parsed.action == ReplyAction::submit,
         derive_seed(episode.seed, turn_stream, static_cast<std::uint64_t>(turn.number)),
         "episode " + episode.id.substr(0, 8) + " turn " + std::to_string(turn.number)});
    turn.judge_seconds = seconds_since(start);
    if (verdict.status == Status::infra_error) {
        throw infrastructure_error("the judge failed: " + verdict.message);
    }
    turn.status = to_string(verdict.status);
    turn.evaluation = verdict.id;
    turn.verdict = to_json(verdict);
    turn.feedback = feedback_text(parsed.action, verdict, left);
}

EpisodeState state_after(const EpisodeRecord& episode, const TurnRecord& turn) {
    if (turn.action == ReplyAction::submit && !turn.verdict.is_null() &&
        turn.status != to_string(Status::no_code)) {
        return EpisodeState::submitted;
    }
    return turn.number >= episode.turns_allowed ? EpisodeState::unsubmitted : EpisodeState::open;
}

}  // namespace

EpisodeRecord new_episode(const Problem& problem, std::uint64_t seed) {
    EpisodeRecord episode;
    episode.id = random_id();
    episode.created = utc_now();
    episode.problem = problem.id;
    episode.level = problem.level;
    episode.family = problem.family;
    episode.seed = seed;
    return episode;
}

void run_episode(EpisodeRecord& episode, const Problem& problem, Agent& agent,
                 const EpisodeSurroundings& with) {
    try {
        if (episode.prompt.empty()) {
            GivenPrompt given =
                with.prompts.prompt(problem, episode.arm, episode.reader, episode.turns_allowed);
            with.store.set_prompt(episode.id, given.text, given.context_digest);
            episode.prompt = std::move(given.text);
            episode.context_digest = std::move(given.context_digest);
        }
        while (episode.state == EpisodeState::open && !with.stop()) {
            TurnRecord turn = ask(episode, agent);
            act(turn, episode, problem, with.judge);
            episode.state = state_after(episode, turn);
            with.store.add_turn(episode.id, turn, episode.state);
            episode.failure.clear();
            episode.turns.push_back(std::move(turn));
            with.told(episode);
        }
    } catch (const Error& error) {
        episode.failure = error.what();
        with.store.set_failure(episode.id, episode.failure);
        throw;
    }
}

}  // namespace kbeval
