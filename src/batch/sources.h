#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batch/job.h"
#include "problem/problem.h"

namespace kbeval {

/// Reads what a batch is to judge, all of it before anything is judged, and gives the jobs their keys.
/// `source` is told apart by what is there:
/// - a folder: every `L2_076_anything.py` in it and every .py below a folder `L2_076`; the label is the
/// file's
///   path without its end. Any other .py is an input error, other files are passed over.
/// - a kbeval database: the distinct sources of the evaluations for which `where` holds, an SQL condition
/// over
///   the view `verdicts`
/// - else a manifest: JSON lines with `problem`, one of `path` and `source`, and perhaps `label`, `arm`,
/// `reader`,
///   and `reply` (true: the text is a model's whole reply, of which the last ```python block counts)
/// Problems are stored under their canonical ids. Throws input errors that name file, line and rule.
std::vector<Job> read_jobs(const std::string& source, const std::string& where, const Catalogue& catalogue);

}  // namespace kbeval
