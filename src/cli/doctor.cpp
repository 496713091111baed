#include "doctor/doctor.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace kbeval::cli {

namespace {

int doctor_command(const std::string& database, bool json) {
    const std::vector<Finding> findings = examine_machine(database);
    bool good = true;
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const Finding& f : findings) {
        good = good && (f.ok || !f.needed);
        array.push_back({{"check", f.name},
                         {"ok", f.ok},
                         {"needed", f.needed},
                         {"detail", f.detail},
                         {"remedy", f.remedy}});
    }
    if (json) {
        std::cout << array.dump(1) << "\n";
        return good ? exit_success : exit_infrastructure;
    }
    for (const Finding& f : findings) {
        std::cout << (f.ok       ? "ok       "
                      : f.needed ? "MISSING  "
                                 : "absent   ")
                  << f.name << ": " << f.detail << "\n";
        if (!f.ok && !f.remedy.empty()) {
            std::cout << "         -> " << f.remedy << "\n";
        }
    }
    return good ? exit_success : exit_infrastructure;
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen) {
    struct Options {
        std::string database;
        bool json = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("doctor", "Say what this machine has and lacks for judging");
    command->add_option("--db", options->database,
                        "Database file to look at (default: $KBEVAL_DB, else in the user's data folder)");
    command->add_flag("--json", options->json, "Print a JSON array");
    command->footer(
        "Example: kbeval doctor\nExit status: 0 ready (on a GPU or the CPU), 3 something needed is missing.");
    command->callback([&chosen, options] {
        chosen = [options] { return doctor_command(options->database, options->json); };
    });
}

}  // namespace kbeval::cli
