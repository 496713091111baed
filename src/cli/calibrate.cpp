#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/random_id.h"
#include "base/text.h"
#include "calibration/schedule.h"
#include "calibration/summary.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "judge/calibration_run.h"
#include "report/calibration_text.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

constexpr int repeated_identical =
    4;  ///< timings of identical code a problem and pass, under --minutes alone

struct CalibrateOptions {
    EvaluateOptions evaluate;
    std::optional<double> minutes;
    std::optional<int> evaluations;
    std::optional<int> gain_evaluations;
    std::vector<double> gains{0.5, 1, 2};  ///< percent
    std::vector<std::string> problems;
    bool timings = false;
    bool show = false;
};

void print(const CalibrateOptions& o, const Calibration& calibration) {
    if (o.evaluate.json) {
        std::cout << dump_json(to_json(calibration, o.timings), 1) << "\n";
    } else {
        std::cout << calibration_text(calibration);
    }
}

int show_newest(const CalibrateOptions& o) {
    Store store = Store::open(
        o.evaluate.database.empty() ? default_database() : std::filesystem::path(o.evaluate.database),
        Store::Mode::read_only);
    const auto newest = store.newest_calibration("", "", true);
    if (!newest) {
        throw input_error(store.path().string() + ": holds no calibration", "make one: kbeval calibrate");
    }
    print(o, *newest);
    return exit_success;
}

std::vector<CalibrationProblem> chosen_problems(const CalibrateOptions& o, const Session& session) {
    std::vector<CalibrationProblem> chosen;
    const bool cuda = session.device().kind() == "cuda";
    if (o.problems.empty()) {
        chosen = default_problems(cuda);
    }
    for (const std::string& id : o.problems) {
        chosen.push_back({session.problem(id).id, cuda ? Size::full : Size::smoke});
    }
    std::vector<CalibrationProblem> unique;
    for (CalibrationProblem& p : chosen) {
        if (!o.evaluate.size.empty()) {
            p.size = o.evaluate.size == "smoke" ? Size::smoke : Size::full;
        }
        if (std::none_of(unique.begin(), unique.end(),
                         [&p](const auto& u) { return u.id == p.id && u.size == p.size; })) {
            unique.push_back(p);
        }
    }
    return unique;
}

int calibrate_command(const CalibrateOptions& o) {
    if (o.show) {
        return show_newest(o);
    }
    Session session(o.evaluate);
    for (const std::string& id : o.problems) {
        (void)session.problem(id);  // before the device is opened
    }
    session.prepare();
    CalibrationGoal goal;
    goal.problems = chosen_problems(o, session);
    goal.seed = o.evaluate.seed.value_or(random_seed());
    const auto problems = static_cast<int>(goal.problems.size());
    const bool repeat = o.minutes && !o.evaluations;
    goal.identical = repeat ? repeated_identical * problems : o.evaluations.value_or(goal.identical);
    goal.each_gain = o.gain_evaluations.value_or(repeat ? problems : goal.identical / 10);
    for (const double gain : o.gains) {
        goal.gains.push_back(gain / 100);
    }
    const auto progress = make_progress(!o.evaluate.json);
    const CalibrationLimits limits{60 * o.minutes.value_or(0), repeat, goal.seed};
    const std::vector<CalibrationCell> cells = schedule(goal);
    std::size_t begun = 0;
    const TimeCell time_cell = [&](const CalibrationProblem& problem, const std::vector<SelfTiming>& timings,
                                   const std::function<bool(const SelfTimingResult&)>& done) {
        progress->stage("calibrate " + problem.id + " (" + std::to_string(++begun) + ". of " +
                        (repeat ? "as many as fit" : std::to_string(cells.size())) + ")");
        session.time_against_itself(session.problem(problem.id), problem.size, timings, *progress, done);
        progress->done();
    };
    Calibration calibration = run_calibration(cells, limits, time_cell);
    progress->finish();
    session.record(calibration);
    print(o, calibration);
    if (!o.evaluate.json) {
        std::cout << "\nstored in " << session.database().string() << " (kbeval calibrate --show)\n";
    }
    return exit_success;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& chosen) {
    CLI::App* const command = app.add_subcommand(
        "calibrate", "Measure the judge itself: references against themselves, and known gains");
    const auto o = std::make_shared<CalibrateOptions>();
    command->add_option("--minutes", o->minutes, "Stop after so long; alone: make as many timings as fit")
        ->check(CLI::Range(0.05, 1440.0));
    command->add_option("--evaluations", o->evaluations, "Timings of identical code (default: 200)")
        ->check(CLI::Range(1, 100000));
    command->add_option("--gains", o->gains, "Known gains to detect, in percent, separated by commas")
        ->delimiter(',')
        ->check(CLI::Range(0.01, 100.0))
        ->capture_default_str();
    command
        ->add_option("--gain-evaluations", o->gain_evaluations,
                     "Timings of each known gain, 0 for none (default: a tenth of --evaluations)")
        ->check(CLI::Range(0, 100000));
    command->add_option("--problems", o->problems, "Problem ids (default: a spread from 50 us to 50 ms)")
        ->delimiter(',');
    add_machine_options(*command, o->evaluate);
    command->add_option("--seed", o->evaluate.seed, "Base seed of inputs and order (default: random)");
    command->add_flag("--json", o->evaluate.json, "Print a JSON object and nothing else");
    command->add_flag("--timings", o->timings, "With --json: every timing too");
    command->add_flag("--show", o->show, "Print the newest stored calibration and measure nothing");
    command->footer(
        "Examples:\n"
        "  kbeval calibrate --minutes 8\n"
        "  kbeval calibrate --device cpu --evaluations 8 --gain-evaluations 0 --problems L1_088,L2_076\n"
        "Exit status: 0 measured and stored, 2 bad usage or input, 3 infrastructure failed.");
    command->callback([&chosen, o] { chosen = [o] { return calibrate_command(*o); }; });
}

}  // namespace kbeval::cli
