#pragma once

#include <string>
#include <vector>

#include "store/database.h"

namespace kbeval {

/// What the views say of a problem besides its id.
struct ProblemRow {
    std::string problem;
    std::string name;
    int level = 0;  ///< 0: none
    std::string family;
};

/// Writes the rows to table `catalogue` where they differ from what was written last; problems that are not
/// among them stay. Costs one query where nothing is new.
void note_problems(Database& database, const std::vector<ProblemRow>& rows);

/// Whether note_problems would write.
bool problems_are_new(Database& database, const std::vector<ProblemRow>& rows);

}  // namespace kbeval
