#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/problems.h"
#include "inspect/import.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

struct Options {
    std::string folder;
    std::string prefix;
    InspectionOptions inspection;
    bool json = false;
};

int import(const Options& o) {
    const std::string prefix = o.prefix.empty() ? default_prefix(o.folder) : o.prefix;
    const auto into = imported_problems();
    const auto files = import_problems(find_layout(), o.folder, prefix, into, o.inspection);
    const auto refused =
        std::count_if(files.begin(), files.end(), [](const auto& f) { return f.id.empty(); });
    const auto imported = static_cast<std::ptrdiff_t>(files.size()) - refused;
    if (o.json) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const ImportedFile& f : files) {
            array.push_back({{"file", f.file},
                             {"id", f.id.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(f.id)},
                             {"reason", f.reason}});
        }
        std::cout << dump_json({{"folder", into.string()}, {"prefix", prefix}, {"files", array}}, 1) << "\n";
    } else {
        for (const ImportedFile& f : files) {
            if (!f.reason.empty()) {
                std::cout << f.file << ": " << (f.id.empty() ? "refused: " : f.id + ": ")
                          << printable(to_valid_utf8(f.reason)) << "\n";
            }
        }
        std::cout << imported << " problems imported, " << refused << " files refused; "
                  << "kbeval problems list shows them\n";
    }
    return imported > 0 ? exit_success : exit_no_success;
}

}  // namespace

void add_problems_import(CLI::App& problems, Action& chosen) {
    CLI::App* const command = problems.add_subcommand(
        "import", "Take in a KernelBench checkout, or any folder of problems in its format");
    const auto options = std::make_shared<Options>();
    options->inspection.jobs = processors();
    command->add_option("DIR", options->folder, "The folder")->required();
    command->add_option("--prefix", options->prefix, "What the ids begin with (default: the folder's name)");
    command->add_option("--timeout", options->inspection.deadline, "Seconds that one file may take to load")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    command->add_option("--jobs", options->inspection.jobs, "Files loaded at once")
        ->check(CLI::Range(1, 256));
    command->add_flag("--json", options->json, "Print a JSON object");
    command->footer(
        "Example: kbeval problems import ../KernelBench --prefix KB\n"
        "Files are copied to $KBEVAL_PROBLEMS (default: the user's data folder); a bad one is listed with "
        "the "
        "reason.\nExit status: 0 some imported, 1 none, 2 bad usage or input, 3 infrastructure failed.");
    command->callback([&chosen, options] { chosen = [options] { return import(*options); }; });
}

}  // namespace kbeval::cli
