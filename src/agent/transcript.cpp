#include "agent/transcript.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/record_text.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_transcript_bytes = std::size_t{1} << 30U;

Json count_json(const std::optional<std::int64_t>& count) {
    return count ? Json(*count) : Json(nullptr);
}

Json episode_json(const EpisodeRecord& e) {
    return {{"type", "episode"},
            {"version", 1},
            {"episode", e.id},
            {"experiment", e.experiment},
            {"problem", e.problem},
            {"level", e.level},
            {"family", e.family},
            {"split", e.split},
            {"arm", e.arm},
            {"reader", e.reader},
            {"repeat", e.repeat},
            {"agent", e.agent},
            {"turns_allowed", e.turns_allowed},
            {"seed", std::to_string(e.seed)},
            {"state", to_string(e.state)},
            {"created", e.created},
            {"finished", e.finished},
            {"context_digest", e.context_digest},
            {"turns", e.turns.size()},
            {"prompt", e.prompt}};
}

Json turn_json(const EpisodeRecord& e, const TurnRecord& t) {
    return {{"type", "turn"},
            {"episode", e.id},
            {"problem", e.problem},
            {"arm", e.arm},
            {"reader", e.reader},
            {"repeat", e.repeat},
            {"turn", t.number},
            {"prompt_digest", t.prompt_digest},
            {"action", std::string(to_string(t.action))},
            {"code_digest", t.code_digest},
            {"status", t.status},
            {"evaluation", t.evaluation},
            {"started", t.started},
            {"agent_seconds", t.agent_seconds},
            {"judge_seconds", t.judge_seconds},
            {"input_tokens", count_json(t.input_tokens)},
            {"output_tokens", count_json(t.output_tokens)},
            {"reply", t.reply},
            {"feedback", t.feedback},
            {"verdict", t.verdict}};
}

// ---- reading

std::uint64_t seed_from(const std::string& text) {
    try {
        std::size_t used = 0;
        const std::uint64_t seed = std::stoull(text, &used);
        if (used == text.size() && text.find_first_not_of("0123456789") == std::string::npos) {
            return seed;
        }
    } catch (const std::exception&) {  // said below
    }
    throw input_error("'seed' is no whole number of 64 bits in a text");
}

int bounded(const Json& line, const char* name, int low, int high) {
    const auto value = line.at(name).get<std::int64_t>();
    if (value < low || value > high) {
        throw input_error(std::string("'") + name + "' is not between " + std::to_string(low) + " and " +
                          std::to_string(high));
    }
    return static_cast<int>(value);
}

std::optional<std::int64_t> count_from(const Json& line, const char* name) {
    if (line.at(name).is_null()) {
        return std::nullopt;
    }
    const auto count = line.at(name).get<std::int64_t>();
    if (count < 0) {
        throw input_error(std::string("'") + name + "' is negative");
    }
    return count;
}

EpisodeRecord episode_from(const Json& line) {
    constexpr int most = 1'000'000;
    EpisodeRecord e;
    e.id = line.at("episode").get<std::string>();
    if (e.id.size() != 32 || e.id.find_first_not_of("0123456789abcdef") != std::string::npos) {
        throw input_error("'episode' is no id of 32 hex digits");
    }
    e.experiment = line.at("experiment").get<std::string>();
    e.problem = line.at("problem").get<std::string>();
    e.level = bounded(line, "level", 0, 100);
    e.family = line.at("family").get<std::string>();
    e.split = line.at("split").get<std::string>();
    e.arm = line.at("arm").get<std::string>();
    e.reader = line.at("reader").get<std::string>();
    e.repeat = bounded(line, "repeat", 0, most);
    e.agent = line.at("agent").get<std::string>();
    e.turns_allowed = bounded(line, "turns_allowed", 1, most);
    e.seed = seed_from(line.at("seed").get<std::string>());
    const auto state = episode_state_from_string(line.at("state").get<std::string>());
    if (!state) {
        throw input_error("'state' is none of open, submitted and unsubmitted");
    }
    e.state = *state;
    e.created = line.at("created").get<std::string>();
    e.finished = line.at("finished").get<std::string>();
    e.context_digest = line.at("context_digest").get<std::string>();
    e.prompt = line.at("prompt").get<std::string>();
    return e;
}

TurnRecord turn_from(const Json& line, const EpisodeRecord& episode) {
    if (line.at("episode") != episode.id) {
        throw input_error("belongs to another episode than the line of type \"episode\" before it");
    }
    TurnRecord t;
    t.number = bounded(line, "turn", 1, episode.turns_allowed);
    if (t.number != static_cast<int>(episode.turns.size()) + 1) {
        throw input_error("turn " + std::to_string(t.number) + " follows turn " +
                          std::to_string(episode.turns.size()));
    }
    const auto action = action_from_string(line.at("action").get<std::string>());
    if (!action) {
        throw input_error("'action' is none of none, CHECK and SUBMIT");
    }
    t.action = *action;
    t.prompt_digest = line.at("prompt_digest").get<std::string>();
    t.code_digest = line.at("code_digest").get<std::string>();
    t.status = line.at("status").get<std::string>();
    t.evaluation = line.at("evaluation").get<std::string>();
    t.started = line.at("started").get<std::string>();
    t.agent_seconds = line.at("agent_seconds").get<double>();
    t.judge_seconds = line.at("judge_seconds").get<double>();
    t.input_tokens = count_from(line, "input_tokens");
    t.output_tokens = count_from(line, "output_tokens");
    t.reply = line.at("reply").get<std::string>();
    t.feedback = line.at("feedback").get<std::string>();
    t.verdict = line.at("verdict");
    if (!t.verdict.is_null() && !t.verdict.is_object()) {
        throw input_error("'verdict' is neither an object nor null");
    }
    return t;
}

void require_whole(const EpisodeRecord& episode, std::size_t said) {
    if (episode.turns.size() != said) {
        throw input_error("episode " + episode.id + " says that it has " + std::to_string(said) +
                          " turns and has " + std::to_string(episode.turns.size()));
    }
}

/// Takes the lines one after the other.
class Reading {
  public:
    void take(const Json& line) {
        const std::string type = line.at("type").get<std::string>();
        if (type == "episode") {
            if (line.at("version") != 1) {
                throw input_error("is of a version that this kbeval does not know");
            }
            finish();
            episodes_.push_back(episode_from(line));
            said_ = line.at("turns").get<std::size_t>();
        } else if (type != "turn") {
            throw input_error("'type' is neither \"episode\" nor \"turn\"");
        } else if (episodes_.empty()) {
            throw input_error("a turn comes before any line of type \"episode\"");
        } else {
            episodes_.back().turns.push_back(turn_from(line, episodes_.back()));
        }
    }

    void finish() const {
        if (!episodes_.empty()) {
            require_whole(episodes_.back(), said_);
        }
    }

    std::vector<EpisodeRecord> take_all() {
        finish();
        return std::move(episodes_);
    }

  private:
    std::vector<EpisodeRecord> episodes_;
    std::size_t said_ = 0;
};

}  // namespace

std::vector<std::string> transcript_lines(const EpisodeRecord& episode) {
    std::vector<std::string> lines{dump_json(episode_json(episode), -1)};
    for (const TurnRecord& turn : episode.turns) {
        lines.push_back(dump_json(turn_json(episode, turn), -1));
    }
    return lines;
}

std::vector<EpisodeRecord> read_transcript(const std::filesystem::path& path) {
    const std::string text = read_file(path, max_transcript_bytes);
    Reading reading;
    int number = 0;
    const auto place = [&] { return path.string() + ":" + std::to_string(number) + ": "; };
    for (const std::string_view line : split_lines(text)) {
        ++number;
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue;
        }
        try {
            reading.take(Json::parse(line));
        } catch (const Json::exception& error) {
            throw input_error(place() + "no line of a transcript: " + printable(error.what()));
        } catch (const Error& error) {
            throw input_error(place() + error.what());
        }
    }
    try {
        return reading.take_all();
    } catch (const Error& error) {
        throw input_error(place() + error.what());
    }
}

}  // namespace kbeval
