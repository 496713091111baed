#pragma once

namespace kbeval {

/// The one list of the columns of `evaluation` that are fields of Verdict: calls `f(name, field)` for each in
/// order. Both writing and reading go through it. Lists (flags, stages, ...) have tables of their own.
template <typename AVerdict, typename Function>
void each_column(AVerdict& v, Function&& f) {
    f("id", v.id);
    f("created", v.created);
    f("kind", v.kind);
    f("problem", v.problem);
    f("problem_digest", v.problem_digest);
    f("candidate_digest", v.candidate_digest);
    f("label", v.label);
    f("status", v.status);
    f("message", v.message);
    f("ref_ms", v.ref_ms);
    f("compile_ms", v.compile_ms);
    f("cand_ms", v.cand_ms);
    f("speedup", v.speedup);
    f("speedup_mean", v.speedup_mean);
    f("speedup_lo95", v.speedup_lo95);
    f("speedup_hi95", v.speedup_hi95);
    f("speedup_vs_compile", v.speedup_vs_compile);
    f("compile_note", v.compile_note);
    f("trials", v.trials);
    f("own_kernel_time_frac", v.own_kernel_time_frac);
    f("fast1_raw", v.fast1_raw);
    f("fast1", v.fast1);
    f("success", v.success);
    f("score", v.score);
    f("agreement", v.agreement);
    f("evaluator", v.evaluator);
    f("device", v.device);
    f("gpu", v.gpu);
    f("size", v.size);
    f("atol", v.atol);
    f("rtol", v.rtol);
    f("seed", v.seed);
    f("seeds", v.seeds);
}

}  // namespace kbeval
