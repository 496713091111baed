#pragma once

#include "agent/episode.h"
#include "cli/session.h"

namespace kbeval::cli {

/// Lets a session judge what agents write.
class SessionJudge : public EpisodeJudge {
  public:
    /// Both must outlive it.
    SessionJudge(Session& session, Progress& progress) : session_(session), progress_(progress) {}

    Verdict judge(const JudgementRequest& request) override;

  private:
    Session& session_;
    Progress& progress_;
};

}  // namespace kbeval::cli
