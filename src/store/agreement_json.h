#pragma once

#include <string>

#include "verdict/verdict.h"

namespace kbeval {

/// The `agreement` column: the object that `to_json(Verdict)` holds under that name. NaN and infinities are
/// the texts "nan", "inf" and "-inf".
std::string agreement_to_text(const Agreement& agreement);

/// Its inverse. Throws nlohmann::json::exception or std::invalid_argument where `text` is none.
Agreement agreement_from_text(const std::string& text);

}  // namespace kbeval
