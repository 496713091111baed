#include "doctor/doctor.h"

#include <sys/statvfs.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "calibration/summary.h"
#include "device/device.h"
#include "judge/settings.h"
#include "store/store.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

constexpr const char* setup = "run scripts/setup";
constexpr double least_free_gib = 5;

std::string first_line(const std::string& text) {
    const auto lines = split_lines(text);
    return lines.empty() ? "" : std::string(lines.front().substr(0, 200));
}

Finding program(const std::string& name, const std::string& remedy) {
    const fs::path path = find_program(name);
    return {name, !path.empty(), false, path.empty() ? "not on the PATH" : path.string(), remedy};
}

Finding file_finding(const std::string& name, const fs::path& path, const std::string& remedy) {
    return {name, !path.empty(), true, path.empty() ? "not built" : path.string(), remedy};
}

/// Versions of torch and Triton, and whether CUPTI can be loaded, by the Python that would run the harness.
void examine_python(const Layout& layout, std::vector<Finding>& findings) {
    const fs::path python = find_python(layout);
    findings.push_back(
        {"python", !python.empty(), true, python.empty() ? "none found" : python.string(), setup});
    if (python.empty()) {
        return;
    }
    const std::string script =
        "import ctypes, importlib.util, json\n"
        "out = {}\n"
        "for name in ('torch', 'triton'):\n"
        "    try:\n"
        "        out[name] = __import__(name).__version__\n"
        "    except Exception as error:\n"
        "        out[name + '_error'] = f'{type(error).__name__}: {error}'\n"
        "try:\n"
        "    ctypes.CDLL('libcupti.so.13'); out['cupti'] = 'libcupti.so.13'\n"
        "except OSError as error:\n"
        "    out['cupti_error'] = str(error)\n"
        "print(json.dumps(out))\n";
    nlohmann::json answer = nlohmann::json::object();
    std::string trouble;
    try {
        const auto process = run_process({python.string(), "-s", "-c", script}, "", {180, 1 << 20});
        answer = nlohmann::json::parse(process.output, nullptr, false);
        trouble = first_line(process.error_output);
    } catch (const Error& error) {
        trouble = error.what();
    }
    for (const auto& [name, needed] : {std::pair{"torch", true}, {"triton", true}, {"cupti", false}}) {
        const bool ok = answer.is_object() && answer.contains(name);
        const std::string key = std::string(name) + "_error";
        const std::string why = answer.is_object() ? answer.value(key, trouble) : trouble;
        findings.push_back({name, ok, needed, ok ? answer[name].get<std::string>() : why,
                            std::string(name) == "cupti"
                                ? "install the CUDA toolkit's CUPTI (only GPU runs need it)"
                                : setup});
    }
}

Finding gpu_finding() {
    const std::string why = why_no_gpu();
    const auto names = list_gpus();
    return {"gpu", why.empty(), false, why.empty() ? join(names, ", ") : why,
            "install the NVIDIA driver; until then candidates run on the CPU device at smoke size"};
}

Finding sandbox_finding() {
    const auto process = run_process({"/bin/sh", "-c", "unshare -Urmpfn true 2>&1"}, "", {10, 4096});
    const bool ok = process.exit_code == 0;
    return {"sandbox", ok, false, ok ? "namespaces can be had" : first_line(process.output),
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or "
            "kernel.apparmor_restrict_unprivileged_userns=0); verdicts say which layers are missing"};
}

Finding disk_finding(const fs::path& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    struct statvfs disk {};
    if (::statvfs(folder.c_str(), &disk) != 0) {
        return {"disk", false, true, folder.string() + " can't be used",
                "set KBEVAL_CACHE to a folder you may write"};
    }
    const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / (1 << 30);
    return {"disk", free >= least_free_gib, true, significant(free, 3) + " GiB free for " + folder.string(),
            "free some space, or set KBEVAL_CACHE to another disk"};
}

Finding database_finding(const fs::path& database) {
    try {
        Store store = Store::open(database, Store::Mode::read_write);
        store.prove_writable();
        return {"database", true, true, database.string(), ""};
    } catch (const Error& error) {
        return {"database", false, true, error.what(),
                error.hint().empty() ? "name another with --db" : error.hint()};
    }
}

/// What calibration says about this evaluator on this machine's GPU (or CPU).
Finding calibration_finding(const fs::path& database, const Layout& layout) {
    const auto gpus = list_gpus();
    const std::string gpu = gpus.empty() ? "cpu" : gpus.front();
    const std::string remedy = "kbeval calibrate --minutes 8";
    try {
        Store store = Store::open(database, Store::Mode::read_only);
        const auto mine = store.newest_calibration(evaluator_digest(layout, Settings{}), gpu, true);
        if (mine) {
            return {"calibration", true, false, summary_line(*mine), ""};
        }
        const auto other = store.newest_calibration("", gpu, true);
        return {"calibration", false, false,
                other ? "only of evaluator " + other->evaluator + ": " + summary_line(*other)
                      : "none on " + gpu + " with this evaluator",
                remedy};
    } catch (const Error& error) {
        return {"calibration", false, false, error.what(), remedy};
    }
}

}  // namespace

std::vector<Finding> examine_machine(const fs::path& database) {
    std::vector<Finding> findings;
    try {
        const Layout layout = find_layout();
        findings.push_back({"files", true, true, layout.root.string(), ""});
        examine_python(layout, findings);
        findings.push_back(
            file_finding("native library", find_built_library(layout, "kbeval_native"), setup));
        findings.push_back(
            file_finding("sandbox library", find_built_library(layout, "libkbeval_sandbox"), setup));
    } catch (const Error& error) {
        findings.push_back({"files", false, true, error.what(), error.hint()});
    }
    findings.push_back(gpu_finding());
    findings.push_back(
        program("nvcc", "install the CUDA toolkit (only CUDA load_inline candidates need it)"));
    findings.push_back(program("g++", "apt-get install g++ (C++ and CUDA load_inline candidates need it)"));
    findings.push_back(sandbox_finding());
    findings.push_back(disk_finding(cache_directory()));
    const fs::path store = database.empty() ? default_database() : database;
    findings.push_back(database_finding(store));
    try {
        findings.push_back(calibration_finding(store, find_layout()));
    } catch (const Error&) {
        // no files of kbeval's: the first finding says so
    }
    return findings;
}

}  // namespace kbeval
