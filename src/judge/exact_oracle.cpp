#include "judge/exact_oracle.h"

#include <algorithm>
#include <cmath>

#include "runner/failure.h"

namespace kbeval {

namespace {

constexpr std::size_t max_note_bytes = 500;

void add(protocol::ExactError& total, const protocol::ExactError& more) {
    total.max_abs = std::max(total.max_abs, more.max_abs);
    total.sum_squares += more.sum_squares;
    total.numel += more.numel;
}

double rms(const protocol::ExactError& error) {
    return error.numel > 0 ? std::sqrt(error.sum_squares / static_cast<double>(error.numel)) : 0;
}

}  // namespace

void ExactOracle::measure(int slot) {
    if (!context_.request.settings.exact_oracle || failed_) {
        return;
    }
    try {
        const auto errors = context_.bench.compare_exact({"eager", "candidate"}, slot);
        add(reference_, errors.at(0));
        add(candidate_, errors.at(1));
        ++seeds_;
    } catch (const RunnerFailure& failure) {
        if (failure.how() != RunnerFailure::How::error) {
            throw;
        }
        failed_ = true;
        context_.verdict.notes.push_back("no fp64 oracle: the reference does not run in float64: " +
                                         std::string(failure.what()).substr(0, max_note_bytes));
        return;
    }
    conclude();
}

void ExactOracle::conclude() {
    Verdict& verdict = context_.verdict;
    verdict.precision =
        Precision{reference_.max_abs, rms(reference_), candidate_.max_abs, rms(candidate_), seeds_};
    std::erase(verdict.flags, flag_reference_less_accurate);
    if (verdict.precision->ref_rms > clearly_larger * verdict.precision->cand_rms) {
        add_flag(verdict, flag_reference_less_accurate);
    }
}

}  // namespace kbeval
