#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent.h"

namespace kbeval {

/// One recorded reply; empty or negative fields match every episode.
struct RecordedReply {
    std::string problem;
    std::string arm;
    std::string reader;
    int repeat = -1;
    int turn = 1;
    AgentReply reply;
};

/// The replies of a file, read once and shared by the episodes of an experiment. Lines are JSON objects:
/// `{"problem": "L1_088", "arm": ..., "reader": ..., "repeat": 0, "turn": 1, "reply": TEXT}`, where only
/// `turn` and `reply` must be there. Transcripts (`kbeval transcript export`) have this form; their lines of
/// another type are skipped.
class Recording {
  public:
    /// Throws input errors that name file and line.
    explicit Recording(const std::filesystem::path& path);

    /// The first recorded reply that fits the request; throws AgentFailure where there is none.
    [[nodiscard]] const AgentReply& find(const AgentRequest& request) const;

  private:
    std::string path_;
    std::vector<RecordedReply> replies_;
};

class ReplayAgent : public Agent {
  public:
    explicit ReplayAgent(std::shared_ptr<const Recording> recording) : recording_(std::move(recording)) {}

    AgentReply reply(const AgentRequest& request) override { return recording_->find(request); }

  private:
    std::shared_ptr<const Recording> recording_;
};

}  // namespace kbeval
