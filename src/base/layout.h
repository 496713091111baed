#pragma once

#include <filesystem>
#include <string>

namespace kbeval {

/// Where kbeval's own files are. The root holds `harness/` and `problems/`; it is found from the binary
/// upwards, or named by KBEVAL_ROOT.
struct Layout {
    std::filesystem::path root;

    [[nodiscard]] std::filesystem::path harness() const { return root / "harness"; }
    [[nodiscard]] std::filesystem::path problems() const { return root / "problems"; }
};

/// Throws an infrastructure error where no root can be found.
Layout find_layout();

/// KBEVAL_DB, else `kbeval/kbeval.db` under XDG_DATA_HOME (default ~/.local/share).
std::filesystem::path default_database();

/// Where imported problems are: KBEVAL_PROBLEMS, else `kbeval/problems` under XDG_DATA_HOME. May be missing.
std::filesystem::path imported_problems();

/// Folder for caches: KBEVAL_CACHE, else `kbeval` under XDG_CACHE_HOME (default ~/.cache).
std::filesystem::path cache_directory();

/// The Python that runs the harness: KBEVAL_PYTHON, else `.venv/bin/python` of the root, else `python3` on
/// the PATH. Empty where there is none.
std::filesystem::path find_python(const Layout& layout);

/// First executable called `name` on the PATH; empty where there is none.
std::filesystem::path find_program(const std::string& name);

/// A file the build made (`kbeval_native…so`, `libkbeval_sandbox.so`): looked for beside the binary, in
/// `../lib`, and under `harness/` of the root. Empty where it is missing. `stem` is the name's beginning.
std::filesystem::path find_built_library(const Layout& layout, const std::string& stem);

}  // namespace kbeval
