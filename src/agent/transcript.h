#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/episode_record.h"

namespace kbeval {

/// The episode's object (type "episode", with the prompt) and one for each turn (type "turn"), each with all
/// that is recorded: the lines of a transcript, without line ends (docs/agents.md).
std::vector<std::string> transcript_lines(const EpisodeRecord& episode);

/// Reads a transcript of any number of episodes. Throws input errors that name file, line and rule.
std::vector<EpisodeRecord> read_transcript(const std::filesystem::path& path);

}  // namespace kbeval
