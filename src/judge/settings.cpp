#include "judge/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "source_digest.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

/// The harness is read as it is installed, not as it was built, so that an edited file shows in the digest.
void add_harness(Sha256& hash, const fs::path& package) {
    std::vector<fs::path> files;
    std::error_code code;
    for (const auto& entry : fs::recursive_directory_iterator(package, code)) {
        const auto extension = entry.path().extension();
        if (entry.is_regular_file() && (extension == ".py" || extension == ".json")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        hash.field(fs::relative(file, package).generic_string());
        hash.field(read_file(file, 16 << 20));
    }
}

/// The one list of settings: calls `f(name, field)` for each.
template <typename ASettings, typename Function>
void each_setting(ASettings& s, Function&& f) {
    f("seeds", s.seeds);
    f("exact_oracle", s.exact_oracle);
    f("atol", s.atol);
    f("rtol", s.rtol);
    f("time_budget", s.time_budget);
    f("build_timeout", s.build_timeout);
    f("forward_timeout", s.forward_timeout);
    f("compile_timeout", s.compile_timeout);
    f("min_rounds", s.min_rounds);
    f("min_pairs", s.min_pairs);
    f("max_pairs", s.max_pairs);
    f("target_half_width", s.target_half_width);
    f("block_ms", s.block_ms);
    f("warm_ms", s.warm_ms);
    f("head_start_us", s.head_start_us);
    f("process_spread", s.process_spread.relative);
    f("process_spread_us", s.process_spread.absolute_us);
}

std::string to_text(double value) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;  // shortest that reads back the same
    return {text, end};
}
std::string to_text(int value) {
    return std::to_string(value);
}
std::string to_text(bool value) {
    return value ? "1" : "0";
}
std::string to_text(const std::optional<double>& value) {
    return value ? to_text(*value) : "default";
}

double number_from(const std::string& name, const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value) || std::fabs(value) > 1e9) {
        throw input_error("setting " + name + ": '" + printable(text.substr(0, 80)) + "' is no number");
    }
    return value;
}

void read_text(const std::string& name, const std::string& text, double& field) {
    field = number_from(name, text);
}
void read_text(const std::string& name, const std::string& text, int& field) {
    field = static_cast<int>(number_from(name, text));
}
void read_text(const std::string& name, const std::string& text, bool& field) {
    field = number_from(name, text) != 0;
}
void read_text(const std::string& name, const std::string& text, std::optional<double>& field) {
    field = text == "default" ? std::nullopt : std::optional<double>(number_from(name, text));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_to_pairs(const Settings& settings) {
    std::vector<std::pair<std::string, std::string>> pairs;
    each_setting(settings,
                 [&](const char* name, const auto& field) { pairs.emplace_back(name, to_text(field)); });
    return pairs;
}

Settings settings_from_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    Settings settings;
    for (const auto& [name, text] : pairs) {
        bool known = false;
        each_setting(settings, [&, &wanted = name, &value = text](const char* each, auto& field) {
            if (wanted == each) {
                read_text(wanted, value, field);
                known = true;
            }
        });
        if (!known) {
            throw input_error("setting " + printable(name.substr(0, 80)) + " is unknown to this kbeval");
        }
    }
    return settings;
}

std::string evaluator_digest(const Layout& layout, const Settings& s) {
    Sha256 hash;
    hash.field(KBEVAL_SOURCE_DIGEST);
    add_harness(hash, layout.harness() / "kbeval_harness");
    for (const auto& [name, value] : settings_to_pairs(s)) {
        if (name != "exact_oracle") {  // tells more, and changes no verdict
            hash.field(name);
            hash.field(value);
        }
    }
    for (const std::string& layer : s.layers_off) {
        hash.field("layers_off:" + layer);
    }
    return hash.hex().substr(0, 16);
}

}  // namespace kbeval
