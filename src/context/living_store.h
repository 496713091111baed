#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "context/living.h"
#include "context/prompt.h"
#include "store/database.h"

namespace kbeval {

/// What the selection rule looks at.
struct LivingTarget {
    std::string problem;  ///< id
    std::string name;
    std::string family;
    bool recipes = true;  ///< false for readers that get none
};

struct BuiltLiving {
    std::string text;
    std::vector<ContextChoice> choices;
    std::vector<std::string> notes;
};

/// Whether an item contradicts something that is given beside it; the reason, or empty.
using Demotion = std::function<std::string(const LivingItem&)>;

/// Words of a problem's name: what `_` separates, in lower case, each once.
std::vector<std::string> name_words(std::string_view name);
/// Shared words over all words of two names (Jaccard 1912), 0 to 1.
double name_similarity(std::string_view a, std::string_view b);

/// Living memory of all imported documents and admitted successes, in the order of preference of each family.
/// docs/contexts.md states the rule by which a context is chosen from it.
class LivingStore {
  public:
    static constexpr std::size_t most_pitfalls = 6;
    static constexpr std::size_t most_recipes = 6;
    static constexpr std::size_t most_kernels = 2;

    static LivingStore load(Database& database);

    /// `inserted` are sections that stand after the lessons (cards); may be empty.
    [[nodiscard]] BuiltLiving build(const LivingTarget& target, const Demotion& demotion = {},
                                    const std::string& inserted = {}) const;

    [[nodiscard]] bool empty() const { return items_.empty(); }

  private:
    struct Stored {
        LivingItem item;
        bool intact = true;
        double speedup = 0;
        std::size_t rank = 0;  ///< place in the order of preference
    };

    [[nodiscard]] std::vector<Stored> listed(LivingKind kind, const LivingTarget& target,
                                             BuiltLiving& built) const;
    [[nodiscard]] std::vector<Stored> related_kernels(const LivingTarget& target, BuiltLiving& built) const;

    std::vector<Stored> items_;
};

/// The problem as the rule sees it: its family is the one under which documents gave it its living memory,
/// else the catalogue's.
LivingTarget living_target(Database& database, const Problem& problem, bool recipes);

/// Remembers the family of the first section that has one, for the problem that the context was made for.
void learn_family(Database& database, const LivingDocument& document, const std::string& problem);

/// Adds the items of a document; those that are known already (from an altered document too) are not doubled.
/// `problem_name` is that of the problem that the context was made for: its order of kernels tells which of
/// two with the same rounded speedup comes first.
void learn_living(Database& database, const LivingDocument& document, bool intact, const std::string& origin,
                  const std::string& problem_name);

/// Adds one item with its evaluation (key) as provenance.
void admit_living(Database& database, const LivingItem& item, const std::string& evaluation_id);

}  // namespace kbeval
