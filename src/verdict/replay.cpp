#include "verdict/replay.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void compare_fields(const Json& before, const Json& after, std::initializer_list<const char*> fields,
                    std::vector<Difference>& differences) {
    for (const char* field : fields) {
        if (before.at(field) != after.at(field)) {
            differences.push_back({field, text_of(before.at(field)), text_of(after.at(field))});
        }
    }
}

std::string value_in(const Pairs& pairs, const std::string& name) {
    const auto found =
        std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == name; });
    return found == pairs.end() ? "not recorded" : found->second;
}

void compare_pairs(const std::string& list, const Pairs& before, const Pairs& after,
                   std::vector<Difference>& differences) {
    Pairs names = before;
    for (const auto& pair : after) {
        if (value_in(before, pair.first) == "not recorded") {
            names.push_back(pair);
        }
    }
    for (const auto& [name, value] : names) {
        const std::string old = value_in(before, name);
        const std::string now = value_in(after, name);
        if (old != now) {
            differences.push_back({list + "." + name, old, now});
        }
    }
}

bool holds(const Verdict& interval, double value) {
    return *interval.speedup_lo95 <= value && value <= *interval.speedup_hi95;
}

bool has_interval(const Verdict& v) {
    return v.speedup && v.speedup_lo95 && v.speedup_hi95;
}

Json json_of(const std::vector<Difference>& differences) {
    Json array = Json::array();
    for (const Difference& d : differences) {
        array.push_back({{"field", d.field}, {"before", d.before}, {"after", d.after}});
    }
    return array;
}

}  // namespace

ReplayComparison compare_replay(const Verdict& before, const Verdict& after) {
    ReplayComparison c;
    const Json old = to_json(before);
    const Json now = to_json(after);
    compare_fields(old, now, {"status", "flags", "agreement", "precision"}, c.outcome);
    const bool timing_words = before.status == Status::timeout || !before.flags.empty();
    if (before.status == after.status && !timing_words) {  // words with times in them differ each time
        compare_fields(old, now, {"message"}, c.outcome);
    }
    compare_fields(old, now,
                   {"kind", "problem", "problem_digest", "candidate_digest", "evaluator", "gpu", "device",
                    "size", "atol", "rtol", "seed", "seeds"},
                   c.surroundings);
    compare_pairs("settings", before.settings, after.settings, c.surroundings);
    compare_pairs("versions", before.versions, after.versions, c.surroundings);
    c.timed = has_interval(before) && has_interval(after);
    if (c.timed) {
        c.speedup_in_both = holds(before, *after.speedup) && holds(after, *before.speedup);
        c.intervals_overlap =
            *before.speedup_lo95 <= *after.speedup_hi95 && *after.speedup_lo95 <= *before.speedup_hi95;
    }
    return c;
}

Json to_json(const ReplayComparison& c, const Verdict& before, const Verdict& after) {
    Json json;
    json["reproduced"] = c.reproduced();
    json["outcome"] = json_of(c.outcome);
    json["surroundings"] = json_of(c.surroundings);
    json["speedup"] = c.timed ? Json{{"before", *before.speedup},
                                     {"after", *after.speedup},
                                     {"in_both_intervals", c.speedup_in_both},
                                     {"intervals_overlap", c.intervals_overlap}}
                              : Json(nullptr);
    json["before"] = to_json(before);
    json["after"] = to_json(after);
    return json;
}

}  // namespace kbeval
