#include "report/run/rankings.h"

#include <algorithm>

namespace kbeval {

Rows least_speedups(const Rows& rows, std::size_t count) {
    Rows timed;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(timed), [](const ReportRow* row) {
        return counts(row->verdict) && is_clean(row->verdict) && row->verdict.speedup.has_value();
    });
    std::stable_sort(timed.begin(), timed.end(), [](const ReportRow* a, const ReportRow* b) {
        return *a->verdict.speedup < *b->verdict.speedup;
    });
    timed.resize(std::min(timed.size(), count));
    return timed;
}

}  // namespace kbeval
