#include "protocol/messages.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace kbeval::protocol {

namespace {

/// A number, or one of the strings that stand for the non-finite ones.
double any_number(const Json& json) {
    if (json.is_number()) {
        return json.get<double>();
    }
    const auto text = json.get<std::string>();
    if (text == "inf") {
        return std::numeric_limits<double>::infinity();
    }
    if (text == "-inf") {
        return -std::numeric_limits<double>::infinity();
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> times(const Json& json, std::size_t count) {
    auto values = json.get<std::vector<double>>();
    if (values.size() != count) {
        throw std::runtime_error("a block answered " + std::to_string(values.size()) + " times for " +
                                 std::to_string(count) + " forwards");
    }
    for (const double value : values) {
        if (!std::isfinite(value) || value <= 0) {
            throw std::runtime_error("a block answered a time that is not positive");
        }
    }
    return values;
}

}  // namespace

Comparison comparison_from(const Json& json) {
    Comparison c;
    c.slot = json.at("slot").get<int>();
    c.output = json.at("output").get<int>();
    c.numel = json.at("numel").get<std::int64_t>();
    c.mismatches = json.at("mismatches").get<std::int64_t>();
    c.nonfinite_mismatches = json.at("nonfinite_mismatches").get<std::int64_t>();
    c.max_abs = any_number(json.at("max_abs"));
    c.max_rel = any_number(json.at("max_rel"));
    c.worst_index = json.at("worst_index").get<std::int64_t>();
    c.worst_expected = any_number(json.at("worst_expected"));
    c.worst_actual = any_number(json.at("worst_actual"));
    return c;
}

ExactError exact_error_from(const Json& json) {
    return {any_number(json.at("max_abs")), any_number(json.at("sum_squares")),
            json.at("numel").get<std::int64_t>()};
}

BlockTimes block_times_from(const Json& json, std::size_t count) {
    return {times(json.at("device_ms"), count), times(json.at("host_ms"), count),
            json.at("flags").get<std::vector<std::string>>()};
}

std::vector<KernelRecord> kernels_from(const Json& json) {
    std::vector<KernelRecord> kernels;
    for (const Json& item : json.at("kernels")) {
        kernels.push_back({item.at("name").get<std::string>(), item.at("launches").get<std::int64_t>(),
                           item.at("total_ns").get<double>()});
    }
    return kernels;
}

SubjectError subject_error_from(const Json& json) {
    return {json.at("kind").get<std::string>(), json.at("type").get<std::string>(),
            json.at("message").get<std::string>(), json.at("line").get<std::int64_t>(),
            json.at("text").get<std::string>()};
}

}  // namespace kbeval::protocol
