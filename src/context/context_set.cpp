#include "context/context_set.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

const Json& object_at(const std::string& where, const Json& json) {
    if (!json.is_object()) {
        throw input_error(where + " is no object");
    }
    return json;
}

const Json& member(const std::string& where, const Json& json, const char* field) {
    if (!json.contains(field)) {
        throw input_error(where + ": \"" + field + "\" is missing");
    }
    return json[field];
}

std::string text_at(const std::string& where, const Json& json, const char* field) {
    const Json& value = member(where, json, field);
    if (!value.is_string()) {
        throw input_error(where + ": \"" + field + "\" is no string");
    }
    return value.get<std::string>();
}

bool flag_at(const std::string& where, const Json& json, const char* field) {
    const Json& value = member(where, json, field);
    if (!value.is_boolean()) {
        throw input_error(where + ": \"" + field + "\" is neither true nor false");
    }
    return value.get<bool>();
}

std::int64_t integer_at(const std::string& where, const Json& json, const char* field) {
    const Json& value = member(where, json, field);
    if (!value.is_number_integer() || value < 0 || value > INT32_MAX) {
        throw input_error(where + ": \"" + field + "\" is no whole number from 0 on");
    }
    return value.get<std::int64_t>();
}

std::string checked_sha(const std::string& where, std::string sha) {
    if (sha.size() != 16 || sha.find_first_not_of("0123456789abcdef") != std::string::npos) {
        throw input_error(where + ": \"ctx_sha\" is not 16 hex digits");
    }
    return sha;
}

ProblemRecord read_record(const std::string& where, const std::string& problem, const Json& json) {
    object_at(where, json);
    ProblemRecord record;
    record.problem = problem;
    const Json& contexts = object_at(where + ": \"ctx\"", member(where, json, "ctx"));
    for (const auto& [reader, text] : contexts.items()) {
        if (!text.is_string()) {
            throw input_error(where + ": the context of reader " + printable(reader) + " is no string");
        }
        record.contexts.push_back({reader, text.get<std::string>()});
    }
    if (record.contexts.empty()) {
        throw input_error(where + ": \"ctx\" holds no context");
    }
    record.same_for_readers = flag_at(where, json, "same_for_readers");
    record.ctx_chars = integer_at(where, json, "ctx_chars");
    record.ctx_sha = checked_sha(where, text_at(where, json, "ctx_sha"));
    record.names_self = flag_at(where, json, "names_self");
    record.family = text_at(where, json, "family");
    record.level = static_cast<int>(integer_at(where, json, "level"));
    record.name = text_at(where, json, "name");
    record.instruction = text_at(where, json, "instruction");
    return record;
}

}  // namespace

ContextSet read_context_set(const std::string& name, const Json& json) {
    ContextSet set;
    const std::string file = printable(name);
    for (const auto& [arm, readers] : object_at(file, json).items()) {
        const std::string in_arm = file + ": arm " + printable(arm);
        for (const auto& [reader, problems] : object_at(in_arm, readers).items()) {
            const std::string in_reader = in_arm + ", reader " + printable(reader);
            for (const auto& [problem, text] : object_at(in_reader, problems).items()) {
                if (!text.is_string()) {
                    throw input_error(in_reader + ", problem " + printable(problem) + ": no string");
                }
                set.entries.push_back({arm, reader, problem, text.get<std::string>()});
            }
        }
    }
    if (set.entries.empty()) {
        throw input_error(file + ": a context set without a context");
    }
    return set;
}

std::vector<ProblemRecord> read_problem_records(const std::string& name, const Json& json) {
    std::vector<ProblemRecord> records;
    for (const auto& [problem, record] : object_at(printable(name), json).items()) {
        records.push_back(read_record(printable(name) + ": record " + printable(problem), problem, record));
    }
    return records;
}

Json to_json(const ContextSet& set) {
    Json json = Json::object();
    for (const ContextEntry& entry : set.entries) {
        json[entry.arm][entry.reader][entry.problem] = entry.text;
    }
    return json;
}

Json to_json(const std::vector<ProblemRecord>& records) {
    Json json = Json::object();
    for (const ProblemRecord& record : records) {
        Json contexts = Json::object();
        for (const ProblemRecord::Reader& reader : record.contexts) {
            contexts[reader.reader] = reader.text;
        }
        json[record.problem] = {{"ctx", contexts},
                                {"same_for_readers", record.same_for_readers},
                                {"ctx_chars", record.ctx_chars},
                                {"ctx_sha", record.ctx_sha},
                                {"names_self", record.names_self},
                                {"family", record.family},
                                {"level", record.level},
                                {"name", record.name},
                                {"instruction", record.instruction}};
    }
    return json;
}

std::int64_t character_count(std::string_view text) {
    return std::ranges::count_if(text,
                                 [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::string flatten(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    std::size_t no_close_before = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '<' && at >= no_close_before) {
            const std::size_t end = text.find_first_of("<>", at + 1);
            if (end != std::string_view::npos && text[end] == '>') {
                at = end;
                continue;
            }
            no_close_before = end == std::string_view::npos ? text.size() : end;
        }
        if (text[at] == ' ' && out.ends_with(' ')) {
            continue;
        }
        out += text[at];
    }
    return out;
}

}  // namespace kbeval
