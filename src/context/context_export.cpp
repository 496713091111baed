#include "context/context_export.h"

#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/context_set.h"
#include "context/format.h"
#include "context/leak_guard.h"
#include "context/prompt.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;
const JsonLayout one_line{};

struct Plan {
    std::vector<std::string> problems;
    std::vector<std::string> readers;
    std::vector<std::string> arms;
    std::string context_set;
    std::string records_arm;
    std::string problem_records;
};

std::vector<std::string> texts(const std::string& file, const Json& json, const char* field) {
    if (!json.contains(field) || !json[field].is_array() || json[field].empty()) {
        throw input_error(file + ": \"" + field + "\" is missing or no list with members");
    }
    std::vector<std::string> all;
    for (const Json& member : json[field]) {
        if (!member.is_string() || member.get_ref<const std::string&>().empty()) {
            throw input_error(file + ": \"" + field + "\" holds something that is no name");
        }
        all.push_back(member.get<std::string>());
    }
    return all;
}

std::string text(const std::string& file, const Json& json, const char* field) {
    if (!json.contains(field)) {
        return {};
    }
    if (!json[field].is_string()) {
        throw input_error(file + ": \"" + field + "\" is no string");
    }
    return json[field].get<std::string>();
}

Plan read_plan(const std::filesystem::path& path) {
    const std::string file = printable(path.string());
    const Json json = parse_json(path.string(), read_file(path, max_document_bytes)).value;
    if (!json.is_object()) {
        throw input_error(file + ": a plan is a JSON object");
    }
    static const std::set<std::string> known{"problems",    "readers",     "arms",
                                             "context_set", "records_arm", "problem_records"};
    for (const auto& [field, value] : json.items()) {
        if (!known.contains(field)) {
            throw input_error(file + ": unknown field \"" + printable(field) + "\"",
                              "a plan has " + join({known.begin(), known.end()}, ", "));
        }
    }
    Plan plan;
    plan.problems = texts(file, json, "problems");
    plan.readers = texts(file, json, "readers");
    plan.context_set = text(file, json, "context_set");
    plan.records_arm = text(file, json, "records_arm");
    plan.problem_records = text(file, json, "problem_records");
    if (!plan.context_set.empty()) {
        plan.arms = texts(file, json, "arms");
    }
    if (plan.context_set.empty() && plan.problem_records.empty()) {
        throw input_error(file + ": neither \"context_set\" nor \"problem_records\" names a file to write");
    }
    if (!plan.problem_records.empty() && plan.records_arm.empty()) {
        plan.records_arm = "living";
    }
    return plan;
}

class Exporter {
  public:
    Exporter(Store& store, const Catalogue& catalogue, const Plan& plan, bool allow_leak)
        : store_(store), catalogue_(catalogue), plan_(plan), allow_leak_(allow_leak) {}

    ContextSet context_set() {
        ContextSet set;
        for (const std::string& arm : plan_.arms) {
            for (const std::string& reader : plan_.readers) {
                for (const std::string& problem : plan_.problems) {
                    set.entries.push_back(
                        {arm, reader, catalogue_.find(problem).id, context(problem, arm, reader)});
                }
            }
        }
        return set;
    }

    std::vector<ProblemRecord> records() {
        std::vector<ProblemRecord> all;
        for (const std::string& id : plan_.problems) {
            const LoadedProblem loaded = Catalogue::load(catalogue_.find(id), Size::full);
            const Problem& problem = loaded.problem;
            ProblemRecord record;
            record.problem = problem.id;
            for (const std::string& reader : plan_.readers) {
                record.contexts.push_back({reader, context(id, plan_.records_arm, reader)});
                record.same_for_readers =
                    record.same_for_readers && record.contexts.back().text == record.text();
            }
            record.ctx_chars = character_count(record.text());
            record.ctx_sha = short_digest(record.text());
            record.names_self = !find_leaks(problem, record.text(), {}).empty();
            record.family = problem.family;
            record.level = problem.level;
            record.name = problem.name;
            record.instruction = instruction_text(loaded);
            all.push_back(std::move(record));
        }
        return all;
    }

  private:
    std::string context(const std::string& problem, const std::string& arm, const std::string& reader) {
        const BuiltContext built = build_context(store_, catalogue_, {problem, arm, reader, "", allow_leak_});
        if (!built.leaks.empty()) {
            record_context(store_, built);
        }
        return built.text;
    }

    Store& store_;
    const Catalogue& catalogue_;
    const Plan& plan_;
    bool allow_leak_;
};

}  // namespace

std::vector<std::string> export_contexts(Store& store, const Catalogue& catalogue,
                                         const std::filesystem::path& path, bool allow_leak) {
    const Plan plan = read_plan(path);
    Exporter exporter(store, catalogue, plan, allow_leak);
    std::vector<std::pair<std::filesystem::path, std::string>> files;
    if (!plan.context_set.empty()) {
        files.emplace_back(path.parent_path() / plan.context_set,
                           write_json(to_json(exporter.context_set()), one_line));
    }
    if (!plan.problem_records.empty()) {
        files.emplace_back(path.parent_path() / plan.problem_records,
                           write_json(to_json(exporter.records()), one_line));
    }
    std::vector<std::string> lines;
    for (const auto& [file, content] : files) {
        write_file(file, content);
        lines.push_back(file.string() + ": " + std::to_string(content.size()) + " bytes, " +
                        short_digest(content));
    }
    return lines;
}

}  // namespace kbeval
