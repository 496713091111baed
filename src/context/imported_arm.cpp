#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "context/arm_work.h"

namespace kbeval {

namespace {

void note_once(std::vector<std::string>& notes, const std::string& note) {
    if (std::ranges::find(notes, note) == notes.end()) {
        notes.push_back(note);
    }
}

}  // namespace

bool take_imported(ArmWork& work) {
    Statement rows(work.store.database(),
                   "SELECT e.reader, e.digest, e.state, d.name, t.text FROM context_entry AS e "
                   "JOIN context_document AS d ON d.key = e.document "
                   "JOIN context_text AS t ON t.digest = e.digest "
                   "WHERE e.arm = ?1 AND e.problem = ?2 AND (?3 = '' OR d.name = ?3) "
                   "ORDER BY d.key DESC, e.position");
    rows.bind(1, work.request.arm);
    rows.bind(2, work.problem.problem.id);
    rows.bind(3, work.request.from);
    std::map<std::string, std::string> by_reader;  // reader: digest, of the newest document
    std::string text;
    while (rows.step()) {
        if (rows.text(2) == "altered") {
            note_once(work.built.notes,
                      "the context that " + rows.text(3) + " holds is altered, so it is not used");
            continue;
        }
        if (!work.built.origin.empty() && rows.text(3) != work.built.origin) {
            break;
        }
        work.built.origin = rows.text(3);
        by_reader[rows.text(0)] = rows.text(1);
        if (text.empty() || rows.text(0) == work.request.reader) {
            text = rows.text(4);
        }
    }
    if (by_reader.empty()) {
        return false;
    }
    const bool same = std::ranges::all_of(
        by_reader, [&](const auto& entry) { return entry.second == by_reader.begin()->second; });
    if (!by_reader.contains(work.request.reader) && !same) {
        refuse_reader(work.request, by_reader);
    }
    work.built.text = std::move(text);
    work.built.choices.push_back({"text", work.built.origin, "in", "imported for this problem"});
    return true;
}

void refuse_reader(const ContextRequest& request, const std::map<std::string, std::string>& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const auto& [reader, value] : known) {
        names.push_back(reader);
    }
    throw input_error("arm " + printable(request.arm) + " depends on the reader, and " +
                          (request.reader.empty() ? std::string("none is named")
                                                  : "'" + printable(request.reader) + "' is unknown"),
                      "name one with --reader: " + join(names, ", "));
}

}  // namespace kbeval
