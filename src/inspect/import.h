#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/layout.h"
#include "inspect/inspection.h"

namespace kbeval {

/// What became of one file of a folder that was imported.
struct ImportedFile {
    std::string file;  ///< relative to the folder, printable
    std::string id;  ///< PREFIX_L2_020 where its path has level and number, else PREFIX_name; empty: refused
    std::string reason;  ///< why it was refused, or what could not be found out about it
};

/// Copies the problem files of `folder` (a KernelBench checkout, or any folder of files in its format) to
/// `into` and lists them in `into/catalog.json`, in place of what was imported under this prefix before.
/// Nothing of them runs in this process: each is loaded in a sandboxed child (see inspect_problems). Symbolic
/// links are not followed. Throws an input error where the folder can't be read or the prefix is no name.
std::vector<ImportedFile> import_problems(const Layout& layout, const std::filesystem::path& folder,
                                          const std::string& prefix, const std::filesystem::path& into,
                                          const InspectionOptions& options);

/// A prefix made of a folder's name.
std::string default_prefix(const std::filesystem::path& folder);

}  // namespace kbeval
