#pragma once

#include <string>

#include "calibration/calibration.h"

namespace kbeval {

/// What `kbeval calibrate` prints: figures and tables, which are Markdown too.
std::string calibration_text(const Calibration& calibration);

}  // namespace kbeval
