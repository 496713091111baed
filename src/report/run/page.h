#pragma once

#include <functional>
#include <ostream>

#include "figures/report.h"

namespace kbeval {

/// Fetches all that is stored of one evaluation of a run.
using RecordSource = std::function<EvaluationRecord(const RunRows& run, const std::string& id)>;

/// Writes the report as one HTML file that needs no network: its Content-Security-Policy allows nothing but
/// the styles and scripts in it, each by its digest. Figures lie in it as JSON; every evaluation's source,
/// messages, samples and log as compressed JSON, many a block, that is unpacked when a reader asks for it. No
/// stored text becomes markup: data blocks hold no `<`, and the scripts put texts into text nodes only.
void write_page(std::ostream& out, const Report& report, const RecordSource& records);

}  // namespace kbeval
