#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"

namespace kbeval::cli {

namespace {

constexpr std::size_t max_manifest_bytes = 64 << 20;

/// One line of the manifest.
struct Entry {
    std::string problem;
    std::string path;
    std::string label;
};

Entry entry_from(const nlohmann::json& line, const std::filesystem::path& folder) {
    Entry entry{line.at("problem").get<std::string>(), line.at("path").get<std::string>(),
                line.value("label", "")};
    if (std::filesystem::path(entry.path).is_relative()) {
        entry.path = (folder / entry.path).string();
    }
    return entry;
}

/// Reads and checks the whole manifest before anything is judged.
std::vector<Entry> read_manifest(const std::string& path, const Session& session) {
    const std::string text = read_file(path, max_manifest_bytes);
    std::vector<Entry> entries;
    int number = 0;
    for (const std::string_view line : split_lines(text)) {
        ++number;
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue;
        }
        const std::string place = path + ":" + std::to_string(number) + ": ";
        try {
            entries.push_back(
                entry_from(nlohmann::json::parse(line), std::filesystem::path(path).parent_path()));
            (void)session.problem(entries.back().problem);
        } catch (const nlohmann::json::exception& error) {
            throw input_error(place + "needs a JSON object with 'problem' and 'path': " + error.what());
        } catch (const Error& error) {
            throw input_error(place + error.what(), error.hint());
        }
    }
    return entries;
}

int batch_command(const EvaluateOptions& o) {
    Session session(o);
    const std::vector<Entry> entries = read_manifest(o.candidate, session);
    session.prepare();
    std::vector<Verdict> verdicts;
    int status = exit_success;
    for (const Entry& entry : entries) {
        const CandidateSource source = read_candidate(entry.path);
        const auto progress = make_progress(!o.json);
        const std::string label = entry.label.empty() ? o.label : entry.label;
        verdicts.push_back(
            session.judge(session.problem(entry.problem), source, {true, true, label}, *progress));
        status = std::max(status, exit_status(verdicts.back()));
        if (o.json) {
            std::cout << dump_json(to_json(verdicts.back()), -1) << std::endl;
        }
    }
    if (!o.json) {
        std::cout << verdict_table(verdicts, colour_wanted(1));
    }
    return status;
}

}  // namespace

void add_batch(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("batch", "Judge the candidates of a manifest, one after the other");
    const auto options = std::make_shared<EvaluateOptions>();
    command
        ->add_option("MANIFEST", options->candidate,
                     "JSON lines: {\"problem\": ID, \"path\": FILE, \"label\": TEXT}")
        ->required();
    add_shared_options(*command, *options, true);
    command->footer(
        "Example: kbeval batch nightly.jsonl --db nightly.db\nPaths are relative to the manifest's folder.");
    command->callback([&chosen, options] { chosen = [options] { return batch_command(*options); }; });
}

}  // namespace kbeval::cli
