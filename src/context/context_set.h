#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "context/json_text.h"

namespace kbeval {

/// One context of a set.
struct ContextEntry {
    std::string arm;
    std::string reader;
    std::string problem;
    std::string text;
};

/// `{arm: {reader: {problem: text}}}`, in the order of the document.
struct ContextSet {
    std::vector<ContextEntry> entries;
};

/// One problem with the contexts that its readers get and what was promised of them.
struct ProblemRecord {
    struct Reader {
        std::string reader;
        std::string text;
    };
    std::string problem;
    std::vector<Reader> contexts;  ///< `ctx`
    bool same_for_readers = true;
    std::int64_t ctx_chars = 0;  ///< characters of the first reader's context
    std::string ctx_sha;         ///< its digest
    bool names_self = false;     ///< whether it names the problem
    std::string family;
    int level = 0;
    std::string name;
    std::string instruction;

    /// The context that ctx_sha and ctx_chars speak of.
    [[nodiscard]] const std::string& text() const { return contexts.front().text; }
};

/// Throw input errors that name the entry and the field where something is missing or of a wrong type.
ContextSet read_context_set(const std::string& name, const nlohmann::ordered_json& json);
std::vector<ProblemRecord> read_problem_records(const std::string& name, const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const ContextSet& set);
nlohmann::ordered_json to_json(const std::vector<ProblemRecord>& records);

/// Characters (code points) of UTF-8.
std::int64_t character_count(std::string_view text);

/// `text` as a tool leaves it that takes `<...>` for markup and runs of blanks for one: what altered records
/// lost. Two texts that flatten alike were the same.
std::string flatten(std::string_view text);

}  // namespace kbeval
