#include <toml++/toml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "experiment/plan.h"

namespace kbeval {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_plan_bytes = 1 << 20;

Json parse_toml(const std::string& text, const std::string& file) {
    try {
        const toml::table table = toml::parse(text, file);
        std::ostringstream json;
        json << toml::json_formatter{table};
        return Json::parse(json.str());
    } catch (const toml::parse_error& error) {
        throw input_error(file + ":" + std::to_string(error.source().begin.line) + ":" +
                          std::to_string(error.source().begin.column) + ": " +
                          printable(std::string(error.description())));
    }
}

Json parse_file(const std::filesystem::path& path) {
    const std::string text = read_file(path, max_plan_bytes);
    if (path.extension() == ".toml") {
        return parse_toml(text, path.string());
    }
    try {
        return Json::parse(text);
    } catch (const Json::exception& error) {
        throw input_error(path.string() + ": neither a .toml file nor JSON: " + printable(error.what()));
    }
}

void require_keys(const Json& object, const std::string& where, const std::vector<std::string>& known) {
    if (!object.is_object()) {
        throw input_error(where + "is no table");
    }
    for (const auto& [key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            throw input_error(where + "there is no key '" + printable(key) + "'",
                              "the keys are " + join(known, ", "));
        }
    }
}

template <typename T>
T value_of(const Json& object, const char* key, const std::string& where, const T& otherwise) {
    try {
        return object.contains(key) ? object.at(key).get<T>() : otherwise;
    } catch (const Json::exception&) {
        throw input_error(where + "'" + key + "' is of the wrong type");
    }
}

int count_of(const Json& object, const char* key, const std::string& where, int otherwise, int most) {
    const auto count = value_of<std::int64_t>(object, key, where, otherwise);
    if (count < 1 || count > most || (object.contains(key) && !object.at(key).is_number_integer())) {
        throw input_error(where + "'" + key + "' is not a whole number from 1 to " + std::to_string(most));
    }
    return static_cast<int>(count);
}

ProblemSelection selection_from(const Json& object, const std::string& where) {
    require_keys(object, where, {"ids", "levels", "families", "tags"});
    ProblemSelection selection;
    selection.ids = value_of(object, "ids", where, selection.ids);
    selection.levels = value_of(object, "levels", where, selection.levels);
    selection.families = value_of(object, "families", where, selection.families);
    selection.tags = value_of(object, "tags", where, selection.tags);
    return selection;
}

std::map<std::string, ProblemSelection> problems_from(const Json& object, const std::string& where) {
    if (object.is_object() && (object.contains("learn") || object.contains("held_out"))) {
        require_keys(object, where, {"learn", "held_out"});
        std::map<std::string, ProblemSelection> splits;
        for (const auto& [split, selection] : object.items()) {
            splits[split] = selection_from(selection, where + split + ": ");
        }
        return splits;
    }
    return {{"held_out", selection_from(object, where)}};
}

std::vector<PlannedReader> readers_from(const Json& list, const std::string& where) {
    std::vector<PlannedReader> readers;
    std::set<std::string> names;
    if (!list.is_array()) {
        throw input_error(where + "is no list of tables");
    }
    for (const Json& object : list) {
        require_keys(object, where, {"name", "agent"});
        readers.push_back({value_of<std::string>(object, "name", where, ""),
                           value_of<std::string>(object, "agent", where, "")});
        if (readers.back().name.empty() || readers.back().agent.empty()) {
            throw input_error(where + "every reader needs 'name' and 'agent'");
        }
        if (!names.insert(readers.back().name).second) {
            throw input_error(where + "'" + printable(readers.back().name) + "' is there twice");
        }
    }
    return readers;
}

void read_budget(const Json& object, const std::string& where, Plan& plan) {
    require_keys(object, where, {"gpu_minutes", "tokens"});
    if (object.contains("gpu_minutes")) {
        plan.gpu_minutes = value_of<double>(object, "gpu_minutes", where, 0);
    }
    if (object.contains("tokens")) {
        plan.tokens = value_of<std::int64_t>(object, "tokens", where, 0);
    }
    if (plan.gpu_minutes.value_or(1) <= 0 || plan.tokens.value_or(1) <= 0) {
        throw input_error(where + "a budget is larger than 0");
    }
}

void require_content(const Plan& plan, const std::string& where) {
    if (plan.name.empty() || plan.name.size() > 200) {
        throw input_error(where + "needs a 'name' of at most 200 bytes");
    }
    if (plan.arms.empty()) {
        throw input_error(where + "needs 'arms'");
    }
    if (std::set<std::string>(plan.arms.begin(), plan.arms.end()).size() != plan.arms.size()) {
        throw input_error(where + "'arms' holds one twice");
    }
    if (plan.readers.empty()) {
        throw input_error(where + "needs 'readers'");
    }
}

}  // namespace

Plan read_plan(const std::filesystem::path& path) {
    const Json object = parse_file(path);
    const std::string where = path.string() + ": ";
    require_keys(object, where,
                 {"name", "seed", "turns", "repeats", "arms", "readers", "contexts", "problems", "budget"});
    constexpr int most = 1000;
    Plan plan;
    plan.name = value_of<std::string>(object, "name", where, "");
    if (object.contains("seed") && !object.at("seed").is_number_unsigned()) {
        throw input_error(where + "'seed' is no whole number of 0 or more");
    }
    plan.seed = value_of<std::uint64_t>(object, "seed", where, 0);
    plan.turns = count_of(object, "turns", where, plan.turns, most);
    plan.repeats = count_of(object, "repeats", where, plan.repeats, most);
    plan.arms = value_of(object, "arms", where, plan.arms);
    plan.readers = readers_from(object.value("readers", Json::array()), where + "readers: ");
    for (const auto& [arm, file] :
         value_of(object, "contexts", where, std::map<std::string, std::string>{})) {
        plan.contexts[arm] = std::filesystem::absolute(path).parent_path() / file;
    }
    plan.problems = problems_from(object.value("problems", Json::object()), where + "problems: ");
    read_budget(object.value("budget", Json::object()), where + "budget: ", plan);
    require_content(plan, where);
    return plan;
}

}  // namespace kbeval
