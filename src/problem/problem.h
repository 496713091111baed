#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/layout.h"
#include "problem/costs.h"

namespace kbeval {

/// Size at which a problem is evaluated: its own, or a small one at which the CPU takes a second or two.
enum class Size { full, smoke };

std::string to_string(Size size);

/// A reference problem as the catalogue lists it.
struct Problem {
    std::string id;      ///< L2_076
    std::string name;    ///< Gemm_Add_ReLU
    std::string family;  ///< matmul, conv, norm, ...
    int level = 0;
    int number = 0;
    double atol = 1e-4;
    double rtol = 1e-4;
    std::vector<std::string> tags;
    std::filesystem::path file;                       ///< absolute
    nlohmann::json smoke = nlohmann::json::object();  ///< module constants by name
    std::optional<ProblemCosts> costs;  ///< at full size; nothing where they could not be counted

    [[nodiscard]] const nlohmann::json& overrides(Size size) const;
};

/// Problem with its source text.
struct LoadedProblem {
    Problem problem;
    std::string source;
    std::string digest;  ///< 16 hex digits over source and, at smoke size, the overrides
};

/// Which problems `list` shows; empty fields match all.
struct ProblemFilter {
    int level = 0;
    std::string family;
    std::string tag;
};

/// The problems that kbeval knows, from `problems/catalog.json`.
class Catalogue {
  public:
    /// Reads and checks `folder/catalog.json`. Throws an input error naming the entry and the rule it breaks.
    explicit Catalogue(const std::filesystem::path& folder);
    /// kbeval's own problems and those that were imported.
    explicit Catalogue(const Layout& layout);

    [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
    [[nodiscard]] std::vector<Problem> select(const ProblemFilter& filter) const;

    /// Problem by id in any letter case and with or without leading zeros (L2_76, l2_076). An unknown id
    /// throws an input error that names the nearest ids.
    [[nodiscard]] const Problem& find(const std::string& id) const;

    /// Reads the source. Throws an input error where it is missing or larger than 1 MiB.
    [[nodiscard]] static LoadedProblem load(const Problem& problem, Size size);

  private:
    void add(const std::filesystem::path& folder);

    std::vector<Problem> problems_;
};

}  // namespace kbeval
