#pragma once

#include "cli/command.h"

namespace kbeval::cli {

void add_cards_trial(CLI::App& cards, Action& chosen);

}  // namespace kbeval::cli
