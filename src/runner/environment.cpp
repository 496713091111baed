#include "runner/environment.h"

#include <array>
#include <cstdint>

#include "base/file.h"
#include "base/subprocess.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

// Limits of a candidate's processes. The address space is not limited: CUDA reserves terabytes of it.
constexpr std::uint64_t max_file_bytes = 4ULL << 30U;
constexpr std::uint64_t tmp_bytes = 4ULL << 30U;
constexpr std::uint64_t max_processes = 512;
constexpr std::uint64_t max_open_files = 4096;

void copy_variables(const std::map<std::string, std::string>& from, std::map<std::string, std::string>& to) {
    static constexpr std::array<const char*, 13> kept{
        "PATH",      "HOME",   "LANG", "LC_ALL", "TZ",  "LD_LIBRARY_PATH",         "CUDA_HOME",
        "CUDA_PATH", "TMPDIR", "USER", "CC",     "CXX", "KBEVAL_BUILD_CACHE_BYTES"};
    for (const char* name : kept) {
        const auto found = from.find(name);
        if (found != from.end()) {
            to.insert(*found);
        }
    }
}

void add_policy(const Device& device, std::map<std::string, std::string>& variables) {
    variables["NVIDIA_TF32_OVERRIDE"] = "0";
    variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    variables["CUDA_VISIBLE_DEVICES"] = device.ordinal() >= 0 ? std::to_string(device.ordinal()) : "";
    // Without it PyTorch asks the driver whether there is a GPU while it is imported, and forks can't use
    // CUDA then.
    variables["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1";
    variables["PYTHONNOUSERSITE"] = "1";
    variables["PYTHONDONTWRITEBYTECODE"] = "1";
    variables["PYTHONHASHSEED"] = "0";
    if (device.kind() == "cpu") {
        variables["TRITON_INTERPRET"] = "1";
    }
}

}  // namespace

std::map<std::string, std::string> host_environment(const Layout& layout, const Device& device) {
    std::map<std::string, std::string> variables;
    copy_variables(current_environment(), variables);
    add_policy(device, variables);
    variables["KBEVAL_NATIVE_LIB"] = find_built_library(layout, "kbeval_native").string();
    variables["KBEVAL_SANDBOX_LIB"] = find_built_library(layout, "libkbeval_sandbox").string();
    variables["KBEVAL_BUILD_CACHE"] = (cache_directory() / "extensions").string();
    variables["TORCHINDUCTOR_CACHE_DIR"] = (cache_directory() / "inductor").string();
    variables["TRITON_CACHE_DIR"] = (cache_directory() / "triton").string();
    return variables;
}

std::map<std::string, std::string> candidate_environment(const Layout& layout, const Device& device,
                                                         const fs::path& scratch) {
    std::map<std::string, std::string> variables = host_environment(layout, device);
    variables.erase("KBEVAL_SANDBOX_LIB");
    variables.erase("KBEVAL_BUILD_CACHE");
    variables.erase("KBEVAL_BUILD_CACHE_BYTES");
    const std::string folder = scratch.string();
    variables["HOME"] = folder;
    variables["TMPDIR"] = "/tmp";
    variables["TRITON_CACHE_DIR"] = folder + "/triton";
    variables["TORCHINDUCTOR_CACHE_DIR"] = folder + "/inductor";
    variables["TORCH_EXTENSIONS_DIR"] = folder + "/extensions";
    return variables;
}

nlohmann::json sandbox_config(const Layout& layout, const Device& device,
                              const std::vector<fs::path>& hidden) {
    nlohmann::json config;
    config["ro_paths"] = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/alternatives", "/etc/ld.so.cache",
                          "/opt"};
    config["hide_paths"] = nlohmann::json::array({layout.problems().string()});
    std::error_code code;
    if (fs::exists(imported_problems(), code)) {
        config["hide_paths"].push_back(imported_problems().string());
    }
    for (const fs::path& path : hidden) {
        config["hide_paths"].push_back(path.string());
    }
    config["device_paths"] = nlohmann::json::array();
    if (device.kind() == "cuda") {
        config["device_paths"] = {"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm",
                                  "/dev/nvidia-uvm-tools"};
    }
    config["tmp_bytes"] = tmp_bytes;
    config["limits"] = {
        {"file_bytes", max_file_bytes}, {"open_files", max_open_files}, {"processes", max_processes}};
    return config;
}

}  // namespace kbeval
