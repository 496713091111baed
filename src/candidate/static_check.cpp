#include "candidate/static_check.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/subprocess.h"

namespace kbeval {

namespace {

std::vector<Violation> violations_from(const nlohmann::json& list) {
    std::vector<Violation> violations;
    for (const auto& v : list) {
        violations.push_back({v.at("code").get<std::string>(), v.at("rule").get<std::string>(),
                              v.at("message").get<std::string>(), v.at("line").get<int>(),
                              v.at("column").get<int>()});
    }
    return violations;
}

StaticCheckResult result_from(const nlohmann::json& json) {
    StaticCheckResult result;
    result.ok = json.at("ok").get<bool>();
    result.violations = violations_from(json.at("violations"));
    result.warnings = violations_from(json.at("warnings"));
    for (const auto& k : json.at("kernels")) {
        result.kernels.push_back({k.at("name").get<std::string>(), k.at("kind").get<std::string>()});
    }
    return result;
}

}  // namespace

StaticCheckResult static_check(const std::string& source, const std::string& device_kind,
                               const std::filesystem::path& python, const std::filesystem::path& harness) {
    if (python.empty()) {
        throw infrastructure_error("no Python found", "run scripts/setup, or set KBEVAL_PYTHON");
    }
    const auto package = harness / "kbeval_harness" / "static_check";
    const ProcessResult process = run_process(
        {python.string(), "-I", "-S", package.string(), "--device", device_kind}, source, {60, 8 << 20});
    if (process.exit_code != 0) {
        throw infrastructure_error("the static check did not run (" + python.string() + "):\n" +
                                   process.error_output.substr(0, 4096));
    }
    try {
        return result_from(nlohmann::json::parse(process.output));
    } catch (const nlohmann::json::exception& error) {
        throw infrastructure_error(std::string("the static check answered no JSON: ") + error.what());
    }
}

std::string describe(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& v : violations) {
        if (!text.empty()) {
            text += '\n';
        }
        if (v.line > 0) {
            text += "line " + std::to_string(v.line) + ", column " + std::to_string(v.column) + ": ";
        }
        text += v.message + " [" + v.code + " " + v.rule + "]";
    }
    return text;
}

}  // namespace kbeval
