#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "judge/exact_oracle.h"
#include "judge/stages.h"
#include "stats/random.h"

namespace kbeval {

namespace {

std::vector<std::int64_t> unravel(std::int64_t index, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> position(shape.size(), 0);
    for (std::size_t d = shape.size(); d-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(shape[d], 1);
        position[d] = index % extent;
        index /= extent;
    }
    return position;
}

std::string number_text(double value) {
    return significant(value, 9);
}

std::string index_text(const std::vector<std::int64_t>& index) {
    std::string text = "[";
    for (std::size_t i = 0; i < index.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
    }
    return text + "]";
}

/// Larger of the two, where NaN is larger than any number.
double larger(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

void keep_worst(Agreement& agreement, const protocol::Comparison& c, const nlohmann::json& specs) {
    const bool first = agreement.worst_index.empty() && agreement.max_abs_diff == 0;
    if (c.numel > 0 && (first || c.mismatches > 0 || c.max_abs >= agreement.max_abs_diff)) {
        const auto shape =
            specs.at(static_cast<std::size_t>(c.output)).at("shape").get<std::vector<std::int64_t>>();
        agreement.output = c.output;
        agreement.worst_index = unravel(std::max<std::int64_t>(c.worst_index, 0), shape);
        agreement.worst_expected = c.worst_expected;
        agreement.worst_actual = c.worst_actual;
    }
    agreement.max_abs_diff = larger(agreement.max_abs_diff, c.max_abs);
    agreement.max_rel_diff = larger(agreement.max_rel_diff, c.max_rel);
    if (c.numel > 0) {
        agreement.share_beyond = std::max(agreement.share_beyond,
                                          static_cast<double>(c.mismatches) / static_cast<double>(c.numel));
    }
}

std::string tolerance_text(const Verdict& v) {
    if (v.atol == v.rtol) {
        return "atol=rtol=" + compact(v.atol);
    }
    return "atol=" + compact(v.atol) + ", rtol=" + compact(v.rtol);
}

std::string mismatch_text(const Verdict& v, const protocol::Comparison& c, const Agreement& a,
                          std::size_t outputs) {
    std::string text =
        "output mismatch beyond " + tolerance_text(v) + ": max_abs_diff=" + significant(c.max_abs, 4) +
        ", max_rel_diff=" + significant(c.max_rel, 4) + "; worst at index " + index_text(a.worst_index);
    if (outputs > 1) {
        text += " of output " + std::to_string(c.output);
    }
    text += ": expected " + number_text(c.worst_expected) + ", got " + number_text(c.worst_actual) + "; " +
            std::to_string(c.mismatches) + " of " + std::to_string(c.numel) + " elements (" +
            significant(100 * a.share_beyond, 3) + " %) beyond tolerance";
    if (c.nonfinite_mismatches > 0) {
        text += ", " + std::to_string(c.nonfinite_mismatches) + " of them NaN or infinite on one side only";
    }
    return text;
}

/// Inputs of a seed: the problem's own, and for every second seed the same scaled and negated, so that
/// nothing can be built on their mean, range or sign. Scaled ones are used only where the reference has
/// finite answers to them.
void draw_seed(StageContext& context, int index) {
    Bench& bench = context.bench;
    const Verdict& verdict = context.verdict;
    const std::vector<int> slots{first_slot};
    const std::vector<std::uint64_t> seeds{
        stage_seed(context.request, SeedStream::correctness, static_cast<std::uint64_t>(index))};
    constexpr std::array<double, 4> scales{1, -0.6171875, 1, 0.4140625};
    double scale = scales[static_cast<std::size_t>(index) % scales.size()];
    bool constant = true;
    while (true) {
        bench.draw_inputs(slots, seeds, {scale});
        bench.poison("eager", slots);
        bench.runner("eager").request(protocol::Forward{first_slot}, reference_seconds);
        const auto [finite, same] = bench.survey(first_slot, verdict.atol, verdict.rtol);
        constant = same;
        if (finite && scale != 1) {
            bench.usable_scales.push_back(scale);
        }
        if (finite || scale == 1) {
            break;
        }
        scale = 1;
    }
    if (index > 0 && index + 1 == verdict.seeds && constant) {
        add_flag(context.verdict, "constant_output: audit");
    }
}

/// One seed: reference, candidate, comparison, inputs.
void check_seed(StageContext& context, ExactOracle& exact, int index, double deadline) {
    Bench& bench = context.bench;
    Verdict& verdict = context.verdict;
    const std::vector<int> slots{first_slot};
    draw_seed(context, index);
    bench.poison("candidate", slots);
    const Answer answer = bench.runner("candidate").request(protocol::Forward{first_slot}, deadline);
    bench.seal("candidate", slots);
    for (const auto& flag : answer.result.at("flags")) {
        add_flag(verdict, flag.get<std::string>());
    }
    exact.measure(first_slot);  // before the comparison, which may end it: who is off matters most then
    require_agreement(context, bench.compare("candidate", slots, verdict.atol, verdict.rtol), "",
                      " (seed " + std::to_string(index + 1) + " of " + std::to_string(verdict.seeds) + ")");
    verdict.agreement->seeds_checked = index + 1;
    if (!bench.inputs_changed(slots).empty()) {
        add_flag(verdict, "inputs_modified");
    }
}

}  // namespace

void redraw_weights(StageContext& context, std::uint64_t index) {
    context.bench.draw_weights(stage_seed(context.request, SeedStream::weights, index), true);
    for (const char* subject : {"eager", "candidate"}) {
        context.bench.runner(subject).request(protocol::SyncWeights{}, reference_seconds);
    }
}

std::uint64_t stage_seed(const EvaluationRequest& request, SeedStream stream, std::uint64_t index) {
    return derive_seed(request.seed, static_cast<std::uint64_t>(stream), index) >> 1U;  // fits signed 64 bits
}

void add_flag(Verdict& verdict, const std::string& flag) {
    const std::string text = to_valid_utf8(flag).substr(0, 200);
    if (verdict.flags.size() < 32 &&
        std::find(verdict.flags.begin(), verdict.flags.end(), text) == verdict.flags.end()) {
        verdict.flags.push_back(text);
    }
}

void require_agreement(StageContext& context, const std::vector<protocol::Comparison>& comparisons,
                       const std::string& before, const std::string& after) {
    Verdict& verdict = context.verdict;
    const auto& specs = context.bench.output_specs();
    if (!verdict.agreement) {
        verdict.agreement.emplace();
    }
    for (const protocol::Comparison& c : comparisons) {
        if (c.mismatches > 0) {
            Agreement failed;
            failed.seeds_checked = verdict.agreement->seeds_checked;
            keep_worst(failed, c, specs);
            verdict.agreement = failed;
            throw Judged(Status::incorrect, before + mismatch_text(verdict, c, failed, specs.size()) + after);
        }
        keep_worst(*verdict.agreement, c, specs);
    }
}

void check_correctness(StageContext& context) {
    const int seeds = context.verdict.seeds;
    const Settings& settings = context.request.settings;
    ExactOracle exact(context);
    for (int i = 0; i < seeds; ++i) {
        context.progress.update("seed " + std::to_string(i + 1) + "/" + std::to_string(seeds));
        if (i > 0 && i == seeds / 2) {
            redraw_weights(context,
                           1);  // a candidate that kept transformed weights computes with stale ones now
        }
        // The first forward compiles Triton kernels.
        check_seed(context, exact, i, i == 0 ? settings.build_timeout : settings.forward_timeout);
    }
    if (seeds == 1) {
        redraw_weights(context, 1);
    }
}

}  // namespace kbeval
