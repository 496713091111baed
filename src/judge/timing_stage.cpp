#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/clock.h"
#include "base/text.h"
#include "judge/fairness.h"
#include "judge/stages.h"
#include "stats/bootstrap.h"
#include "stats/descriptive.h"
#include "timing/gpu_watch.h"
#include "timing/judge_clock.h"
#include "timing/plan.h"
#include "timing/process_spread.h"

namespace kbeval {

namespace {

constexpr double compiled_block_seconds = 60;
constexpr int blocks_alone = 4;  ///< of the reference after the candidate's end; the first is not looked at
constexpr int doubt_factor = 4;  ///< so many times the pairs where the clocks differ in what they can tell
constexpr double handicap_base_us = 5;  ///< spin of both sides, so that launching one costs both alike

/// One block as the subject's clock and the judge's saw it.
struct Block {
    protocol::BlockTimes times;
    double wall_ms = 0;
};

struct Round {
    Block eager;
    Block candidate;
    std::optional<Block> compiled;
};

/// The timing stage: plans blocks, runs rounds until the interval is tight, and draws the conclusions.
class TimingStage {
  public:
    explicit TimingStage(StageContext& context)
        : context_(context),
          bench_(context.bench),
          verdict_(context.verdict),
          settings_(context.request.settings),
          start_(SteadyClock::now()),
          watch_(context.device.sample()) {}

    void run() {
        if (bench_.runner("candidate").keeps_frozen()) {
            bench_.runner("eager").keep_frozen();  // what waking up costs, it costs both
        }
        pilot();
        while (!finished()) {
            one_round();
            report();
        }
        conclude_times();
        conclude_clocks();
        conclude_compiled();
        conclude_evenness();
        conclude_reference();
    }

  private:
    [[nodiscard]] double left() const { return settings_.time_budget - seconds_since(start_); }

    [[noreturn]] void out_of_time() const {
        throw Judged(Status::timeout, "timing exceeded " + compact(settings_.time_budget) + "s after " +
                                          std::to_string(pairs()) + " trials");
    }

    /// With a `round`, its inputs are drawn between the untimed forwards and the timed ones.
    Block run_block(const std::string& subject, int warm, const std::vector<int>& slots, int round = -1,
                    double limit = std::numeric_limits<double>::infinity()) {
        Runner& runner = bench_.runner(subject);
        if (left() <= 0) {
            out_of_time();
        }
        runner.request(protocol::TimeBlock{first_slot, warm, {}, 0, 0}, std::min(left(), limit));
        if (round >= 0) {
            draw(round);  // only now: a forward that wasn't timed can't have worked on these inputs
        }
        const Answer answer = runner.request(
            protocol::TimeBlock{first_slot, 0, slots, settings_.head_start_us, spin_us(subject)},
            std::clamp(left(), 0.001, limit));
        return {protocol::block_times_from(answer.result, slots.size()), answer.wall_ms};
    }

    /// Calibration slows the reference on purpose; else nobody spins.
    [[nodiscard]] double spin_us(const std::string& subject) const {
        if (context_.gain <= 0) {
            return 0;
        }
        return handicap_base_us + (subject == "eager" ? context_.handicap_us : 0);
    }

    /// Rough times of one forward, then slots and block lengths from them.
    void pilot() {
        const double eager = median(run_block("eager", 2, {first_slot, first_slot}).times.device_ms);
        const double candidate = median(run_block("candidate", 2, {first_slot, first_slot}).times.device_ms);
        context_.handicap_us = context_.gain * eager * 1000;
        BlockGoal goal;
        goal.forward_ms = std::max(eager, candidate);
        goal.block_ms = settings_.block_ms;
        goal.warm_ms = settings_.warm_ms;
        goal.min_rounds = settings_.min_rounds;
        goal.max_pairs = settings_.max_pairs;
        goal.slot_bytes = bench_.slot_bytes();
        goal.memory_bytes = slot_memory_share * bench_.free_bytes();
        plan_ = plan_block(goal);
        for (int i = 0; i < plan_.timed; ++i) {
            slots_.push_back(first_slot + 1 + i);
        }
        bench_.allocate(first_slot + 1 + plan_.timed);
        for (const std::string& subject : subjects()) {
            bench_.attach(subject, settings_.forward_timeout);
        }
    }

    [[nodiscard]] std::vector<std::string> subjects() const {
        std::vector<std::string> names{"eager", "candidate"};
        if (bench_.has("compiled")) {
            names.emplace_back("compiled");
        }
        return names;
    }

    void draw(int round) {
        std::vector<std::uint64_t> seeds;
        std::vector<double> scales;
        const std::vector<double>& usable = bench_.usable_scales;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            const std::size_t forward = static_cast<std::size_t>(round) * slots_.size() + i;
            seeds.push_back(stage_seed(context_.request, SeedStream::timing,
                                       static_cast<std::uint64_t>(round) * 4096 + i));
            const bool scaled = forward % 3 == 1 && !usable.empty();
            scales.push_back(scaled ? usable[forward / 3 % usable.size()] : 1);
        }
        bench_.draw_inputs(slots_, seeds, scales);
    }

    /// Every subject's block on the same fresh inputs; the order turns round every time (ABBA), so that a
    /// drift of clocks or temperature cancels. A round that the GPU spoiled is measured again.
    void one_round() {
        const int number = attempts_++;
        if (number == settings_.min_rounds / 2) {
            redraw_weights(context_, 2);  // what was kept of the old ones is stale
            if (bench_.has("compiled")) {
                bench_.runner("compiled").request(protocol::SyncWeights{}, reference_seconds);
            }
        }
        std::vector<std::string> order = subjects();
        if (number % 2 == 1) {
            std::reverse(order.begin(), order.end());
        }
        Round round;
        for (const std::string& subject : order) {
            bench_.poison(subject, slots_);
            bench_.hide_inputs(slots_);
            Block block = timed_block(subject, number);
            if (subject == "candidate") {
                bench_.seal(subject, slots_);
                if (!bench_.inputs_changed(slots_).empty()) {
                    add_flag(verdict_, "inputs_modified");
                }
                round.candidate = std::move(block);
            } else if (subject == "eager") {
                round.eager = std::move(block);
            } else if (bench_.has("compiled")) {
                round.compiled = std::move(block);
            }
        }
        compare(round);
        if (!watch_.spoiled(context_.device.sample())) {
            rounds_.push_back(std::move(round));
        }
    }

    /// The compiled reference's troubles never cost the verdict: it leaves the race.
    Block timed_block(const std::string& subject, int round) {
        if (subject != "compiled") {
            return run_block(subject, plan_.warm, slots_, round);
        }
        try {
            return run_block(subject, plan_.warm, slots_, round, compiled_block_seconds);
        } catch (const RunnerFailure& failure) {
            drop_compiled(failure.what());
            return {};
        }
    }

    void drop_compiled(const std::string& reason) {
        verdict_.compile_note = "torch.compile of the reference failed while it was timed: " + reason;
        bench_.stop("compiled");
        for (Round& round : rounds_) {
            round.compiled.reset();
        }
    }

    void compare(const Round& round) {
        const auto kept =
            verdict_.agreement;  // how many trials there are varies; the figures are to be repeatable
        require_agreement(context_, bench_.compare("candidate", slots_, verdict_.atol, verdict_.rtol),
                          "outputs produced during timing do not match the reference: ", "");
        verdict_.agreement = kept;
        for (const std::string& flag : round.candidate.times.flags) {
            add_flag(verdict_, flag);
        }
        if (!bench_.has("compiled")) {
            return;
        }
        for (const auto& c : bench_.compare("compiled", slots_, verdict_.atol, verdict_.rtol)) {
            if (c.mismatches > 0) {
                compiled_differs_ = true;
                compiled_max_abs_ = std::max(compiled_max_abs_, c.max_abs);
            }
        }
    }

    [[nodiscard]] int pairs() const { return static_cast<int>(rounds_.size()) * plan_.timed; }

    [[nodiscard]] bool enough() const {
        return static_cast<int>(rounds_.size()) >= settings_.min_rounds && pairs() >= settings_.min_pairs;
    }

    [[nodiscard]] std::vector<PairedRound> paired() const {
        std::vector<PairedRound> all;
        for (const Round& round : rounds_) {
            all.push_back({round.eager.times.device_ms, round.candidate.times.device_ms});
        }
        return all;
    }

    bool finished() {
        const double spent = seconds_since(start_);
        if (enough()) {
            const Interval sampled = ratio_of_medians(paired(), bootstrap_seed());
            interval_ = widened(sampled, shorter_ms(), settings_.process_spread);
            clock_ = read_judge_clock(blocks(), judge_seed(), context_.device.kind() == "cuda");
            const double half = (sampled.high - sampled.low) / 2 / sampled.estimate;
            const bool tight = half <= settings_.target_half_width && !doubted();
            const double next = spent / static_cast<double>(rounds_.size());
            const int most = settings_.max_pairs * (doubted() ? doubt_factor : 1);
            return tight || pairs() + plan_.timed > most || spent + next > settings_.time_budget;
        }
        if (left() <= 0) {
            out_of_time();
        }
        return false;
    }

    /// Median time of the faster side.
    [[nodiscard]] double shorter_ms() const {
        std::vector<double> eager;
        std::vector<double> candidate;
        for (const Round& round : rounds_) {
            eager.insert(eager.end(), round.eager.times.device_ms.begin(), round.eager.times.device_ms.end());
            candidate.insert(candidate.end(), round.candidate.times.device_ms.begin(),
                             round.candidate.times.device_ms.end());
        }
        return std::min(median(eager), median(candidate));
    }

    [[nodiscard]] std::uint64_t bootstrap_seed() const {
        return stage_seed(context_.request, SeedStream::bootstrap, 0);
    }

    [[nodiscard]] std::uint64_t judge_seed() const {
        return stage_seed(context_.request, SeedStream::bootstrap, 1);
    }

    /// Faster by the finer clock, and not yet surely so by the judge's coarser one: worth more rounds.
    [[nodiscard]] bool doubted() const { return interval_->low > 1 && clock_->speedup.low <= 1; }

    void report() {
        std::string text = std::to_string(pairs()) + " trials";
        if (interval_) {
            text += ", speedup " + significant(interval_->estimate, 4) + " ±" +
                    significant(50 * (interval_->high - interval_->low) / interval_->estimate, 2) + " %";
        }
        context_.progress.update(text);
    }

    void conclude_times() {
        std::vector<double> eager;
        std::vector<double> candidate;
        std::vector<double> ratios;
        for (std::size_t r = 0; r < rounds_.size(); ++r) {
            const Round& round = rounds_[r];
            for (std::size_t i = 0; i < slots_.size(); ++i) {
                Trial trial;
                trial.round = static_cast<int>(r);
                trial.ref_ms = round.eager.times.device_ms[i];
                trial.cand_ms = round.candidate.times.device_ms[i];
                if (round.compiled) {
                    trial.compile_ms = round.compiled->times.device_ms[i];
                }
                eager.push_back(trial.ref_ms);
                candidate.push_back(trial.cand_ms);
                ratios.push_back(trial.ref_ms / trial.cand_ms);
                verdict_.samples.push_back(trial);
            }
        }
        verdict_.trials = pairs();
        verdict_.ref_ms = median(eager);
        verdict_.cand_ms = median(candidate);
        verdict_.speedup = interval_->estimate;
        verdict_.speedup_mean = mean(ratios);
        verdict_.speedup_lo95 = interval_->low;
        verdict_.speedup_hi95 = interval_->high;
        if (watch_.spoiled_rounds() > 0) {
            verdict_.notes.push_back(watch_.text());
        }
        if (watch_.gave_up()) {
            add_flag(verdict_, "gpu_throttled");
        }
    }

    [[nodiscard]] std::vector<BlockPair> blocks() const {
        const auto sum = [](const std::vector<double>& values) {
            return std::accumulate(values.begin(), values.end(), 0.0);
        };
        std::vector<BlockPair> all;
        for (const Round& round : rounds_) {
            all.push_back({static_cast<int>(all.size()), plan_.timed, round.eager.wall_ms,
                           sum(round.eager.times.device_ms), round.candidate.wall_ms,
                           sum(round.candidate.times.device_ms)});
        }
        return all;
    }

    void conclude_clocks() {
        verdict_.blocks = blocks();
        const JudgeClock& clock = *clock_;
        verdict_.judge_speedup = clock.speedup.estimate;
        verdict_.judge_speedup_lo95 = clock.speedup.low;
        verdict_.judge_speedup_hi95 = clock.speedup.high;
        verdict_.conditions.emplace_back("cand_ms_judge_clock", significant(clock.cand_ms, 5));
        if (!clock.agree) {
            add_flag(verdict_, "clock_disagreement");
            verdict_.message = "the candidate's own clock says " + significant(clock.claimed_ms, 4) +
                               " ms a forward, the judge's clock around its blocks " +
                               significant(clock.cand_ms, 4) + " ms (more by over " +
                               significant(clock.noise_ms, 2) + " ms)";
        }
    }

    /// The candidate's trials among themselves.
    void conclude_evenness() {
        if (trials_uneven(paired())) {
            add_flag(verdict_, "uneven_trials");
        }
    }

    void conclude_compiled() {
        std::vector<double> compiled;
        std::vector<double> candidate;
        for (const Round& round : rounds_) {
            if (round.compiled) {
                const auto& c = round.compiled->times.device_ms;
                const auto& k = round.candidate.times.device_ms;
                compiled.insert(compiled.end(), c.begin(), c.end());
                candidate.insert(candidate.end(), k.begin(), k.end());
            }
        }
        if (compiled.empty()) {
            return;
        }
        verdict_.compile_ms = median(compiled);
        if (compiled_differs_) {
            verdict_.compile_note =
                "torch.compile of the reference does not agree with it at this tolerance (max_abs_diff=" +
                significant(compiled_max_abs_, 4) + ")";
            return;
        }
        verdict_.speedup_vs_compile = *verdict_.compile_ms / median(candidate);
    }

    /// A candidate can look fast by making the reference slow (work left on the GPU, a thread that eats the
    /// memory's bandwidth). So where it looks fast it is ended, and the reference is timed again alone.
    void conclude_reference() {
        if (context_.calibrating || *verdict_.speedup_lo95 <= 1) {
            return;
        }
        bench_.runner("candidate").end();
        std::vector<double> alone;
        for (int i = 0; i < blocks_alone && left() > 0; ++i) {
            const Block block = run_block("eager", plan_.warm, slots_, attempts_++);
            if (i > 0) {  // the first may share the GPU with the candidate's teardown
                alone.insert(alone.end(), block.times.device_ms.begin(), block.times.device_ms.end());
            }
        }
        if (alone.empty()) {
            return;
        }
        const double alone_ms = median(alone);
        verdict_.conditions.emplace_back("ref_ms_alone", significant(alone_ms, 5));
        if (reference_slowed(*verdict_.ref_ms, alone_ms, context_.device.kind() == "cuda")) {
            add_flag(verdict_, "reference_slowed");
            verdict_.message = "the reference took " + significant(*verdict_.ref_ms, 4) +
                               " ms beside the candidate and " + significant(alone_ms, 4) +
                               " ms after the candidate's process had ended";
        }
    }

    StageContext& context_;
    Bench& bench_;
    Verdict& verdict_;
    const Settings& settings_;
    SteadyClock::time_point start_;
    GpuWatch watch_;
    BlockPlan plan_;
    std::vector<int> slots_;
    std::vector<Round> rounds_;
    std::optional<Interval> interval_;
    std::optional<JudgeClock> clock_;
    int attempts_ = 0;
    bool compiled_differs_ = false;
    double compiled_max_abs_ = 0;
};

}  // namespace

void time_subjects(StageContext& context) {
    TimingStage(context).run();
}

}  // namespace kbeval
