#include "agent/replay_agent.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr std::size_t max_recording_bytes = std::size_t{256} << 20U;

std::optional<std::int64_t> tokens(const nlohmann::json& line, const char* name) {
    return line.contains(name) && line[name].is_number_unsigned()
               ? std::optional(line[name].get<std::int64_t>())
               : std::nullopt;
}

RecordedReply reply_from(const nlohmann::json& line) {
    const auto text = [&](const char* name) { return line.value(name, std::string()); };
    RecordedReply recorded{
        text("problem"),
        text("arm"),
        text("reader"),
        line.value("repeat", -1),
        line.at("turn").get<int>(),
        {line.at("reply").get<std::string>(), tokens(line, "input_tokens"), tokens(line, "output_tokens")}};
    if (recorded.turn < 1) {
        throw input_error("'turn' counts from 1");
    }
    return recorded;
}

}  // namespace

Recording::Recording(const std::filesystem::path& path) : path_(path.string()) {
    const std::string text = read_file(path, max_recording_bytes);
    int number = 0;
    for (const std::string_view line : split_lines(text)) {
        ++number;
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue;
        }
        const std::string place = path_ + ":" + std::to_string(number) + ": ";
        try {
            const nlohmann::json object = nlohmann::json::parse(line);
            if (object.value("type", "turn") == "turn") {
                replies_.push_back(reply_from(object));
            }
        } catch (const nlohmann::json::exception& error) {
            throw input_error(place + "needs a JSON object with a number 'turn' and a text 'reply': " +
                              printable(error.what()));
        } catch (const Error& error) {
            throw input_error(place + error.what());
        }
    }
}

const AgentReply& Recording::find(const AgentRequest& request) const {
    const auto fits = [](const std::string& recorded, const std::string& wanted) {
        return recorded.empty() || recorded == wanted;
    };
    for (const RecordedReply& r : replies_) {
        if (r.turn == request.turn && fits(r.problem, request.problem) && fits(r.arm, request.arm) &&
            fits(r.reader, request.reader) && (r.repeat < 0 || r.repeat == request.repeat)) {
            return r.reply;
        }
    }
    throw AgentFailure(path_ + ": holds no reply for " + request.problem + ", arm " + request.arm +
                       ", reader " + request.reader + ", repeat " + std::to_string(request.repeat) +
                       ", turn " + std::to_string(request.turn));
}

}  // namespace kbeval
