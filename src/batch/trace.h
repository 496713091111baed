#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "judge/evaluation.h"

namespace kbeval {

/// Writes what a batch does to a file that Perfetto (ui.perfetto.dev) and chrome://tracing open: the JSON
/// array format, in which a file that was cut off by a kill is still read. One track for each worker's stages
/// and one for each role of its runners. Safe to share between threads.
class Trace {
  public:
    /// Throws an infrastructure error where the file can't be written.
    explicit Trace(const std::filesystem::path& path);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    /// An evaluation that began at `begin` on the device `track`, with its stages one after the other.
    void evaluation(const std::string& track, const Judgement& judgement, SteadyClock::time_point begin,
                    SteadyClock::time_point end);

  private:
    void event(const nlohmann::json& json);
    int track(const std::string& name);
    [[nodiscard]] double micros(SteadyClock::time_point at) const;

    std::mutex mutex_;
    std::ofstream stream_;
    SteadyClock::time_point start_ = SteadyClock::now();
    std::map<std::string, int> tracks_;
};

/// Seconds of [begin, end] in which no runner worked on a request or was starting: kbeval's own.
double own_seconds(const std::vector<Span>& spans, SteadyClock::time_point begin,
                   SteadyClock::time_point end);

}  // namespace kbeval
