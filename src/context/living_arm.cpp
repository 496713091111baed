#include "base/error.h"
#include "base/text.h"
#include "context/arm_work.h"

namespace kbeval {

namespace {

bool recipes_for_reader(const ArmWork& work) {
    if (!work.request.arm.starts_with("living:")) {
        return true;
    }
    Statement rows(work.store.database(), "SELECT reader, recipes FROM living_reader WHERE arm = ?");
    rows.bind(1, work.request.arm);
    std::map<std::string, std::string> known;
    while (rows.step()) {
        known[rows.text(0)] = rows.text(1);
    }
    if (known.empty()) {
        throw input_error("no document says what arm '" + printable(work.request.arm) + "' gives its readers",
                          "arms that are known: " + join(known_arms(work.store), ", "));
    }
    if (!known.contains(work.request.reader)) {
        refuse_reader(work.request, known);
    }
    return known[work.request.reader] == "1";
}

}  // namespace

void build_living(ArmWork& work, const Demotion& demotion, const std::string& inserted) {
    const LivingStore living = LivingStore::load(work.store.database());
    if (living.empty()) {
        throw input_error("the living store is empty",
                          "import living memory with `kbeval playbook import FILE`");
    }
    const Problem& problem = work.problem.problem;
    BuiltLiving made = living.build(living_target(work.store.database(), problem, recipes_for_reader(work)),
                                    demotion, inserted);
    work.built.text = std::move(made.text);
    work.built.origin = "built from the living store";
    work.built.choices.insert(work.built.choices.end(), made.choices.begin(), made.choices.end());
    work.built.notes.insert(work.built.notes.end(), made.notes.begin(), made.notes.end());
}

}  // namespace kbeval
