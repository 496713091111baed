#include <algorithm>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "base/text.h"
#include "judge/fairness.h"
#include "judge/stages.h"
#include "judge/timing_rounds.h"
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
        conclude();
        time_reference_alone();
    }

  private:
    [[nodiscard]] double left() const { return settings_.time_budget - seconds_since(start_); }

    [[noreturn]] void out_of_time() const {
        throw Judged(Status::timeout, "timing exceeded " + compact(settings_.time_budget) + "s after " +
                                          std::to_string(pairs()) + " trials");
    }

    /// With a `round`, its inputs are drawn between the untimed forwards and the timed ones.
    SubjectBlock run_block(const std::string& subject, int warm, const std::vector<int>& slots,
                           int round = -1, double limit = std::numeric_limits<double>::infinity()) {
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
        TimingRound round;
        for (const std::string& subject : order) {
            bench_.poison(subject, slots_);
            bench_.hide_inputs(slots_);
            SubjectBlock block = timed_block(subject, number);
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
    SubjectBlock timed_block(const std::string& subject, int round) {
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
        for (TimingRound& round : rounds_) {
            round.compiled.reset();
        }
    }

    void compare(const TimingRound& round) {
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
                compiled_off_by_ = std::max(compiled_off_by_.value_or(0), c.max_abs);
            }
        }
    }

    [[nodiscard]] int pairs() const { return static_cast<int>(rounds_.size()) * plan_.timed; }

    [[nodiscard]] bool enough() const {
        return static_cast<int>(rounds_.size()) >= settings_.min_rounds && pairs() >= settings_.min_pairs;
    }

    bool finished() {
        const double spent = seconds_since(start_);
        if (enough()) {
            const Interval sampled = ratio_of_medians(paired_rounds(rounds_), bootstrap_seed());
            interval_ = widened(sampled, shorter_ms(rounds_), settings_.process_spread);
            clock_ = read_judge_clock(block_pairs(rounds_), judge_seed(), context_.device.kind() == "cuda");
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

    void conclude() {
        conclude_times(verdict_, rounds_, *interval_);
        conclude_clocks(verdict_, rounds_, *clock_);
        conclude_compiled(verdict_, rounds_, compiled_off_by_);
        if (trials_uneven(paired_rounds(rounds_))) {  // the candidate's trials among themselves
            add_flag(verdict_, "uneven_trials");
        }
        if (watch_.spoiled_rounds() > 0) {
            verdict_.notes.push_back(watch_.text());
        }
        if (watch_.gave_up()) {
            add_flag(verdict_, "gpu_throttled");
        }
    }

    /// A candidate can look fast by making the reference slow (work left on the GPU, a thread that eats the
    /// memory's bandwidth). So where it looks fast it is ended, and the reference is timed again alone.
    void time_reference_alone() {
        if (context_.calibrating || *verdict_.speedup_lo95 <= 1) {
            return;
        }
        bench_.runner("candidate").end();
        std::vector<double> alone;
        for (int i = 0; i < blocks_alone && left() > 0; ++i) {
            const SubjectBlock block = run_block("eager", plan_.warm, slots_, attempts_++);
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
    std::vector<TimingRound> rounds_;
    std::optional<Interval> interval_;
    std::optional<JudgeClock> clock_;
    int attempts_ = 0;
    std::optional<double> compiled_off_by_;  ///< where it doesn't agree with the reference: max_abs
};

}  // namespace

void time_subjects(StageContext& context) {
    TimingStage(context).run();
}

}  // namespace kbeval
