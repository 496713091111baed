#include "judge/bench.h"

#include <sys/stat.h>

#include <numeric>

#include "base/error.h"
#include "judge/stages.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {
/// The oracle is ours: this only bounds a hang of the machine.
constexpr double oracle_seconds = 600;
/// A killed process whose GPU work can't be interrupted takes a while to go.
constexpr double leaving_seconds = 30;
}  // namespace

Bench::Bench(Host& host, BenchOptions options) : host_(host), options_(std::move(options)) {}

Runner& Bench::start(const std::string& role) {
    const fs::path scratch = (role == "candidate" ? options_.candidate_scratch : options_.scratch) / role;
    fs::create_directories(scratch);
    nlohmann::json config{{"device", options_.device}, {"scratch", scratch.string()}};
    if (options_.device < 0) {
        config["threads"] = 1;  // times of several threads depend on who else uses the cores
    }
    if (role == "candidate") {
        ::chmod(scratch.c_str(), 0777);  // the sandbox may give it another user; the folder above is closed
        config["env"] = options_.candidate_environment;
        if (!options_.sandbox.is_null()) {
            config["sandbox"] = options_.sandbox;
            config["sandbox"]["rw_paths"] = {scratch.string()};
            config["sandbox"]["cwd"] = scratch.string();
            config["sandbox"]["env"] = options_.candidate_environment;
        }
    }
    auto runner = std::make_unique<Runner>(host_, role, config);
    return *(runners_[role] = std::move(runner));
}

void Bench::stop(const std::string& role) {
    const auto found = runners_.find(role);
    if (found != runners_.end()) {
        leaving_.push_back(std::move(found->second));
        runners_.erase(found);
        leaving_.back()->kill();
    }
    known_.erase(role);
}

void Bench::await_leaving() {
    for (const auto& runner : leaving_) {
        runner->await_exit(leaving_seconds);
    }
    leaving_.clear();
}

void Bench::change_candidate(const fs::path& scratch, nlohmann::json sandbox,
                             std::map<std::string, std::string> environment) {
    stop("candidate");
    options_.candidate_scratch = scratch;
    options_.sandbox = std::move(sandbox);
    options_.candidate_environment = std::move(environment);
}

void Bench::clear_outputs() {
    if (!outputs_.is_null() && slots_ > 0) {
        std::vector<int> all(static_cast<std::size_t>(slots_));
        std::iota(all.begin(), all.end(), 0);
        for (const std::string& subject : subjects_) {
            poison(subject, all);
        }
    }
}

Answer Bench::ask_oracle(const nlohmann::json& body) {
    oracle().post_body(body);
    Answer answer = oracle().await(oracle_seconds);
    keep_regions(answer);
    return answer;
}

void Bench::keep_regions(Answer& answer) {
    if (!answer.result.contains("regions")) {
        return;
    }
    std::size_t next_fd = 0;
    for (const auto& description : answer.result["regions"]) {
        Region region{description, {}};
        if (description.at("handle").get<std::string>().empty() && next_fd < answer.fds.size()) {
            region.fd = std::move(answer.fds[next_fd++]);
        }
        regions_.push_back(std::move(region));
    }
}

nlohmann::json Bench::load_problem(const LoadedProblem& problem, const nlohmann::json& overrides) {
    return ask_oracle(protocol::body(
                          protocol::LoadProblem{problem.source, problem.problem.file.string(), overrides}))
        .result.at("init_args");
}

void Bench::draw_weights(std::uint64_t seed, bool vary) {
    weights_ = ask_oracle(protocol::body(protocol::DrawWeights{seed, vary})).result.at("weights");
}

void Bench::plan_inputs(std::uint64_t seed) {
    const Answer answer = ask_oracle(protocol::body(protocol::PlanInputs{seed}));
    inputs_ = answer.result.at("inputs");
    slot_bytes_ = answer.result.at("slot_bytes").get<double>();
    free_bytes_ = answer.result.at("free_bytes").get<double>();
}

void Bench::define_outputs(const nlohmann::json& probe, const std::vector<std::string>& subjects) {
    outputs_ = probe.at("outputs");
    subjects_ = subjects;
    slot_bytes_ += probe.at("slot_bytes").get<double>() * static_cast<double>(subjects.size());
}

void Bench::allocate(int count) {
    if (count > slots_) {
        ask_oracle(protocol::body(protocol::Allocate{count}));
        slots_ = count;
    }
    if (!outputs_.is_null()) {
        ask_oracle(protocol::body(protocol::AllocateOutputs{outputs_, count, subjects_}));
    }
}

void Bench::draw_inputs(const std::vector<int>& slots, const std::vector<std::uint64_t>& seeds,
                        std::vector<double> scales) {
    scales.resize(slots.size(), 1);
    ask_oracle(protocol::body(protocol::DrawInputs{slots, seeds, std::move(scales)}));
}

void Bench::hide_inputs(const std::vector<int>& slots) {
    poison("inputs", slots);
}

void Bench::seal(const std::string& subject, const std::vector<int>& slots) {
    ask_oracle(protocol::body(protocol::Seal{subject, slots}));
}

std::pair<bool, bool> Bench::survey(int slot, double atol, double rtol) {
    const Answer answer = ask_oracle(protocol::body(protocol::Survey{slot, atol, rtol}));
    return {answer.result.at("finite").get<bool>(), answer.result.at("constant").get<bool>()};
}

void Bench::poison(const std::string& subject, const std::vector<int>& slots) {
    ask_oracle(protocol::body(protocol::Poison{subject, slots}));
}

std::vector<protocol::Comparison> Bench::compare(const std::string& subject, const std::vector<int>& slots,
                                                 double atol, double rtol) {
    const Answer answer = ask_oracle(protocol::body(protocol::Compare{"eager", subject, slots, atol, rtol}));
    if (!answer.result.at("late").empty()) {
        throw Judged(Status::incorrect,
                     "the outputs of the " + subject +
                         " changed after its forward had been answered: work was left running");
    }
    std::vector<protocol::Comparison> comparisons;
    for (const auto& item : answer.result.at("comparisons")) {
        comparisons.push_back(protocol::comparison_from(item));
    }
    return comparisons;
}

std::vector<protocol::ExactError> Bench::compare_exact(const std::vector<std::string>& subjects, int slot) {
    const Answer answer = ask_oracle(protocol::body(protocol::CompareExact{subjects, slot}));
    std::vector<protocol::ExactError> errors;
    for (const auto& item : answer.result.at("errors")) {
        errors.push_back(protocol::exact_error_from(item));
    }
    return errors;
}

std::vector<int> Bench::inputs_changed(const std::vector<int>& slots) {
    return ask_oracle(protocol::body(protocol::InputsChanged{slots}))
        .result.at("changed")
        .get<std::vector<int>>();
}

bool Bench::post_attach(const std::string& subject) {
    Known& known = known_[subject];
    protocol::Attach message;
    std::vector<int> fds;
    for (; known.regions < regions_.size(); ++known.regions) {
        const Region& region = regions_[known.regions];
        const auto name = region.description.at("name").get<std::string>();
        // A subject never opens another's outputs: that is where the expected values are.
        if (name == "weights" || name == "inputs" || name == "outputs/" + subject) {
            message.regions.push_back(region.description);
            if (region.fd.valid()) {
                fds.push_back(region.fd.get());
            }
        }
    }
    const auto tell = [](bool& told, const nlohmann::json& what, nlohmann::json& field) {
        if (!told && !what.is_null()) {
            field = what;
            told = true;
        }
    };
    tell(known.weights, weights_, message.weights);
    tell(known.inputs, inputs_, message.inputs);
    tell(known.outputs, outputs_, message.outputs);
    if (message.regions.empty() && message.weights.empty() && message.inputs.empty() &&
        message.outputs.empty()) {
        return false;
    }
    runner(subject).post(message, fds);
    return true;
}

void Bench::attach(const std::string& subject, double seconds) {
    runner(subject).begin_turn();
    if (post_attach(subject)) {
        runner(subject).await(seconds);
    }
    runner(subject).end_turn();
}

}  // namespace kbeval
