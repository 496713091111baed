#include "cli/session_judge.h"

namespace kbeval::cli {

Verdict SessionJudge::judge(const JudgementRequest& request) {
    return session_.judge(request.problem, request.source,
                          {request.timed, request.has_code, request.label, request.seed}, progress_);
}

}  // namespace kbeval::cli
