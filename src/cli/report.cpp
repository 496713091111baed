#include "figures/report.h"

#include <spdlog/spdlog.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/record_text.h"
#include "report/run/page.h"
#include "report/run/report_csv.h"
#include "report/run/report_json.h"
#include "report/run/report_text.h"

namespace kbeval::cli {

namespace fs = std::filesystem;

namespace {

struct ReportOptions {
    std::vector<std::string> runs;
    std::string database;
    std::string against;
    std::string html;
    ReportFilter filter;
    bool markdown = false;
    bool csv = false;
    bool json = false;
    bool mix = false;
    bool regressions = false;
};

bool names_a_file(const std::string& run) {
    std::error_code code;
    return fs::is_regular_file(run, code);
}

fs::path database_of(const ReportOptions& options) {
    return options.database.empty() ? default_database() : fs::path(options.database);
}

/// Lets the views know the catalogue. A database that can't be written now is reported on all the same.
void note_problems(const fs::path& database, const ProblemNames& problems) {
    const std::vector<ProblemRow> rows = problem_rows(problems);
    try {
        if (Store::open(database, Store::Mode::read_only).problems_are_new(rows)) {
            Store::open(database, Store::Mode::read_write).note_problems(rows);
        }
    } catch (const Error& error) {
        spdlog::debug("the views don't know the newest catalogue: {}", error.what());
    }
}

/// A run is a label of the database or, where no evaluation has it, a database file of its own.
RunRows read_named(const std::string& name, const ReportOptions& options, const ProblemNames& problems) {
    if (fs::exists(database_of(options)) || !names_a_file(name)) {
        Store store = Store::open(database_of(options), Store::Mode::read_only);
        EvaluationFilter any;
        any.label = name;
        any.limit = 1;
        if (!store.list(any).empty()) {
            return read_run(store, name, name, options.filter, problems);
        }
    }
    if (!names_a_file(name)) {
        throw input_error(
            database_of(options).string() + ": no evaluation has the label '" + printable(name) + "'",
            "a run is a --label that evaluations were made with, or a database file");
    }
    Store store = Store::open(name, Store::Mode::read_only);
    return read_run(store, name, std::nullopt, options.filter, problems);
}

std::deque<RunRows> read_runs(const ReportOptions& options, const ProblemNames& problems) {
    std::deque<RunRows> runs;
    if (options.runs.empty()) {
        Store store = Store::open(database_of(options), Store::Mode::read_only);
        runs.push_back(read_run(store, "", std::nullopt, options.filter, problems));
    }
    for (const std::string& name : options.runs) {
        runs.push_back(read_named(name, options, problems));
    }
    return runs;
}

void print(const Report& report, const ReportOptions& options) {
    if (options.json) {
        std::cout << dump_json(report_json(report), 1) << "\n";
    } else if (options.csv) {
        std::cout << report_csv(report);
    } else if (options.markdown) {
        std::cout << report_markdown(report);
    } else if (options.html.empty()) {
        std::cout << report_text(report);
    }
}

/// Writes beside the file and renames, so that no half page is ever there under its name.
void save_page(const Report& report, const fs::path& file) {
    std::map<std::string, Store> stores;
    const RecordSource records = [&](const RunRows& run, const std::string& id) {
        auto found = stores.find(run.database);
        if (found == stores.end()) {
            found = stores.emplace(run.database, Store::open(run.database, Store::Mode::read_only)).first;
        }
        return found->second.find(id);
    };
    if (file == "-") {
        write_page(std::cout, report, records);
        return;
    }
    const fs::path draft = file.string() + ".part";
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    if (!out) {
        throw input_error(file.string() + ": can't be written", "name another file with --html");
    }
    write_page(out, report, records);
    out.close();
    std::error_code code;
    if (out) {
        fs::rename(draft, file, code);
    }
    if (!out || code) {
        std::error_code ignored;
        fs::remove(draft, ignored);
        throw infrastructure_error(file.string() +
                                   ": can't be written: " + (code ? code.message() : "disk full?"));
    }
}

int report_command(const ReportOptions& options) {
    const ProblemNames problems = names_of(Catalogue(find_layout()));
    note_problems(database_of(options), problems);
    std::optional<RunRows> earlier;
    if (!options.against.empty()) {
        earlier = read_named(options.against, options, problems);
    }
    const Report report = build_report(read_runs(options, problems), std::move(earlier), options.mix);
    print(report, options);
    if (!options.html.empty()) {
        save_page(report, options.html);
    }
    if (!options.regressions) {
        return exit_success;
    }
    std::cerr << report.regressions.size()
              << (report.regressions.size() == 1 ? " stored success no longer holds\n"
                                                 : " stored successes no longer hold\n");
    return report.regressions.empty() ? exit_success : exit_no_success;
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("report", "Figures, charts and comparison of recorded evaluations");
    const auto options = std::make_shared<ReportOptions>();
    command->add_option("RUN", options->runs,
                        "Label of the evaluations, or a database file (default: the whole database)");
    command->add_option("--db", options->database,
                        "Database (default: KBEVAL_DB, else in the user's data folder)");
    command->add_option("--against", options->against,
                        "Earlier run (label or database file) to compare with");
    command->add_option("--html", options->html,
                        "Write one self-contained page; - writes it to standard output");
    auto* const markdown = command->add_flag("--md", options->markdown, "Print Markdown, for a pull request");
    auto* const csv = command->add_flag("--csv", options->csv, "Print one line an evaluation");
    auto* const json = command->add_flag("--json", options->json, "Print everything as one JSON object");
    markdown->excludes(csv)->excludes(json);
    csv->excludes(json);
    command->add_flag(
        "--regressions", options->regressions,
        "Exit with 1 where a stored success no longer holds, or, with --against, one of that run");
    command->add_option("--evaluator", options->filter.evaluator,
                        "Only evaluations by this evaluator digest");
    command->add_option("--gpu", options->filter.gpu, "Only this GPU, such as 'NVIDIA H200'");
    command->add_option("--size", options->filter.size, "Only this size")
        ->check(CLI::IsMember({"full", "smoke"}));
    command->add_option("--level", options->filter.level, "Only problems of this level")
        ->check(CLI::Range(1, 99));
    command->add_option("--family", options->filter.family, "Only problems of this family, such as matmul");
    command->add_flag("--mix", options->mix,
                      "Put evaluators, GPUs and sizes into one figure (by default each has its own)");
    command->footer(
        "Examples:\n"
        "  kbeval report nightly --html nightly.html\n"
        "  kbeval report nightly --against nightly-before --md\n"
        "  kbeval report --regressions > /dev/null || echo 'a kernel no longer wins'");
    command->callback([&chosen, options] { chosen = [options] { return report_command(*options); }; });
}

}  // namespace kbeval::cli
