#include "judge/test_layers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "base/error.h"

namespace kbeval {

std::vector<std::string> parse_layers_off(const std::string& text) {
    constexpr std::array<const char*, 2> known{"freeze", "static_check"};
    std::vector<std::string> layers;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            throw input_error(std::string(layers_off_variable) + ": no layer '" + word + "'",
                              "it is for tests; known are freeze, static_check");
        }
        layers.push_back(word);
    }
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    return layers;
}

std::vector<std::string> layers_off_from_environment() {
    const char* const off = std::getenv(layers_off_variable);
    return parse_layers_off(off == nullptr ? "" : off);
}

}  // namespace kbeval
