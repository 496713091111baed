#pragma once

#include <string>

#include "figures/report.h"

namespace kbeval {

/// What `kbeval report` prints on a terminal: per group the summary, fast_p, statuses by level and family,
/// then changes and regressions. Texts from outside can't send control codes.
std::string report_text(const Report& report);

/// The same as GitHub-flavoured Markdown that pastes into a pull request. Texts from outside stay text: no
/// mention, link, image or HTML comes of them.
std::string report_markdown(const Report& report);

/// `text` as one line of Markdown that shows just that text, in a table too.
std::string markdown_text(std::string_view text);

}  // namespace kbeval
