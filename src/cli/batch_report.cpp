#include "cli/batch_report.h"

#include <unistd.h>

#include <iostream>

#include "batch/summary.h"
#include "cli/command.h"
#include "cli/session.h"
#include "report/terminal.h"
#include "report/verdict_text.h"

namespace kbeval::cli {

namespace {
constexpr std::size_t table_rows = 60;  ///< more verdicts than that are only counted
}

int report_batch(const std::vector<JudgedJob>& judged, std::size_t jobs, const std::string& why, bool json) {
    int status = exit_success;
    std::vector<Verdict> verdicts;
    for (const JudgedJob& job : judged) {
        status = std::max(status, exit_status(job.verdict));
        verdicts.push_back(job.verdict);
    }
    if (!json) {
        if (verdicts.size() <= table_rows) {
            std::cout << verdict_table(verdicts, colour_wanted(STDOUT_FILENO)) << "\n";
        }
        std::cout << summary_table(judged);
    }
    if (judged.size() < jobs) {
        std::cerr << jobs - judged.size() << " candidates are left" << (why.empty() ? "" : ": " + why)
                  << "; --resume goes on with them\n";
    }
    return status;
}

}  // namespace kbeval::cli
