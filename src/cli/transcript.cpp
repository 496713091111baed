#include "agent/transcript.h"

#include <iostream>
#include <memory>
#include <set>

#include "agent/episode_store.h"
#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"

namespace kbeval::cli {

namespace {

struct TranscriptOptions {
    std::string database;
    std::vector<std::string> episodes;
    std::string experiment;
    std::string output;
    std::string file;
};

std::filesystem::path database_of(const TranscriptOptions& o) {
    return o.database.empty() ? default_database() : std::filesystem::path(o.database);
}

std::vector<std::string> chosen_ids(const TranscriptOptions& o, EpisodeStore& store) {
    if (!o.episodes.empty()) {
        return o.episodes;
    }
    if (!o.experiment.empty() && !store.experiment(o.experiment)) {
        throw input_error(store.path().string() + ": there is no experiment '" + printable(o.experiment) +
                          "'");
    }
    std::vector<std::string> ids;
    for (const EpisodeRecord& episode :
         store.list(o.experiment.empty() ? std::nullopt : std::optional(o.experiment), false)) {
        ids.push_back(episode.id);
    }
    return ids;
}

int export_command(const TranscriptOptions& o) {
    EpisodeStore store = EpisodeStore::open(database_of(o), Store::Mode::read_only);
    std::string all;
    for (const std::string& id : chosen_ids(o, store)) {
        for (const std::string& line : transcript_lines(store.find(id))) {
            all += line + "\n";
        }
        if (o.output.empty()) {
            std::cout << all;
            all.clear();
        }
    }
    if (!o.output.empty()) {
        write_file(o.output, all);
    }
    return exit_success;
}

int import_command(const TranscriptOptions& o) {
    const std::vector<EpisodeRecord> episodes = read_transcript(o.file);
    EpisodeStore store = EpisodeStore::open(database_of(o), Store::Mode::read_write);
    int imported = 0;
    for (const EpisodeRecord& episode : episodes) {
        imported += store.import(episode) ? 1 : 0;
    }
    std::cout << "imported " << imported << (imported == 1 ? " episode" : " episodes") << " from " << o.file;
    const int known = static_cast<int>(episodes.size()) - imported;
    std::cout << (known > 0 ? "; " + std::to_string(known) + " were there already" : "") << "\n";
    return exit_success;
}

}  // namespace

void add_transcript(CLI::App& app, Action& chosen) {
    CLI::App* const command = app.add_subcommand("transcript", "Export and import what was said in episodes");
    command->require_subcommand(1);
    const auto o = std::make_shared<TranscriptOptions>();

    CLI::App* const out = command->add_subcommand("export", "Write episodes as JSON lines");
    out->add_option("EPISODE", o->episodes,
                    "Ids, or their first digits (default: all outside of experiments)");
    out->add_option("--experiment", o->experiment, "All episodes of this experiment");
    out->add_option("-o,--output", o->output, "File to write (default: standard output)");
    out->add_option("--db", o->database, "Database (default: KBEVAL_DB, else in the user's data folder)");
    out->footer("Example: kbeval transcript export --experiment contexts -o contexts.jsonl");
    out->callback([&chosen, o] { chosen = [o] { return export_command(*o); }; });

    CLI::App* const in =
        command->add_subcommand("import", "Take episodes from JSON lines; what is known is left alone");
    in->add_option("FILE", o->file, "A transcript")->required();
    in->add_option("--db", o->database, "Database (default: KBEVAL_DB, else in the user's data folder)");
    in->footer("Example: kbeval transcript import contexts.jsonl --db elsewhere.db");
    in->callback([&chosen, o] { chosen = [o] { return import_command(*o); }; });
    command->footer(
        "Example: kbeval transcript export 3fa94c01\n"
        "`--agent replay:FILE` answers with the replies of a transcript.");
}

}  // namespace kbeval::cli
