#include <sched.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/problems.h"
#include "inspect/verification.h"

namespace kbeval::cli {

namespace {

struct Options {
    std::vector<std::string> ids;
    std::string facts;
    InspectionOptions inspection;
    bool json = false;
};

void print_json(const std::vector<Verification>& results, const std::string& facts) {
    nlohmann::ordered_json report{{"facts", facts}, {"problems", nlohmann::ordered_json::array()}};
    for (const Verification& result : results) {
        report["problems"].push_back({{"id", result.id}, {"differences", result.differences}});
    }
    std::cout << report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

int verify(const Options& o) {
    const Layout layout = find_layout();
    const Catalogue catalogue(layout.problems());
    std::vector<Problem> problems;
    for (const std::string& id : o.ids) {
        problems.push_back(catalogue.find(id));
    }
    if (o.ids.empty()) {
        problems = catalogue.problems();
    }
    const std::string file = o.facts.empty() ? (layout.problems() / "facts.json").string() : o.facts;
    const auto results = verify_problems(layout, problems, read_facts(file), o.inspection);
    std::size_t different = 0;
    for (const Verification& result : results) {
        different += result.differences.empty() ? 0 : 1;
    }
    if (o.json) {
        print_json(results, file);
    } else {
        for (const Verification& result : results) {
            for (const std::string& difference : result.differences) {
                std::cout << result.id << ": " << printable(difference) << "\n";
            }
        }
        std::cout << results.size() - different << " of " << results.size() << " problems as recorded in "
                  << file << ", " << different << " different\n";
    }
    return different == 0 ? exit_success : exit_no_success;
}

}  // namespace

int processors() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

void add_problems_verify(CLI::App& problems, Action& chosen) {
    CLI::App* const command = problems.add_subcommand(
        "verify",
        "Load problems without allocating their tensors and compare what they do with recorded facts");
    const auto options = std::make_shared<Options>();
    options->inspection.jobs = processors();
    command->add_option("ID", options->ids, "Problem ids, such as L2_076 (default: all)");
    command->add_option("--facts", options->facts, "Recorded facts (default: problems/facts.json of kbeval)");
    command->add_option("--timeout", options->inspection.deadline, "Seconds that one problem may take")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
    command->add_option("--jobs", options->inspection.jobs, "Problems loaded at once")
        ->check(CLI::Range(1, 256));
    command->add_flag("--json", options->json, "Print a JSON object");
    command->footer(
        "Example: kbeval problems verify L2_076 --facts recorded.json\n"
        "Exit status: 0 all as recorded, 1 some differ, 2 bad usage or input, 3 infrastructure failed.");
    command->callback([&chosen, options] { chosen = [options] { return verify(*options); }; });
}

}  // namespace kbeval::cli
