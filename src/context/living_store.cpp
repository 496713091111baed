#include "context/living_store.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/text.h"
#include "context/bullet_form.h"
#include "context/context_set.h"

namespace kbeval {

namespace {

/// What two items with the same rounded speedup are told apart by.
std::string order_key(const LivingItem& item) {
    return item.name + " " + item.speedup;
}

LivingKind kind_from(std::string_view name) {
    for (const LivingKind kind : {LivingKind::lesson, LivingKind::pitfall, LivingKind::recipe}) {
        if (to_string(kind) == name) {
            return kind;
        }
    }
    return LivingKind::kernel;
}

std::string shown_name(const LivingItem& item) {
    if (item.kind == LivingKind::kernel) {
        return item.problem + " " + item.name;
    }
    return item.kind == LivingKind::recipe ? item.name : item.text.substr(0, 60);
}

using OrderPairs = std::map<std::string, std::set<std::string>>;  // by the later one: those before it

/// Takes, again and again, the first key none of whose predecessors is left; in a circle simply the first.
std::vector<std::string> in_order(std::vector<std::string> keys, const OrderPairs& pairs) {
    std::vector<std::string> out;
    while (!keys.empty()) {
        const auto free = std::ranges::find_if(keys, [&](const std::string& key) {
            const auto before = pairs.find(key);
            return before == pairs.end() || std::ranges::none_of(keys, [&](const std::string& other) {
                       return other != key && before->second.contains(other);
                   });
        });
        const auto next = free == keys.end() ? keys.begin() : free;
        out.push_back(*next);
        keys.erase(next);
    }
    return out;
}

void add_section(std::string& text, const std::vector<LivingItem>& items) {
    if (items.empty()) {
        return;
    }
    text += "\n\n" + living_heading(items.front());
    for (const LivingItem& item : items) {
        text += "\n" + living_text(item);
    }
}

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
    std::set<std::string> words;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        if (end > at) {
            words.insert(lower_case(name.substr(at, end - at)));
        }
        at = end + 1;
    }
    return {words.begin(), words.end()};
}

double name_similarity(std::string_view a, std::string_view b) {
    const auto x = name_words(a);
    const auto y = name_words(b);
    std::vector<std::string> shared;
    std::ranges::set_intersection(x, y, std::back_inserter(shared));
    const std::size_t all = x.size() + y.size() - shared.size();
    return all == 0 ? 0 : static_cast<double>(shared.size()) / static_cast<double>(all);
}

LivingStore LivingStore::load(Database& database) {
    LivingStore store;
    Statement rows(database,
                   "SELECT kind, family, problem, name, speedup, text, intact FROM living_item ORDER BY key");
    std::map<std::string, std::vector<std::string>> keys;  // by family, in order of appearance
    while (rows.step()) {
        Stored stored;
        stored.item = {
            kind_from(rows.text(0)), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5)};
        stored.intact = rows.integer(6) != 0;
        stored.speedup = std::strtod(stored.item.speedup.c_str(), nullptr);
        auto& known = keys[stored.item.family];
        if (std::ranges::find(known, order_key(stored.item)) == known.end() && !stored.item.speedup.empty()) {
            known.push_back(order_key(stored.item));
        }
        store.items_.push_back(std::move(stored));
    }
    std::map<std::string, OrderPairs> pairs;
    Statement order(database, "SELECT family, first, second FROM living_order");
    while (order.step()) {
        pairs[order.text(0)][order.text(2)].insert(order.text(1));
    }
    for (auto& [family, known] : keys) {
        known = in_order(std::move(known), pairs[family]);
    }
    for (Stored& stored : store.items_) {
        const auto& known = keys[stored.item.family];
        stored.rank = static_cast<std::size_t>(
            std::distance(known.begin(), std::ranges::find(known, order_key(stored.item))));
    }
    return store;
}

std::vector<LivingStore::Stored> LivingStore::listed(LivingKind kind, const LivingTarget& target,
                                                     BuiltLiving& built) const {
    std::vector<Stored> found;
    for (const Stored& stored : items_) {
        if (stored.item.kind != kind || (kind != LivingKind::lesson && stored.item.family != target.family)) {
            continue;
        }
        if (kind == LivingKind::recipe && stored.item.name == target.name) {
            built.choices.push_back({"recipe", stored.item.name, "out", "it is of the problem itself"});
            continue;
        }
        found.push_back(stored);
    }
    if (kind == LivingKind::recipe) {
        std::ranges::stable_sort(found, [](const Stored& a, const Stored& b) {
            return a.speedup != b.speedup ? a.speedup > b.speedup : a.rank < b.rank;
        });
    }
    const std::size_t most = kind == LivingKind::lesson    ? found.size()
                             : kind == LivingKind::pitfall ? most_pitfalls
                                                           : most_recipes;
    for (std::size_t i = most; i < found.size(); ++i) {
        built.choices.push_back({std::string(to_string(kind)), shown_name(found[i].item), "out",
                                 "only the first " + std::to_string(most) + " are given"});
    }
    found.resize(std::min(most, found.size()));
    return found;
}

std::vector<LivingStore::Stored> LivingStore::related_kernels(const LivingTarget& target,
                                                              BuiltLiving& built) const {
    std::vector<std::pair<double, Stored>> found;
    for (const Stored& stored : items_) {
        if (stored.item.kind != LivingKind::kernel || stored.item.family != target.family) {
            continue;
        }
        if (stored.item.problem == target.problem || stored.item.name == target.name) {
            built.choices.push_back(
                {"kernel", shown_name(stored.item), "out", "it is of the problem itself"});
            continue;
        }
        found.emplace_back(name_similarity(stored.item.name, target.name), stored);
    }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) {
        if (a.first != b.first) {
            return a.first > b.first;
        }
        return a.second.speedup != b.second.speedup ? a.second.speedup > b.second.speedup
                                                    : a.second.rank < b.second.rank;
    });
    std::vector<Stored> chosen;
    std::set<std::string> problems;
    for (auto& [similarity, stored] : found) {
        const std::string shown = shown_name(stored.item);
        if (chosen.size() == most_kernels || problems.contains(stored.item.problem)) {
            built.choices.push_back({"kernel", shown, "out", "others are nearer"});
        } else if (!stored.intact) {
            built.choices.push_back({"kernel", shown, "out", "known only from an altered document"});
            built.notes.push_back("kernel " + shown +
                                  " would be chosen, but is known only from an altered document");
        } else {
            problems.insert(stored.item.problem);
            chosen.push_back(std::move(stored));
        }
    }
    return chosen;
}

BuiltLiving LivingStore::build(const LivingTarget& target, const Demotion& demotion,
                               const std::string& inserted) const {
    BuiltLiving built;
    built.text = living_title;
    const auto place = [&](const std::vector<Stored>& chosen, bool one_section) {
        std::vector<LivingItem> kept;
        std::vector<LivingItem> behind;
        for (const Stored& stored : chosen) {
            const std::string reason = demotion ? demotion(stored.item) : std::string();
            (reason.empty() ? kept : behind).push_back(stored.item);
            built.choices.push_back({std::string(to_string(stored.item.kind)), shown_name(stored.item),
                                     reason.empty() ? "in" : "demoted", reason});
        }
        kept.insert(kept.end(), behind.begin(), behind.end());
        if (one_section) {
            add_section(built.text, kept);
            return;
        }
        for (const LivingItem& item : kept) {
            add_section(built.text, {item});
        }
    };
    place(listed(LivingKind::lesson, target, built), true);
    if (!inserted.empty()) {
        built.text += "\n\n" + inserted;
    }
    place(listed(LivingKind::pitfall, target, built), true);
    if (target.recipes) {
        place(listed(LivingKind::recipe, target, built), true);
    }
    place(related_kernels(target, built), false);
    return built;
}

}  // namespace kbeval
