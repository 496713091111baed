#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "store/store.h"

namespace kbeval {

/// Which of the long parts of a record to show.
struct RecordParts {
    bool source = false;
    bool samples = false;
};

/// What `kbeval show` prints: the verdict with its whole message, digests, stages, versions, conditions, a
/// summary of the samples, the runner's log. As in `verdict_text`, stored texts can't send control codes.
std::string record_text(const EvaluationRecord& record, const RecordParts& parts, bool colour);

/// The verdict's JSON object (see `to_json`), then `log`, and `samples` and `source` where asked for.
nlohmann::ordered_json record_json(const EvaluationRecord& record, const RecordParts& parts);

/// JSON text that is valid whatever bytes the strings hold; over several lines where `indent` is not
/// negative.
std::string dump_json(const nlohmann::ordered_json& json, int indent);

}  // namespace kbeval
