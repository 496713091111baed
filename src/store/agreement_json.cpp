#include "store/agreement_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kbeval {

namespace {

double any_number(const nlohmann::json& value) {
    if (value.is_null()) {  // how a number that ought to be finite is written where it is not
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (!value.is_string()) {
        return value.get<double>();
    }
    const auto& name = value.get_ref<const std::string&>();
    if (name == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (name == "inf" || name == "-inf") {
        const double infinity = std::numeric_limits<double>::infinity();
        return name == "inf" ? infinity : -infinity;
    }
    throw std::invalid_argument("'" + name + "' is no number");
}

}  // namespace

std::string agreement_to_text(const Agreement& agreement) {
    Verdict carrier;
    carrier.agreement = agreement;
    return to_json(carrier)["agreement"].dump();
}

Agreement agreement_from_text(const std::string& text) {
    const auto json = nlohmann::json::parse(text);
    Agreement agreement;
    agreement.max_abs_diff = any_number(json.at("max_abs_diff"));
    agreement.max_rel_diff = any_number(json.at("max_rel_diff"));
    agreement.share_beyond = any_number(json.at("share_beyond_tolerance"));
    agreement.seeds_checked = json.at("seeds_checked").get<int>();
    agreement.output = json.at("output").get<int>();
    agreement.worst_index = json.at("worst_index").get<std::vector<std::int64_t>>();
    agreement.worst_expected = any_number(json.at("worst_expected"));
    agreement.worst_actual = any_number(json.at("worst_actual"));
    return agreement;
}

}  // namespace kbeval
