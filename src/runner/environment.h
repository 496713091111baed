#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/layout.h"
#include "device/device.h"

namespace kbeval {

/// Environment of the runner host: of kbeval's own only what is needed to find programs, libraries and the
/// GPU, and the numeric policy (NVIDIA_TF32_OVERRIDE=0).
std::map<std::string, std::string> host_environment(const Layout& layout, const Device& device);

/// Environment of a candidate's runner, whose caches lie in its scratch folder.
std::map<std::string, std::string> candidate_environment(const Layout& layout, const Device& device,
                                                         const std::filesystem::path& scratch);

/// Configuration of the candidate's sandbox (see docs/sandbox.md). `hidden` must not be visible inside.
nlohmann::json sandbox_config(const Layout& layout, const Device& device,
                              const std::vector<std::filesystem::path>& hidden);

}  // namespace kbeval
