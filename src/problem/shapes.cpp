#include "problem/shapes.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace kbeval {

namespace {
constexpr std::size_t max_facts_bytes = 64 << 20;
}  // namespace

std::optional<ProblemShapes> recorded_shapes(const std::filesystem::path& folder, const std::string& id) {
    try {
        const auto facts = nlohmann::json::parse(read_file(folder / "facts.json", max_facts_bytes));
        const auto& entry = facts.at(id);
        ProblemShapes shapes;
        shapes.inputs = entry.at("inputs").get<std::vector<std::string>>();
        shapes.init_arguments = entry.at("init_inputs").get<std::string>();
        const auto& outputs = entry.at("outputs");
        shapes.outputs = outputs.is_string() ? outputs.get<std::string>() : outputs.dump();
        return shapes;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    } catch (const Error&) {
        return std::nullopt;  // an imported folder has none
    }
}

}  // namespace kbeval
