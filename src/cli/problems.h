#pragma once

#include "cli/command.h"

namespace kbeval::cli {

// The subcommands of `problems`, one file each.
void add_problems_verify(CLI::App& problems, Action& chosen);
void add_problems_import(CLI::App& problems, Action& chosen);

/// Processors that this process may use, at least 1.
int processors();

}  // namespace kbeval::cli
