#include "batch/trace.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "report/record_text.h"

namespace kbeval {

Trace::Trace(const std::filesystem::path& path) : stream_(path, std::ios::binary | std::ios::trunc) {
    if (!stream_) {
        throw infrastructure_error(path.string() + ": cannot be written: " + std::strerror(errno));
    }
    stream_ << "[\n";
}

Trace::~Trace() {
    // The format lets the last comma stand before the end, but not every reader does.
    stream_ << R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"kbeval"}}])"
            << "\n";
}

double Trace::micros(SteadyClock::time_point at) const {
    return Seconds(at - start_).count() * 1e6;
}

void Trace::event(const nlohmann::json& json) {
    stream_ << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << ",\n";
}

int Trace::track(const std::string& name) {
    const auto [at, fresh] = tracks_.try_emplace(name, static_cast<int>(tracks_.size()) + 1);
    if (fresh) {
        event({{"name", "thread_name"},
               {"ph", "M"},
               {"pid", 1},
               {"tid", at->second},
               {"args", {{"name", name}}}});
    }
    return at->second;
}

void Trace::evaluation(const std::string& device, const Judgement& judgement, SteadyClock::time_point begin,
                       SteadyClock::time_point end) {
    const Verdict& v = judgement.verdict;
    const std::lock_guard lock(mutex_);
    const auto add = [&](int tid, const std::string& name, double start, double duration,
                         nlohmann::json arguments) {
        event({{"name", name},
               {"ph", "X"},
               {"pid", 1},
               {"tid", tid},
               {"ts", start},
               {"dur", std::max(0.0, duration)},
               {"args", std::move(arguments)}});
    };
    add(track(device), v.problem + " " + v.label, micros(begin), micros(end) - micros(begin),
        {{"id", v.id},
         {"status", std::string(to_string(v.status))},
         {"own_seconds", own_seconds(judgement.spans, begin, end)}});
    double total = 0;
    for (const StageTime& stage : v.stages) {
        total += stage.seconds;
    }
    // Stages end where the evaluation does; a static check that was made ahead lies before its beginning.
    double at = micros(end) - total * 1e6;
    for (const StageTime& stage : v.stages) {
        add(track(device + " stages"), stage.name, at, stage.seconds * 1e6, nlohmann::json::object());
        at += stage.seconds * 1e6;
    }
    for (const Span& span : judgement.spans) {
        add(track(device + " " + span.role), span.request, micros(span.begin),
            micros(span.end) - micros(span.begin), nlohmann::json::object());
    }
    stream_.flush();
}

double own_seconds(const std::vector<Span>& spans, SteadyClock::time_point begin,
                   SteadyClock::time_point end) {
    std::vector<std::pair<SteadyClock::time_point, SteadyClock::time_point>> busy;
    busy.reserve(spans.size());
    for (const Span& span : spans) {
        busy.emplace_back(std::clamp(span.begin, begin, end), std::clamp(span.end, begin, end));
    }
    std::sort(busy.begin(), busy.end());
    double own = 0;
    auto at = begin;
    for (const auto& [from, to] : busy) {
        if (from > at) {
            own += Seconds(from - at).count();
        }
        at = std::max(at, to);
    }
    return own + Seconds(end - at).count();
}

}  // namespace kbeval
