#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/playbook_commands.h"
#include "context/bullets.h"
#include "context/context_set.h"
#include "context/counts.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string stem_of(const std::string& file) {
    return file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
}

int import_files(const PlaybookOptions& options) {
    if (!options.name.empty() && options.files.size() > 1) {
        throw Error(ErrorKind::usage, "--name names one document, but several files are given");
    }
    Store store = open_store(options, Store::Mode::read_write);
    const Catalogue catalogue(find_layout());
    Json array = Json::array();
    for (const std::string& file : options.files) {
        const std::string text = read_file(file, max_document_bytes);
        const std::string name = options.name.empty() ? stem_of(file) : options.name;
        const ImportReport report = import_document(
            store, catalogue, text, {name, file, format_from_string(options.format), options.replace});
        array.push_back({{"name", name},
                         {"format", to_string(report.summary.format)},
                         {"bytes", text.size()},
                         {"digest", short_digest(text)},
                         {"contents", report.summary.contents},
                         {"renders_identically", report.summary.renders_identically},
                         {"unchanged", report.unchanged},
                         {"parts", report.parts},
                         {"altered", report.altered},
                         {"restored", report.restored},
                         {"findings", report.summary.findings.size()},
                         {"notes", report.notes}});
        if (options.json) {
            continue;
        }
        std::cout << name << ": " << to_string(report.summary.format)
                  << (options.format.empty() ? " (detected)" : "") << ", " << text.size() << " bytes, "
                  << short_digest(text) << ", " << report.summary.contents << ", renders "
                  << (report.summary.renders_identically ? "identically" : "DIFFERENTLY; kept as it came")
                  << (report.unchanged ? ", unchanged" : "") << "\n";
        for (const std::string& part : report.parts) {
            std::cout << "  playbook " << part << "\n";
        }
        for (const std::string& note : report.notes) {
            std::cout << "  " << note << "\n";
        }
        std::cerr << findings_text(file, report.summary.findings);
    }
    if (options.json) {
        std::cout << dump_json(array, 1) << "\n";
    }
    return exit_success;
}

int list(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_only);
    Json array = Json::array();
    for (const DocumentRow& row : list_documents(store)) {
        if (options.json) {
            array.push_back({{"name", row.name},
                             {"format", to_string(row.format)},
                             {"bytes", row.text.size()},
                             {"digest", short_digest(row.text)},
                             {"origin", row.origin},
                             {"imported", row.imported}});
        } else {
            std::cout << row.name << "  " << to_string(row.format) << "  " << row.text.size() << " bytes  "
                      << short_digest(row.text) << "  from " << printable(row.origin) << "\n";
        }
    }
    if (options.json) {
        std::cout << dump_json(array, 1) << "\n";
    }
    return exit_success;
}

int render_document(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_only);
    const DocumentRow row = find_document(store, options.name);
    std::cout << render_again(row.name, row.text, row.format);
    return exit_success;
}

/// An imported document, or a file that is there.
int lint(const PlaybookOptions& options) {
    std::string text;
    DocumentFormat format{};
    if (std::filesystem::is_regular_file(options.name)) {
        text = read_file(options.name, max_document_bytes);
        const auto named = format_from_string(options.format);
        format = named ? *named : detect_format(options.name, text);
    } else {
        Store store = open_store(options, Store::Mode::read_only);
        const DocumentRow row = find_document(store, options.name);
        text = row.text;
        format = row.format;
    }
    const DocumentSummary summary = summarize(options.name, text, format);
    if (options.json) {
        Json findings = Json::array();
        for (const Finding& finding : summary.findings) {
            findings.push_back({{"line", finding.place.line},
                                {"column", finding.place.column},
                                {"rule", finding.rule},
                                {"message", finding.message}});
        }
        std::cout << dump_json({{"name", options.name},
                                {"format", to_string(format)},
                                {"contents", summary.contents},
                                {"renders_identically", summary.renders_identically},
                                {"findings", findings}},
                               1)
                  << "\n";
    } else {
        std::cout << findings_text(options.name, summary.findings);
        std::cerr << options.name << ": " << to_string(format) << ", " << summary.contents << ", "
                  << summary.findings.size() << " findings\n";
    }
    return summary.findings.empty() ? exit_success : exit_no_success;
}

int export_document(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_only);
    const std::string text = export_playbook(store, options.name);
    if (options.output.empty() || options.output == "-") {
        std::cout << text;
    } else {
        write_file(options.output, text);
    }
    return exit_success;
}

}  // namespace

Store open_store(const PlaybookOptions& options, Store::Mode mode) {
    return Store::open(
        options.database.empty() ? default_database() : std::filesystem::path(options.database), mode);
}

void add_playbook_options(CLI::App& command, PlaybookOptions& options) {
    command.add_option("--db", options.database,
                       "Database file (default: $KBEVAL_DB, else in the user's data folder)");
    command.add_flag("--json", options.json, "Print JSON and nothing else");
}

void add_playbook(CLI::App& app, Action& chosen) {
    CLI::App* const playbook =
        app.add_subcommand("playbook", "Import, show, compare and count playbooks and other contexts")
            ->require_subcommand(1);
    playbook->footer(
        "Example: kbeval playbook import playbook.md && kbeval playbook show playbook --sort net");
    const auto options = std::make_shared<PlaybookOptions>();
    const auto add = [&](const char* name, const char* help, const char* example,
                         int (*run)(const PlaybookOptions&)) {
        CLI::App* const command = playbook->add_subcommand(name, help);
        add_playbook_options(*command, *options);
        command->footer(std::string("Example: kbeval playbook ") + example);
        command->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
        return command;
    };
    const auto named = [&](CLI::App* command) {
        command->add_option("NAME", options->name, "Name of an imported document or playbook")->required();
        return command;
    };
    CLI::App* const import = add("import", "Import documents; the format is detected and said",
                                 "import contexts.json engine_cards.json", import_files);
    import->add_option("FILE", options->files, "Files; - reads standard input")->required();
    import->add_option("--name", options->name, "Name of the document (default: the file's name)");
    import->add_option("--format", options->format, "Take the file as this format")
        ->check(CLI::IsMember(format_names()));
    import->add_flag("--replace", options->replace, "Take the place of another document of this name");
    add("list", "List imported documents and playbooks", "list --json", list);
    CLI::App* const render_command = named(add("render", "Render a document from its items, byte for byte",
                                               "render playbook > playbook.md", render_document));
    render_command->remove_option(render_command->get_option("--json"));  // the document is the output
    CLI::App* const lint_command =
        add("lint", "Report what is wrong with a document; exit status 1 if anything is", "lint playbook.md",
            lint);
    lint_command->add_option("NAME", options->name, "Name of an imported document, or a file")->required();
    lint_command->add_option("--format", options->format, "Take the file as this format")
        ->check(CLI::IsMember(format_names()));
    CLI::App* const export_command =
        named(add("export", "Write a playbook with its present counts, and nothing else changed",
                  "export playbook --output playbook.md", export_document));
    export_command->remove_option(export_command->get_option("--json"));
    export_command->add_option("--output", options->output, "File to write (default: standard output)");
    add_bullet_commands(*playbook, *options, named, add);
    add_memory_commands(*playbook, *options, named, add);
}

}  // namespace kbeval::cli
