#include "inspect/verification.h"

#include "base/error.h"
#include "base/file.h"

namespace kbeval {

namespace {
constexpr std::size_t max_facts_bytes = 64 << 20;
}  // namespace

nlohmann::json read_facts(const std::filesystem::path& file) {
    auto facts = nlohmann::json::parse(read_file(file, max_facts_bytes), nullptr, false);
    bool good = facts.is_object();
    for (const auto& entry : facts) {
        good = good && entry.is_object();
    }
    if (!good) {
        throw input_error(file.string() + ": must be a JSON object of problem ids and their facts");
    }
    return facts;
}

std::vector<Verification> verify_problems(const Layout& layout, const std::vector<Problem>& problems,
                                          const nlohmann::json& facts, const InspectionOptions& options) {
    std::vector<Verification> results;
    std::vector<InspectionTask> tasks;
    std::vector<std::size_t> place;  // of the task's result
    for (const Problem& problem : problems) {
        results.push_back({problem.id, {}});
        if (!facts.contains(problem.id)) {
            results.back().differences.emplace_back("not among the recorded facts");
            continue;
        }
        tasks.push_back({problem.file.string(), problem.name, problem.level,
                         Catalogue::load(problem, Size::full).source, facts[problem.id]});
        place.push_back(results.size() - 1);
    }
    const auto inspections = inspect_problems(layout, tasks, options);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto& differences = results[place[i]].differences;
        if (inspections[i].ok) {
            differences = inspections[i].differences;
        } else {
            differences.push_back(inspections[i].stage + ": " + inspections[i].reason);
        }
    }
    return results;
}

}  // namespace kbeval
