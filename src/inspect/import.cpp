#include "inspect/import.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_source_bytes = 1 << 20;
constexpr std::size_t max_catalogue_bytes = 64 << 20;
constexpr std::size_t max_files = 100'000;
constexpr std::size_t max_name = 120;

struct Found {
    ImportedFile outcome;
    fs::path path;  ///< relative to the folder
    std::string source;
    std::string name;
    int level = 0;
    int number = 0;
};

std::string as_word(std::string text) {
    for (char& c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 || static_cast<unsigned char>(c) > 127) {
            c = '_';
        }
    }
    return text.substr(0, max_name);
}

/// A KernelBench checkout keeps its problems in a folder of its own.
fs::path problem_root(const fs::path& folder) {
    std::error_code code;
    return fs::is_directory(folder / "KernelBench" / "level1", code) ? folder / "KernelBench" : folder;
}

std::vector<fs::path> python_files(const fs::path& root) {
    std::vector<fs::path> files;
    std::error_code code;
    fs::recursive_directory_iterator each(root, fs::directory_options::skip_permission_denied, code);
    if (code) {
        throw input_error(root.string() + ": " + code.message());
    }
    for (; each != fs::recursive_directory_iterator(); each.increment(code)) {
        const std::string name = each->path().filename().string();
        if (name.front() == '.' || name == "__pycache__") {
            each.disable_recursion_pending();
        } else if (each->path().extension() == ".py" && name != "__init__.py") {
            files.push_back(each->path());
        }
        if (files.size() > max_files) {
            throw input_error(root.string() + ": holds more than " + std::to_string(max_files) +
                              " Python files");
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Level, number and name from the path: level2/20_Name.py, or L2_020_Name.py; else the name alone.
void take_names(Found& found, const std::string& prefix) {
    static const std::regex foldered(R"((?:.*/)?level([1-9])/0*(\d{1,4})_([^/]+)\.py)");
    static const std::regex flat(R"((?:.*/)?L([1-9])_(\d{3,4})_([^/]+)\.py)");
    const std::string path = found.path.generic_string();
    std::smatch match;
    if (std::regex_match(path, match, flat) || std::regex_match(path, match, foldered)) {
        found.level = std::stoi(match[1]);
        found.number = std::stoi(match[2]);
        found.name = as_word(match[3]);
        char number[16];
        std::snprintf(number, sizeof number, "L%d_%03d", found.level, found.number);
        found.outcome.id = prefix + "_" + number;
    } else {
        found.name = as_word(found.path.stem().string());
        found.outcome.id = prefix + "_" + found.name;
    }
}

Found read_one(const fs::path& root, const fs::path& file, const std::string& prefix) {
    Found found;
    found.path = file.lexically_relative(root);
    found.outcome.file = printable(to_valid_utf8(found.path.string()));
    std::error_code code;
    const auto status = fs::symlink_status(file, code);
    if (first_invalid_utf8(found.path.string())) {
        found.outcome.reason = "its name is not UTF-8";
    } else if (fs::is_symlink(status)) {
        found.outcome.reason = "is a symbolic link, which is not followed";
    } else if (!fs::is_regular_file(status)) {
        found.outcome.reason = "is no regular file";
    } else {
        try {
            found.source = read_file(file, max_source_bytes);
            if (const auto place = first_invalid_utf8(found.source)) {
                found.outcome.reason = "is not UTF-8 at byte " + std::to_string(*place);
            } else {
                take_names(found, prefix);
            }
        } catch (const Error& error) {
            found.outcome.reason = to_valid_utf8(error.what());
        }
    }
    return found;
}

nlohmann::ordered_json entry_of(const Found& found, const Inspection& inspection, const std::string& file) {
    nlohmann::ordered_json entry{
        {"id", found.outcome.id}, {"name", found.name},
        {"file", file},           {"level", found.level},
        {"number", found.number}, {"family", inspection.family.empty() ? "other" : inspection.family},
        {"atol", 1e-4},           {"rtol", 1e-4},
        {"tags", {"imported"}},   {"smoke", nlohmann::json::object()}};
    if (inspection.costs.is_object()) {
        entry["costs"] = inspection.costs;
    }
    return entry;
}

/// What was imported under other prefixes.
nlohmann::ordered_json other_entries(const fs::path& catalogue, const std::string& prefix) {
    nlohmann::ordered_json kept = nlohmann::ordered_json::array();
    if (!fs::exists(catalogue)) {
        return kept;
    }
    const auto json =
        nlohmann::ordered_json::parse(read_file(catalogue, max_catalogue_bytes), nullptr, false);
    if (!json.is_object() || !json.contains("problems") || !json["problems"].is_array()) {
        throw input_error(catalogue.string() + ": is not a catalogue of problems");
    }
    for (const auto& entry : json["problems"]) {
        if (entry.value("file", "").rfind(prefix + "/", 0) != 0) {
            kept.push_back(entry);
        }
    }
    return kept;
}

}  // namespace

std::string default_prefix(const fs::path& folder) {
    std::string name = as_word(fs::absolute(folder).lexically_normal().filename().string());
    if (name.empty()) {
        name = as_word(fs::absolute(folder).lexically_normal().parent_path().filename().string());
    }
    return name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0 ? "P" + name : name;
}

std::vector<ImportedFile> import_problems(const Layout& layout, const fs::path& folder,
                                          const std::string& prefix, const fs::path& into,
                                          const InspectionOptions& options) {
    static const std::regex word("[A-Za-z][A-Za-z0-9_]{0,119}");
    static const std::regex shipped("[Ll][0-9].*");
    if (!std::regex_match(prefix, word) || std::regex_match(prefix, shipped)) {
        throw input_error("'" + printable(prefix) +
                          "' is no prefix: letters, digits and _, and not like the ids of levels");
    }
    if (!fs::is_directory(folder)) {
        throw input_error(printable(folder.string()) + ": is no folder");
    }
    const fs::path root = problem_root(folder);
    std::vector<Found> all;
    const fs::path catalogue = into / "catalog.json";
    nlohmann::ordered_json entries = other_entries(catalogue, prefix);
    std::set<std::string> ids;
    for (const auto& entry : entries) {
        ids.insert(entry.value("id", ""));
    }
    std::vector<InspectionTask> tasks;
    std::vector<std::size_t> place;
    for (const fs::path& file : python_files(root)) {
        all.push_back(read_one(root, file, prefix));
        Found& found = all.back();
        if (!found.outcome.id.empty() && !ids.insert(found.outcome.id).second) {
            found.outcome.reason = "another file is " + found.outcome.id + " already";
            found.outcome.id.clear();
        }
        if (!found.outcome.id.empty()) {
            tasks.push_back({found.path.string(), found.name, found.level, found.source, nullptr});
            place.push_back(all.size() - 1);
        }
    }
    const auto inspections = inspect_problems(layout, tasks, options);
    fs::remove_all(into / prefix);
    fs::create_directories(into / prefix);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        Found& found = all[place[i]];
        found.outcome.reason = inspections[i].reason;
        if (!inspections[i].ok) {
            found.outcome.reason = inspections[i].stage + ": " + inspections[i].reason;
            found.outcome.id.clear();
            continue;
        }
        const std::string file = prefix + "/" + found.outcome.id + ".py";
        write_file(into / file, found.source);
        entries.push_back(entry_of(found, inspections[i], file));
    }
    const nlohmann::ordered_json json{{"version", 1}, {"problems", entries}};
    write_file(into / "catalog.json.new", json.dump(1) + "\n");
    fs::rename(into / "catalog.json.new", catalogue);  // a reader sees the old one or the new one
    std::vector<ImportedFile> outcomes;
    outcomes.reserve(all.size());
    for (Found& found : all) {
        outcomes.push_back(std::move(found.outcome));
    }
    return outcomes;
}

}  // namespace kbeval
