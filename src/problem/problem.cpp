#include "problem/problem.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr std::size_t max_catalogue_bytes = 64 << 20;
constexpr std::size_t max_source_bytes = 1 << 20;

Problem problem_from(const nlohmann::json& entry, const std::filesystem::path& folder) {
    Problem p;
    p.id = entry.at("id").get<std::string>();
    p.name = entry.at("name").get<std::string>();
    p.family = entry.at("family").get<std::string>();
    p.level = entry.at("level").get<int>();
    p.number = entry.at("number").get<int>();
    p.atol = entry.at("atol").get<double>();
    p.rtol = entry.at("rtol").get<double>();
    p.tags = entry.at("tags").get<std::vector<std::string>>();
    p.file = folder / entry.at("file").get<std::string>();
    p.smoke = entry.at("smoke");
    p.costs = costs_from(entry.value("costs", nlohmann::json()));
    if (!p.smoke.is_object()) {
        throw input_error("'smoke' is not an object of constants");
    }
    if (!(p.atol >= 0 && p.rtol >= 0)) {
        throw input_error("'atol' and 'rtol' must not be negative");
    }
    return p;
}

/// L2_76, l2_076 and L2_076 alike become L2_076; anything else stays as it is.
std::string canonical_id(const std::string& id) {
    int level = 0;
    int number = 0;
    char end = '\0';
    if (std::sscanf(id.c_str(), "%*1[Ll]%1d_%4d%c", &level, &number, &end) == 2) {
        char text[32];
        std::snprintf(text, sizeof text, "L%d_%03d", level, number);
        return text;
    }
    return id;
}

}  // namespace

std::string to_string(Size size) {
    return size == Size::full ? "full" : "smoke";
}

const nlohmann::json& Problem::overrides(Size size) const {
    static const nlohmann::json none = nlohmann::json::object();
    return size == Size::smoke ? smoke : none;
}

Catalogue::Catalogue(const std::filesystem::path& folder) {
    add(folder);
}

Catalogue::Catalogue(const Layout& layout) : Catalogue(layout.problems()) {
    std::error_code code;
    const auto file = imported_problems() / "catalog.json";
    const auto status = std::filesystem::status(file, code);
    if (status.type() == std::filesystem::file_type::none) {
        throw input_error(file.string() + ": " + code.message(),
                          "KBEVAL_PROBLEMS names another folder of imported problems");
    }
    if (std::filesystem::exists(status)) {
        add(imported_problems());
    }
}

void Catalogue::add(const std::filesystem::path& folder) {
    const auto file = folder / "catalog.json";
    const auto json = nlohmann::json::parse(read_file(file, max_catalogue_bytes), nullptr, false);
    if (!json.is_object() || !json.contains("problems") || !json["problems"].is_array()) {
        throw input_error(file.string() + ": is not a JSON object with a list 'problems'");
    }
    std::set<std::string> ids;
    for (const Problem& problem : problems_) {
        ids.insert(problem.id);
    }
    for (std::size_t i = 0; i < json["problems"].size(); ++i) {
        const std::string place = file.string() + ": problems[" + std::to_string(i) + "]: ";
        try {
            problems_.push_back(problem_from(json["problems"][i], folder));
        } catch (const std::exception& error) {
            throw input_error(place + error.what());
        }
        if (!ids.insert(problems_.back().id).second) {
            throw input_error(place + "the id " + problems_.back().id + " stands twice");
        }
    }
    std::sort(problems_.begin(), problems_.end(),
              [](const Problem& a, const Problem& b) { return a.id < b.id; });
}

std::vector<Problem> Catalogue::select(const ProblemFilter& filter) const {
    std::vector<Problem> chosen;
    std::copy_if(problems_.begin(), problems_.end(), std::back_inserter(chosen), [&](const Problem& p) {
        const bool tagged = std::find(p.tags.begin(), p.tags.end(), filter.tag) != p.tags.end();
        return (filter.level == 0 || p.level == filter.level) &&
               (filter.family.empty() || p.family == filter.family) && (filter.tag.empty() || tagged);
    });
    return chosen;
}

const Problem& Catalogue::find(const std::string& id) const {
    const std::string wanted = canonical_id(id);
    for (const Problem& problem : problems_) {
        if (problem.id == wanted) {
            return problem;
        }
    }
    std::vector<std::string> ids;
    std::vector<std::string> names;
    for (const Problem& problem : problems_) {
        ids.push_back(problem.id);
        names.push_back(problem.id + "_" + problem.name);
    }
    const bool by_name = wanted.size() > 8;  // someone typed, or pasted, a name
    const auto close = nearest(wanted, by_name ? names : ids, 3);
    throw input_error("unknown problem '" + printable(id) + "'",
                      "nearest: " + join(close, ", ") + "; `kbeval problems list` shows all");
}

LoadedProblem Catalogue::load(const Problem& problem, Size size) {
    LoadedProblem loaded{problem, read_file(problem.file, max_source_bytes), {}};
    if (first_invalid_utf8(loaded.source)) {
        throw input_error(problem.file.string() + ": is not UTF-8");
    }
    Sha256 hash;
    hash.field(loaded.source);
    hash.field(problem.overrides(size).dump());
    loaded.digest = hash.hex().substr(0, 16);
    return loaded;
}

}  // namespace kbeval
