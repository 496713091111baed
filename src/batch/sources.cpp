#include "batch/sources.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "store/store.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_manifest_bytes = 512U << 20U;

bool is_database(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string magic(15, '\0');
    stream.read(magic.data(), static_cast<std::streamsize>(magic.size()));
    return magic == "SQLite format 3";
}

// ---- folder

/// `L2_076` of `L2_076`, `L2_076_x` and `L2_076.py`; nothing of any other name.
std::optional<std::string> leading_id(const std::string& name) {
    const auto digit = [&](std::size_t i) { return name[i] >= '0' && name[i] <= '9'; };
    if (name.size() < 6 || name[0] != 'L' || name[2] != '_' || !digit(1) || !digit(3) || !digit(4) ||
        !digit(5) || (name.size() > 6 && name[6] != '_' && name[6] != '.')) {
        return std::nullopt;
    }
    return name.substr(0, 6);
}

Job job_of_file(const fs::path& folder, const fs::path& file, const Catalogue& catalogue) {
    const fs::path inside = file.lexically_relative(folder);
    std::optional<std::string> id;
    for (const fs::path& part : inside) {
        if (const auto found = leading_id(part.string())) {
            id = found;
            break;
        }
    }
    if (!id) {
        throw input_error(file.string() + ": says no problem",
                          "name it like L2_076_anything.py, or put it into a folder L2_076");
    }
    Job job;
    job.candidate = read_candidate(file.string());
    job.label = fs::path(inside).replace_extension().generic_string();
    try {
        job.problem = catalogue.find(*id).id;
    } catch (const Error& error) {
        throw input_error(file.string() + ": " + error.what(), error.hint());
    }
    return job;
}

std::vector<Job> jobs_of_folder(const fs::path& folder, const Catalogue& catalogue) {
    std::vector<fs::path> files;
    std::error_code code;
    for (auto at = fs::recursive_directory_iterator(folder, code);
         !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
        if (at->path().extension() == ".py" && at->is_regular_file()) {
            files.push_back(at->path());
        }
    }
    if (code) {
        throw input_error(folder.string() + ": can't be read: " + code.message());
    }
    std::sort(files.begin(), files.end());
    std::vector<Job> jobs;
    jobs.reserve(files.size());
    for (const fs::path& file : files) {
        jobs.push_back(job_of_file(folder, file, catalogue));
    }
    if (jobs.empty()) {
        throw input_error(folder.string() + ": holds no .py file");
    }
    return jobs;
}

// ---- manifest

CandidateSource candidate_of_line(const nlohmann::json& line, const fs::path& folder) {
    if (line.contains("path") == line.contains("source")) {
        throw input_error("needs either 'path' or 'source'");
    }
    if (line.contains("source")) {
        return candidate_from_text(line.at("source").get<std::string>(), "(manifest)");
    }
    const fs::path path = line.at("path").get<std::string>();
    return read_candidate(path.is_relative() ? (folder / path).string() : path.string());
}

Job job_of_line(const nlohmann::json& line, const fs::path& folder, const Catalogue& catalogue) {
    static const std::vector<std::string> known{"problem", "path",   "source", "label",
                                                "arm",     "reader", "reply"};
    if (!line.is_object()) {
        throw input_error("needs a JSON object with 'problem' and 'path' or 'source'");
    }
    for (const auto& [name, value] : line.items()) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw input_error("knows no field '" + printable(name) + "' (" + join(known, ", ") + ")");
        }
    }
    Job job;
    job.problem = catalogue.find(line.at("problem").get<std::string>()).id;
    job.candidate = candidate_of_line(line, folder);
    job.label = line.value("label", "");
    job.arm = line.value("arm", "");
    job.reader = line.value("reader", "");
    if (line.value("reply", false)) {
        auto code = extract_code(job.candidate.text);
        job.has_code = code.has_value();
        if (code) {
            job.candidate = candidate_from_text(std::move(*code), job.candidate.origin);
        }
    }
    return job;
}

std::vector<Job> jobs_of_manifest(const fs::path& path, const Catalogue& catalogue) {
    const std::string text = read_file(path, max_manifest_bytes);
    std::vector<Job> jobs;
    int number = 0;
    for (const std::string_view line : split_lines(text)) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        const std::string place = path.string() + ":" + std::to_string(number) + ": ";
        try {
            jobs.push_back(job_of_line(nlohmann::json::parse(line), path.parent_path(), catalogue));
        } catch (const nlohmann::json::exception& error) {
            throw input_error(place +
                              "needs a JSON object with 'problem' and 'path' or 'source': " + error.what());
        } catch (const Error& error) {
            throw input_error(place + error.what(), error.hint());
        }
    }
    return jobs;
}

// ---- database

std::vector<Job> jobs_of_database(const fs::path& path, const std::string& where,
                                  const Catalogue& catalogue) {
    Store store = Store::open(path, Store::Mode::read_only);
    Database& database = store.database();
    std::optional<Statement> rows;
    try {
        rows.emplace(
            database,
            "SELECT v.problem, s.text, v.label, coalesce(max(j.arm), ''), coalesce(max(j.reader), '')"
            " FROM verdicts AS v JOIN source AS s ON s.digest = v.source"
            " LEFT JOIN jobs AS j ON j.evaluation = v.id"
            " WHERE v.id IN (SELECT id FROM verdicts WHERE (" +
                where +
                "\n)) AND v.status <> 'no_code'"
                " GROUP BY v.problem, v.source, v.label ORDER BY min(v.created)");
    } catch (const Error& error) {
        throw input_error(
            path.string() + ": --where " + where + ": " + error.what(),
            "it is an SQL condition over the view verdicts, such as \"success AND problem = 'L2_076'\"");
    }
    std::vector<Job> jobs;
    while (rows->step()) {
        Job job;
        job.problem = catalogue.find(rows->text(0)).id;
        job.candidate = candidate_from_text(rows->text(1), path.string());
        job.label = rows->text(2);
        job.arm = rows->text(3);
        job.reader = rows->text(4);
        jobs.push_back(std::move(job));
    }
    return jobs;
}

}  // namespace

std::vector<Job> read_jobs(const std::string& source, const std::string& where, const Catalogue& catalogue) {
    const fs::path path = source;
    const bool folder = fs::is_directory(path);
    const bool database = !folder && is_database(path);
    if (!where.empty() && !database) {
        throw input_error("--where: " + source + " is no kbeval database");
    }
    std::vector<Job> jobs = folder     ? jobs_of_folder(path, catalogue)
                            : database ? jobs_of_database(path, where.empty() ? "success" : where, catalogue)
                                       : jobs_of_manifest(path, catalogue);
    assign_keys(jobs);
    return jobs;
}

}  // namespace kbeval
