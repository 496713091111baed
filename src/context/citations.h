#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace kbeval {

enum class CitationKind { helpful, harmful };

/// One bullet that a reply calls helpful or misleading.
struct Citation {
    std::string bullet;  ///< id in lower case: str-00001
    CitationKind kind = CitationKind::helpful;

    friend bool operator==(const Citation&, const Citation&) = default;
};

/// Reads citations from a reply (docs/contexts.md has the form): a word of helpful (helpful, useful, used) or
/// harmful (harmful, misleading, unhelpful, wrong), then ids as a list or in the sentence. Each pair of
/// bullet and kind is given once, in order of appearance. Fenced code is not read.
std::vector<Citation> read_citations(std::string_view reply);

/// Who says that a bullet helped or harmed.
enum class EventSource { agent_citation, reflector, verdict_rule };

/// What the events of one reply belong to. At least one of `evaluation`, `turn` and `reply` is given.
struct CitedIn {
    std::string playbook;    ///< name of the playbook that the agent was given
    std::string evaluation;  ///< id of the evaluation of this reply; its deletion takes the events back
    std::string turn;        ///< any text that names the turn in which the reply was given: "EPISODE/3"
    std::string reply;       ///< the reply itself; where there is no turn, its digest says which reply it is
    std::string reader;      ///< model that wrote the reply; may be empty
};

struct RecordedCitations {
    int counted = 0;  ///< new events
    int known = 0;    ///< events that were there already: the same reply read again
    int unknown = 0;  ///< ids that the playbook doesn't have: kept, counted nowhere
};

/// Writes one event for each citation, in one transaction. The same bullet, kind, place and source never
/// counts twice. Throws an input error where the playbook or the evaluation is unknown.
RecordedCitations record_citations(Store& store, const CitedIn& where, const std::vector<Citation>& citations,
                                   EventSource source);

}  // namespace kbeval
