#pragma once

#include <string>
#include <vector>

#include "figures/report.h"

namespace kbeval {

/// Columns of the CSV, in order. docs/reports.md says what each holds; new ones come at the end.
const std::vector<std::string>& csv_columns();

/// One line an evaluation under a line of names (RFC 4180, CRLF). A number that there is none of is an empty
/// field. A text that a spreadsheet would run as a formula gets a ' before it.
std::string report_csv(const Report& report);

}  // namespace kbeval
