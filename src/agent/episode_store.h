#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/episode_record.h"
#include "store/database.h"
#include "store/store.h"

namespace kbeval {

/// Which experiment a database holds.
struct ExperimentRecord {
    std::string name;
    std::string plan;    ///< canonical JSON (experiment/plan.h)
    std::string digest;  ///< of `plan`
    std::string created;
    bool cancelled = false;
    int episodes = 0;
    int finished = 0;  ///< submitted or unsubmitted
};

/// Episodes, turns and experiments in kbeval's database (docs/database.md), over a connection of its own.
class EpisodeStore {
  public:
    /// As Store::open.
    static EpisodeStore open(const std::filesystem::path& path, Store::Mode mode);

    // ---- episodes

    /// Stores an episode without its turns.
    void begin(const EpisodeRecord& episode);
    /// Keeps what the agent is given in the first turn.
    void set_prompt(const std::string& id, const std::string& prompt, const std::string& context_digest);
    /// Stores one whole turn, and with it what it makes of the episode, in one transaction.
    void add_turn(const std::string& id, const TurnRecord& turn, EpisodeState state);
    void set_failure(const std::string& id, const std::string& failure);
    /// Stores an episode with all its turns in one transaction. An episode that is there already with the
    /// same turns is left alone (false); with others it is an input error.
    bool import(const EpisodeRecord& episode);

    /// The episode whose id begins with `prefix` (4 digits or more), with its turns. Throws input errors.
    EpisodeRecord find(std::string_view prefix);
    /// Of one experiment in its order, or (nothing given) those outside of any, the newest first. Turns are
    /// left out unless asked for; so are prompts.
    std::vector<EpisodeRecord> list(const std::optional<std::string>& experiment, bool with_turns);

    // ---- experiments

    /// Stores the experiment and all its episodes in one transaction.
    void begin_experiment(const ExperimentRecord& experiment, const std::vector<EpisodeRecord>& episodes);
    std::optional<ExperimentRecord> experiment(const std::string& name);
    std::vector<ExperimentRecord> experiments();  ///< the newest first
    /// Throws an input error where there is none of that name.
    void set_cancelled(const std::string& name, bool cancelled);

    [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }

  private:
    explicit EpisodeStore(Database database) : database_(std::move(database)) {}

    std::int64_t key_of(const std::string& id);
    void insert(const EpisodeRecord& episode, std::optional<std::int64_t> experiment);
    void insert_turn(std::int64_t key, const TurnRecord& turn);
    void update_state(std::int64_t key, EpisodeState state);
    std::string keep_prompt(const std::string& text);
    std::vector<TurnRecord> turns_of(std::int64_t key);

    Database database_;
};

}  // namespace kbeval
