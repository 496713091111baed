#include "agent/episode_store.h"

#include "agent/transcript.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "report/record_text.h"

namespace kbeval {

namespace {

constexpr const char* episode_columns =
    "e.key, e.id, coalesce(x.name, ''), e.position, e.problem, e.level, e.family, e.split, e.arm, e.reader, "
    "e.repeat, e.agent, e.turns, e.seed, e.state, e.failure, e.created, coalesce(e.finished, ''), "
    "e.context_digest, e.prompt FROM episode AS e LEFT JOIN experiment AS x ON x.key = e.experiment ";
constexpr int prompt_column = 19;

EpisodeRecord read_episode(const Statement& row, Database& database) {
    EpisodeRecord e;
    e.id = row.text(1);
    e.experiment = row.text(2);
    e.position = static_cast<int>(row.integer(3));
    e.problem = row.text(4);
    e.level = static_cast<int>(row.integer(5));
    e.family = row.text(6);
    e.split = row.text(7);
    e.arm = row.text(8);
    e.reader = row.text(9);
    e.repeat = static_cast<int>(row.integer(10));
    e.agent = row.text(11);
    e.turns_allowed = static_cast<int>(row.integer(12));
    e.seed = std::stoull(row.text(13));
    const auto state = episode_state_from_string(row.text(14));
    if (!state) {
        throw infrastructure_error(database.path().string() + ": episode " + e.id + " is in no known state");
    }
    e.state = *state;
    e.failure = row.text(15);
    e.created = row.text(16);
    e.finished = row.text(17);
    e.context_digest = row.text(18);
    return e;
}

std::optional<std::int64_t> optional_integer(const Statement& row, int column) {
    return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

void bind_optional(Statement& statement, int parameter, const std::optional<std::int64_t>& value) {
    value ? statement.bind(parameter, *value) : statement.bind_null(parameter);
}

std::string prompt_text(Database& database, const std::string& digest) {
    Statement row(database, "SELECT text FROM prompt WHERE digest = ?");
    row.bind(1, digest);
    return row.step() ? row.text(0) : std::string();
}

constexpr const char* experiment_columns =
    "SELECT name, plan, digest, created, state, "
    "(SELECT count(*) FROM episode AS e WHERE e.experiment = x.key), "
    "(SELECT count(*) FROM episode AS e WHERE e.experiment = x.key AND e.state != 'open') FROM experiment AS "
    "x ";

ExperimentRecord read_experiment(const Statement& row) {
    return {row.text(0),
            row.text(1),
            row.text(2),
            row.text(3),
            row.text(4) == "cancelled",
            static_cast<int>(row.integer(5)),
            static_cast<int>(row.integer(6))};
}

}  // namespace

std::string to_string(EpisodeState state) {
    switch (state) {
        case EpisodeState::submitted:
            return "submitted";
        case EpisodeState::unsubmitted:
            return "unsubmitted";
        case EpisodeState::open:
            break;
    }
    return "open";
}

std::optional<EpisodeState> episode_state_from_string(const std::string& name) {
    for (const EpisodeState state :
         {EpisodeState::open, EpisodeState::submitted, EpisodeState::unsubmitted}) {
        if (name == to_string(state)) {
            return state;
        }
    }
    return std::nullopt;
}

EpisodeStore EpisodeStore::open(const std::filesystem::path& path, Store::Mode mode) {
    (void)Store::open(path, mode);  // checks whose file it is, and brings its schema up to date
    return EpisodeStore(Database(
        path, mode == Store::Mode::read_only ? Database::Access::read_only : Database::Access::read_write));
}

// ---- writing

void EpisodeStore::insert(const EpisodeRecord& e, std::optional<std::int64_t> experiment) {
    Statement row(
        database_,
        "INSERT INTO episode (id, experiment, position, problem, level, family, split, arm, reader, "
        "repeat, agent, turns, seed, state, failure, created, finished, prompt, context_digest) "
        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    int at = 0;
    row.bind(++at, e.id);
    bind_optional(row, ++at, experiment);
    row.bind(++at, e.position);
    row.bind(++at, e.problem);
    row.bind(++at, e.level);
    row.bind(++at, e.family);
    row.bind(++at, e.split);
    row.bind(++at, e.arm);
    row.bind(++at, e.reader);
    row.bind(++at, e.repeat);
    row.bind(++at, e.agent);
    row.bind(++at, e.turns_allowed);
    row.bind(++at, std::to_string(e.seed));
    row.bind(++at, to_string(e.state));
    row.bind(++at, to_valid_utf8(e.failure));
    row.bind(++at, e.created);
    e.finished.empty() ? row.bind_null(++at) : row.bind(++at, e.finished);
    e.prompt.empty() ? row.bind_null(++at) : row.bind(++at, keep_prompt(e.prompt));
    row.bind(++at, e.context_digest);
    row.run();
}

void EpisodeStore::insert_turn(std::int64_t key, const TurnRecord& t) {
    Statement row(
        database_,
        "INSERT INTO turn (episode, number, prompt_digest, reply, action, code_digest, status, feedback, "
        "evaluation, verdict, started, agent_seconds, judge_seconds, input_tokens, output_tokens) "
        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    int at = 0;
    row.bind(++at, key);
    row.bind(++at, t.number);
    row.bind(++at, t.prompt_digest);
    row.bind(++at, t.reply);
    row.bind(++at, to_string(t.action));
    row.bind(++at, t.code_digest);
    row.bind(++at, t.status);
    row.bind(++at, t.feedback);
    row.bind(++at, t.evaluation);
    t.verdict.is_null() ? row.bind_null(++at) : row.bind(++at, dump_json(t.verdict, -1));
    row.bind(++at, t.started);
    row.bind(++at, t.agent_seconds);
    row.bind(++at, t.judge_seconds);
    bind_optional(row, ++at, t.input_tokens);
    bind_optional(row, ++at, t.output_tokens);
    row.run();
}

void EpisodeStore::update_state(std::int64_t key, EpisodeState state) {
    Statement row(database_, "UPDATE episode SET state = ?, failure = '', finished = ? WHERE key = ?");
    row.bind(1, to_string(state));
    state == EpisodeState::open ? row.bind_null(2) : row.bind(2, utc_now());
    row.bind(3, key);
    row.run();
}

std::string EpisodeStore::keep_prompt(const std::string& text) {
    std::string digest = sha256_hex(text);
    Statement row(database_, "INSERT OR IGNORE INTO prompt (digest, text) VALUES (?, ?)");
    row.bind(1, digest);
    row.bind(2, text);
    row.run();
    return digest;
}

std::int64_t EpisodeStore::key_of(const std::string& id) {
    Statement row(database_, "SELECT key FROM episode WHERE id = ?");
    row.bind(1, id);
    if (!row.step()) {
        throw input_error(path().string() + ": there is no episode " + printable(id));
    }
    return row.integer(0);
}

void EpisodeStore::begin(const EpisodeRecord& episode) {
    Transaction transaction(database_);
    insert(episode, std::nullopt);
    transaction.commit();
}

void EpisodeStore::set_prompt(const std::string& id, const std::string& prompt,
                              const std::string& context_digest) {
    Transaction transaction(database_);
    Statement row(database_, "UPDATE episode SET prompt = ?, context_digest = ? WHERE id = ?");
    row.bind(1, keep_prompt(prompt));
    row.bind(2, context_digest);
    row.bind(3, id);
    row.run();
    transaction.commit();
}

void EpisodeStore::add_turn(const std::string& id, const TurnRecord& turn, EpisodeState state) {
    Transaction transaction(database_);
    const std::int64_t key = key_of(id);
    insert_turn(key, turn);
    update_state(key, state);
    transaction.commit();
}

void EpisodeStore::set_failure(const std::string& id, const std::string& failure) {
    Transaction transaction(database_);
    Statement row(database_, "UPDATE episode SET failure = ? WHERE id = ?");
    row.bind(1, to_valid_utf8(failure));
    row.bind(2, id);
    row.run();
    transaction.commit();
}

bool EpisodeStore::import(const EpisodeRecord& episode) {
    Transaction transaction(database_);
    Statement known(database_, "SELECT key FROM episode WHERE id = ?");
    known.bind(1, episode.id);
    if (known.step()) {
        EpisodeRecord here = find(episode.id);
        here.experiment = episode.experiment;  // an import stands outside of experiments
        if (transcript_lines(here) != transcript_lines(episode)) {
            throw input_error("episode " + episode.id + " is in " + path().string() +
                              " already, with other turns");
        }
        return false;
    }
    EpisodeRecord copy = episode;
    copy.experiment.clear();
    insert(copy, std::nullopt);
    const std::int64_t key = key_of(copy.id);
    for (const TurnRecord& turn : copy.turns) {
        insert_turn(key, turn);
    }
    transaction.commit();
    return true;
}

// ---- reading

std::vector<TurnRecord> EpisodeStore::turns_of(std::int64_t key) {
    Statement row(
        database_,
        "SELECT number, prompt_digest, reply, action, code_digest, status, feedback, evaluation, verdict, "
        "started, agent_seconds, judge_seconds, input_tokens, output_tokens FROM turn WHERE episode = ? "
        "ORDER BY number");
    row.bind(1, key);
    std::vector<TurnRecord> turns;
    while (row.step()) {
        TurnRecord t;
        t.number = static_cast<int>(row.integer(0));
        t.prompt_digest = row.text(1);
        t.reply = row.text(2);
        t.action = action_from_string(row.text(3)).value_or(ReplyAction::none);
        t.code_digest = row.text(4);
        t.status = row.text(5);
        t.feedback = row.text(6);
        t.evaluation = row.text(7);
        t.verdict = row.is_null(8) ? nlohmann::ordered_json(nullptr)
                                   : nlohmann::ordered_json::parse(row.text(8), nullptr, false);
        t.started = row.text(9);
        t.agent_seconds = row.real(10).value_or(0);
        t.judge_seconds = row.real(11).value_or(0);
        t.input_tokens = optional_integer(row, 12);
        t.output_tokens = optional_integer(row, 13);
        turns.push_back(std::move(t));
    }
    return turns;
}

EpisodeRecord EpisodeStore::find(std::string_view prefix) {
    const std::string wanted(prefix);
    if (wanted.size() < 4 || wanted.find_first_not_of("0123456789abcdef") != std::string::npos) {
        throw input_error("'" + printable(prefix.substr(0, 80)) + "' is no episode id",
                          "give 4 to 32 lower-case hex digits of one");
    }
    Statement row(database_,
                  std::string("SELECT ") + episode_columns + "WHERE e.id >= ?1 AND e.id < ?1 || 'g'");
    row.bind(1, wanted);
    if (!row.step()) {
        throw input_error(path().string() + ": no episode has an id that begins with " + wanted);
    }
    EpisodeRecord episode = read_episode(row, database_);
    const std::int64_t key = row.integer(0);
    const std::string prompt = row.text(prompt_column);
    if (row.step()) {
        throw input_error(path().string() + ": several episodes have ids that begin with " + wanted,
                          "give more digits");
    }
    episode.prompt = prompt_text(database_, prompt);
    episode.turns = turns_of(key);
    return episode;
}

std::vector<EpisodeRecord> EpisodeStore::list(const std::optional<std::string>& experiment, bool with_turns) {
    const Transaction snapshot(database_, Transaction::Kind::read);
    Statement row(database_, std::string("SELECT ") + episode_columns +
                                 (experiment ? "WHERE x.name = ? ORDER BY e.position"
                                             : "WHERE x.name IS NULL ORDER BY e.created DESC, e.key DESC"));
    if (experiment) {
        row.bind(1, *experiment);
    }
    std::vector<EpisodeRecord> episodes;
    while (row.step()) {
        episodes.push_back(read_episode(row, database_));
        if (with_turns) {
            episodes.back().turns = turns_of(row.integer(0));
        }
    }
    return episodes;
}

// ---- experiments

void EpisodeStore::begin_experiment(const ExperimentRecord& experiment,
                                    const std::vector<EpisodeRecord>& episodes) {
    Transaction transaction(database_);
    Statement row(database_,
                  "INSERT INTO experiment (name, plan, digest, state, created) VALUES (?, ?, ?, 'open', ?)");
    row.bind(1, experiment.name);
    row.bind(2, experiment.plan);
    row.bind(3, experiment.digest);
    row.bind(4, experiment.created);
    row.run();
    const std::int64_t key = sqlite3_last_insert_rowid(database_.handle());
    for (const EpisodeRecord& episode : episodes) {
        insert(episode, key);
    }
    transaction.commit();
}

std::optional<ExperimentRecord> EpisodeStore::experiment(const std::string& name) {
    Statement row(database_, std::string(experiment_columns) + "WHERE name = ?");
    row.bind(1, name);
    return row.step() ? std::optional(read_experiment(row)) : std::nullopt;
}

std::vector<ExperimentRecord> EpisodeStore::experiments() {
    Statement row(database_, std::string(experiment_columns) + "ORDER BY created DESC, key DESC");
    std::vector<ExperimentRecord> all;
    while (row.step()) {
        all.push_back(read_experiment(row));
    }
    return all;
}

void EpisodeStore::set_cancelled(const std::string& name, bool cancelled) {
    Transaction transaction(database_);
    Statement row(database_, "UPDATE experiment SET state = ? WHERE name = ?");
    row.bind(1, cancelled ? "cancelled" : "open");
    row.bind(2, name);
    row.run();
    if (sqlite3_changes(database_.handle()) == 0) {
        throw input_error(path().string() + ": there is no experiment '" + printable(name) + "'");
    }
    transaction.commit();
}

}  // namespace kbeval
