#include "cli/problems.h"

#include <cstdio>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"
#include "problem/problem.h"
#include "problem/roofline.h"
#include "problem/shapes.h"

namespace kbeval::cli {

namespace {

nlohmann::ordered_json to_json(const Problem& p) {
    return {{"id", p.id},         {"name", p.name},     {"level", p.level},
            {"number", p.number}, {"family", p.family}, {"atol", p.atol},
            {"rtol", p.rtol},     {"tags", p.tags},     {"file", p.file.string()},
            {"smoke", p.smoke}};
}

int list(const ProblemFilter& filter, bool json) {
    const Catalogue catalogue(find_layout());
    const auto problems = catalogue.select(filter);
    if (json) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const Problem& p : problems) {
            array.push_back(to_json(p));
        }
        std::cout << array.dump(1) << "\n";
        return exit_success;
    }
    for (const Problem& p : problems) {
        std::printf("%-7s %-14s %-60s %s\n", p.id.c_str(), p.family.c_str(), p.name.c_str(),
                    join(p.tags, " ").c_str());
    }
    if (problems.empty()) {
        std::cerr << "no problem matches\n";
    }
    return exit_success;
}

std::string costs_text(const Problem& p, const GpuPeaks& peaks) {
    if (!p.costs) {
        return "not counted";
    }
    return significant(static_cast<double>(p.costs->flops) / 1e9, 4) + " GFLOP, at least " +
           significant(static_cast<double>(p.costs->least_bytes) / 1e6, 4) +
           " MB moved: " + significant(roofline_ms(*p.costs, peaks), 3) + " ms or more on an " + peaks.name +
           " (" + (memory_bound(*p.costs, peaks) ? "memory" : "compute") + " bound)";
}

int show(const std::string& id, bool json) {
    const auto folder = find_layout().problems();
    const Catalogue catalogue(find_layout());
    const LoadedProblem loaded = Catalogue::load(catalogue.find(id), Size::full);
    const Problem& p = loaded.problem;
    const auto shapes = recorded_shapes(folder, p.id);
    const auto peaks = *peaks_of(default_roofline_gpu);
    if (json) {
        auto object = to_json(p);
        if (p.costs) {
            object["costs"] = kbeval::to_json(*p.costs);
            object["roofline"] = {{"gpu", peaks.name},
                                  {"ms", roofline_ms(*p.costs, peaks)},
                                  {"bound", memory_bound(*p.costs, peaks) ? "memory" : "compute"}};
        }
        object["digest"] = loaded.digest;
        if (shapes) {
            object["inputs"] = shapes->inputs;
            object["init_arguments"] = shapes->init_arguments;
            object["outputs"] = shapes->outputs;
        }
        object["source"] = loaded.source;
        std::cout << object.dump(1) << "\n";
        return exit_success;
    }
    std::cout << p.id << " " << p.name << "\n"
              << "family     " << p.family << "\n"
              << "tolerance  atol=" << compact(p.atol) << " rtol=" << compact(p.rtol) << "\n"
              << "tags       " << join(p.tags, ", ") << "\n"
              << "inputs     " << (shapes ? join(shapes->inputs, ", ") : "not recorded") << "\n"
              << "init       " << (shapes ? shapes->init_arguments : "not recorded") << "\n"
              << "outputs    " << (shapes ? shapes->outputs : "not recorded") << "\n"
              << "costs      " << costs_text(p, peaks) << "\n"
              << "smoke size " << (p.smoke.empty() ? "as full" : p.smoke.dump()) << "\n"
              << "digest     " << loaded.digest << "\n"
              << "file       " << p.file.string() << "\n\n"
              << loaded.source;
    return exit_success;
}

}  // namespace

void add_problems(CLI::App& app, Action& chosen) {
    struct Options {
        ProblemFilter filter;
        std::string id;
        bool json = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* const problems =
        app.add_subcommand("problems", "List and show problems")->require_subcommand(1);
    problems->footer("Example: kbeval problems list --level 2 --family matmul");

    CLI::App* const list_command = problems->add_subcommand("list", "List the problems that kbeval knows");
    list_command->add_option("--level", options->filter.level, "Only this level")->check(CLI::Range(1, 9));
    list_command->add_option("--family", options->filter.family, "Only this family, such as matmul or norm");
    list_command->add_option("--tag", options->filter.tag, "Only problems with this tag");
    list_command->add_flag("--json", options->json, "Print a JSON array");
    list_command->footer("Example: kbeval problems list --tag reduction");
    list_command->callback(
        [&chosen, options] { chosen = [options] { return list(options->filter, options->json); }; });

    CLI::App* const show_command =
        problems->add_subcommand("show", "Show a problem: source, sizes, tolerance, tags");
    show_command->add_option("ID", options->id, "Problem id, such as L2_076")->required();
    show_command->add_flag("--json", options->json, "Print a JSON object");
    show_command->footer("Example: kbeval problems show L2_076");
    show_command->callback(
        [&chosen, options] { chosen = [options] { return show(options->id, options->json); }; });

    add_problems_verify(*problems, chosen);
    add_problems_import(*problems, chosen);
}

}  // namespace kbeval::cli
