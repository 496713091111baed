#pragma once

#include <optional>
#include <string>

#include "calibration/calibration.h"
#include "store/database.h"

namespace kbeval {

/// Stores a calibration with all its timings in one transaction.
void insert_calibration(Database& database, const Calibration& calibration);

/// The newest calibration of this evaluator on this kind of GPU; empty arguments match any. Timings are read
/// only where asked for.
std::optional<Calibration> newest_calibration(Database& database, const std::string& evaluator,
                                              const std::string& gpu, bool timings);

}  // namespace kbeval
