#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace kbeval {

/// Counts of one bullet, for one family or reader where they are asked for.
struct BulletCounts {
    std::string bullet;
    std::string section;
    std::string group;  ///< family or reader; empty where not grouped
    std::int64_t base_helpful = 0;
    std::int64_t base_harmful = 0;
    std::int64_t event_helpful = 0;  ///< distinct replies and sources since `since`
    std::int64_t event_harmful = 0;
    std::int64_t evaluations = 0;  ///< that cited it, infra errors left out
    std::optional<double> success_rate;
    std::optional<double> mean_score;
};

struct CountsQuery {
    std::string playbook;
    std::string since;  ///< only events created from then on (ISO 8601); empty: all
    std::string by;     ///< family, reader, or empty
};

/// In the order of the playbook; with `by`, only groups that have events. Throws an input error for an
/// unknown playbook. Families come from `family_of`.
std::vector<BulletCounts> bullet_counts(Store& store, const CountsQuery& query,
                                        const std::vector<std::pair<std::string, std::string>>& family_of);

/// Ids that were cited and the playbook doesn't have, each with how often.
std::vector<std::pair<std::string, std::int64_t>> unknown_citations(Store& store,
                                                                    const std::string& playbook);

/// The playbook with counts of base and events; nothing else differs from what was imported.
std::string export_playbook(Store& store, const std::string& name);

}  // namespace kbeval
