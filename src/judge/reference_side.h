#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "judge/evaluation.h"
#include "judge/reference.h"
#include "judge/stages.h"

namespace kbeval {

/// The reference's side of one evaluation: the reference that was kept for this problem, with weights and
/// inputs of this evaluation's own, or a new one. Requests throw RunnerFailure; torch.compile's troubles
/// never do.
class ReferenceSide {
  public:
    /// The compiled reference's absence is explained in `verdict`.
    ReferenceSide(const EvaluationRequest& request, const EvaluationContext& context, Verdict& verdict);

    /// Starts whatever runners are missing, the candidate's too; waits for the trusted ones.
    void start(const nlohmann::json& sandbox, const std::map<std::string, std::string>& environment);

    /// Draws weights and inputs, and makes the eager reference ready. torch.compile goes on beside everything
    /// else where it is new.
    void prepare();

    /// Waits for torch.compile, at most until its deadline, and gives it this evaluation's weights.
    void await_compiled();

    /// How every subject is constructed.
    [[nodiscard]] protocol::Construct construction() const;

    /// It is not to be kept: something failed that may have left it in a bad state.
    void doubt() { sound_ = false; }

    /// Ends the candidate, and keeps the reference for the next one unless something about it is in doubt.
    void put_away();

    /// Null before `start`.
    [[nodiscard]] Bench* bench() { return reference_ ? reference_->bench.get() : nullptr; }

  private:
    void take_out();
    void renew();
    void make();
    void start_compiling(const protocol::Build& build);
    void drop_compiled(const RunnerFailure& failure);
    [[nodiscard]] bool compiles() const;
    [[nodiscard]] double compile_seconds() const;
    [[nodiscard]] std::uint64_t seed(SeedStream stream) const;

    const EvaluationRequest& request_;
    const EvaluationContext& context_;
    Verdict& verdict_;
    std::unique_ptr<Reference> reference_;
    bool warm_ = false;   ///< it was kept from a candidate before
    bool sound_ = false;  ///< it is made, and nothing casts doubt on it
};

}  // namespace kbeval
