#include "judge/reference_bench.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "judge/stages.h"
#include "stats/descriptive.h"
#include "stats/random.h"
#include "timing/gpu_watch.h"

namespace kbeval {

namespace {

constexpr double ready_seconds = 120;  ///< many start at once
constexpr int answers_to_compile = 5;  ///< build, construct, attach, sync_weights, compile
constexpr std::size_t max_note_bytes = 500;
constexpr double max_slot_bytes = 16e9;  ///< beside the other references that are being prepared

BenchOptions options_for(const Device& device, std::filesystem::path scratch) {
    BenchOptions options;
    options.device = device.kind() == "cuda" ? 0 : -1;  // the host sees only this GPU
    options.scratch = std::move(scratch);
    return options;
}

std::string short_text(const std::string& text) {
    return to_valid_utf8(text).substr(0, max_note_bytes);
}

}  // namespace

ReferenceBench::ReferenceBench(Host& host, Device& device, std::filesystem::path scratch,
                               LoadedProblem problem, Size size, std::uint64_t seed,
                               const BaselineSettings& settings)
    : device_(device),
      bench_(host, options_for(device, std::move(scratch))),
      problem_(std::move(problem)),
      size_(size),
      settings_(settings) {
    baseline_.problem = problem_.problem.id;
    baseline_.problem_digest = problem_.digest;
    baseline_.size = to_string(size);
    baseline_.seed = seed;
    for (const auto& [name, version] : host.versions()) {
        baseline_.facts.emplace_back(name, version);
    }
}

void ReferenceBench::start() {
    bench_.start("oracle");
    bench_.start("eager");
    if (settings_.compile_timeout > 0) {
        bench_.start("compiled");
    } else {
        baseline_.compile_note = "left out";
    }
}

void ReferenceBench::begin() {
    for (const char* role : {"oracle", "eager"}) {
        bench_.runner(role).await_ready(ready_seconds);
    }
    const nlohmann::json& overrides = problem_.problem.overrides(size_);
    init_args_ = bench_.load_problem(problem_, overrides);
    const protocol::Build build{problem_.source, problem_.problem.file.string(), overrides};
    const protocol::Construct construct{init_args_,
                                        stream(static_cast<std::uint64_t>(SeedStream::construct), 0)};
    bench_.runner("eager").post(build);
    bench_.runner("eager").post(construct);
    if (!bench_.has("compiled")) {
        return;
    }
    try {
        bench_.runner("compiled").await_ready(ready_seconds);
        bench_.runner("compiled").post(build);
        bench_.runner("compiled").post(construct);
    } catch (const RunnerFailure& failure) {
        stop_compiling(failure.what());
    }
}

void ReferenceBench::prepare() {
    bench_.draw_weights(stream(static_cast<std::uint64_t>(SeedStream::weights), 0));
    const auto first_inputs = stream(static_cast<std::uint64_t>(SeedStream::timing), 0);
    bench_.plan_inputs(first_inputs);
    bench_.allocate(first_slot + 1);
    bench_.draw_inputs({first_slot}, {first_inputs});
    Runner& eager = bench_.runner("eager");
    eager.await(reference_seconds);  // build
    eager.await(reference_seconds);  // construct
    bench_.attach("eager", reference_seconds);
    eager.request(protocol::SyncWeights{}, reference_seconds);
    const Answer probe = eager.request(protocol::Probe{first_slot}, reference_seconds);
    bench_.define_outputs(probe.result, subjects());
    bench_.allocate(first_slot + 1);
    bench_.attach("eager", reference_seconds);
    if (!bench_.has("compiled")) {
        return;
    }
    try {
        Runner& compiled = bench_.runner("compiled");
        bench_.post_attach("compiled");
        compiled.post(protocol::SyncWeights{});
        compiled.post(protocol::Compile{first_slot});
        answers_due_ = answers_to_compile;
        compile_start_ = SteadyClock::now();
    } catch (const RunnerFailure& failure) {
        stop_compiling(failure.what());
    }
}

bool ReferenceBench::still_compiling() {
    if (!bench_.has("compiled")) {
        return false;
    }
    try {
        Runner& compiled = bench_.runner("compiled");
        while (answers_due_ > 0 && compiled.answered()) {
            const Answer answer = compiled.await(1);
            if (--answers_due_ == 0) {
                baseline_.compile_seconds = answer.seconds;
            }
        }
    } catch (const RunnerFailure& failure) {
        stop_compiling("torch.compile failed: " + std::string(failure.what()));
        return false;
    }
    if (answers_due_ > 0 && seconds_since(compile_start_) > settings_.compile_timeout) {
        stop_compiling("torch.compile took longer than " + compact(settings_.compile_timeout) + " s");
    }
    return answers_due_ > 0;
}

void ReferenceBench::stop_compiling(const std::string& reason) {
    baseline_.compile_note = short_text(reason);
    baseline_.compile_seconds.reset();
    answers_due_ = 0;
    for (BaselineRound& round : baseline_.rounds) {
        round.compile_ms.clear();
    }
    if (bench_.has("compiled")) {
        bench_.runner("compiled").end();
        bench_.stop("compiled");
    }
}

void ReferenceBench::measure() {
    const auto start = SteadyClock::now();
    plan();
    baseline_.eager_peak_bytes = peak_memory("eager");
    if (bench_.has("compiled")) {
        try {
            baseline_.compile_peak_bytes = peak_memory("compiled");
        } catch (const RunnerFailure& failure) {
            stop_compiling(std::string("torch.compile failed in a later forward: ") + failure.what());
        }
    }
    GpuWatch watch(device_.sample());
    const auto timing = SteadyClock::now();
    for (int number = 0; !tight(); ++number) {
        const auto rounds = static_cast<int>(baseline_.rounds.size());
        if (rounds >= settings_.min_rounds &&
            (seconds_since(timing) > settings_.seconds || rounds * plan_.timed >= settings_.max_pairs)) {
            break;
        }
        one_round(number);
        if (number == 0) {
            compare();
        }
        if (watch.spoiled(device_.sample())) {
            baseline_.rounds.pop_back();
        }
    }
    summarize(baseline_);
    if (watch.spoiled_rounds() > 0) {
        baseline_.facts.emplace_back("gpu_watch", watch.text());
    }
    if (const auto state = device_.sample()) {
        baseline_.facts.emplace_back("sm_mhz", std::to_string(state->sm_mhz));
        baseline_.facts.emplace_back("temperature_c", std::to_string(state->temperature_c));
        baseline_.facts.emplace_back("throttle_reasons", std::to_string(state->throttle_reasons));
    }
    baseline_.seconds = seconds_since(start);
}

std::vector<std::string> ReferenceBench::subjects() const {
    std::vector<std::string> names{"eager"};
    if (bench_.has("compiled")) {
        names.emplace_back("compiled");
    }
    return names;
}

std::uint64_t ReferenceBench::stream(std::uint64_t number, std::uint64_t index) const {
    return derive_seed(baseline_.seed, number, index) >> 1U;  // fits signed 64 bits
}

/// Device times of a subject's timed forwards, after its untimed ones.
std::vector<double> ReferenceBench::block(const std::string& subject, int warm,
                                          const std::vector<int>& slots) {
    Runner& runner = bench_.runner(subject);
    const Answer answer = runner.request(
        protocol::TimeBlock{first_slot, warm, slots, settings_.head_start_us, 0}, reference_seconds);
    return protocol::block_times_from(answer.result, slots.size()).device_ms;
}

void ReferenceBench::plan() {
    BlockGoal goal;
    goal.forward_ms = median(block("eager", 2, {first_slot, first_slot}));
    goal.block_ms = settings_.block_ms;
    goal.warm_ms = settings_.warm_ms;
    goal.min_rounds = settings_.min_rounds;
    goal.max_pairs = settings_.max_pairs;
    goal.slot_bytes = bench_.slot_bytes();
    goal.memory_bytes = std::min(slot_memory_share * bench_.free_bytes(), max_slot_bytes);
    plan_ = plan_block(goal);
    for (int i = 0; i < plan_.timed; ++i) {
        slots_.push_back(first_slot + 1 + i);
    }
    bench_.allocate(first_slot + 1 + plan_.timed);
    for (const std::string& subject : subjects()) {
        bench_.attach(subject, reference_seconds);
    }
}

void ReferenceBench::one_round(int number) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        seeds.push_back(stream(static_cast<std::uint64_t>(SeedStream::timing),
                               static_cast<std::uint64_t>(number + 1) * 4096 + i));
    }
    bench_.draw_inputs(slots_, seeds);
    BaselineRound round;
    std::vector<std::string> order = subjects();
    if (number % 2 == 1) {
        std::reverse(order.begin(), order.end());  // ABBA: a drift of clocks or temperature cancels
    }
    for (const std::string& subject : order) {
        if (subject == "eager") {
            round.eager_ms = block(subject, plan_.warm, slots_);
            continue;
        }
        try {
            round.compile_ms = block(subject, plan_.warm, slots_);
        } catch (const RunnerFailure& failure) {
            stop_compiling("torch.compile failed while it was timed: " + std::string(failure.what()));
        }
    }
    baseline_.rounds.push_back(std::move(round));
}

void ReferenceBench::compare() {
    if (!bench_.has("compiled")) {
        return;
    }
    double worst = 0;
    bool differs = false;
    for (const auto& c : bench_.compare("compiled", slots_, problem_.problem.atol, problem_.problem.rtol)) {
        worst = std::max(worst, c.max_abs);
        differs = differs || c.mismatches > 0;
    }
    baseline_.max_abs_diff = worst;
    if (differs) {
        baseline_.compile_note =
            "does not agree with eager at the problem's tolerance (max_abs_diff=" + significant(worst, 4) +
            ")";
    }
}

bool ReferenceBench::tight() const {
    if (static_cast<int>(baseline_.rounds.size()) < settings_.min_rounds) {
        return false;
    }
    Baseline now = baseline_;
    summarize(now);
    const auto narrow = [this](const std::optional<Interval>& i) {
        return !i || (i->high - i->low) / 2 / i->estimate <= settings_.target_half_width;
    };
    return narrow(now.eager_ms) && narrow(now.compile_ms);
}

std::optional<double> ReferenceBench::peak_memory(const std::string& subject) {
    const Answer answer = bench_.runner(subject).request(protocol::PeakMemory{first_slot}, reference_seconds);
    const auto& bytes = answer.result.at("bytes");
    return bytes.is_null() ? std::nullopt : std::optional<double>(bytes.get<double>());
}

}  // namespace kbeval
