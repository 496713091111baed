#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "context/documents.h"

namespace kbeval::cli {

/// What the subcommands of `playbook` share; each uses some.
struct PlaybookOptions {
    std::string database;
    bool json = false;
    std::vector<std::string> files;
    std::string name;
    std::string other;
    std::string format;
    bool replace = false;
    std::string bullet;
    std::string sort;
    std::string since;
    std::string by;
    std::string output;
    std::string problem;
    std::string arm = "living";
    std::string reader;
    std::string evaluation;
    std::string recipe;
};

using AddPlaybookCommand = std::function<CLI::App*(const char* name, const char* help, const char* example,
                                                   int (*run)(const PlaybookOptions&))>;
using AddName = std::function<CLI::App*(CLI::App*)>;

Store open_store(const PlaybookOptions& options, Store::Mode mode);
void add_playbook_options(CLI::App& command, PlaybookOptions& options);

/// show, diff, counts, cite.
void add_bullet_commands(CLI::App& playbook, PlaybookOptions& options, const AddName& named,
                         const AddPlaybookCommand& add);
/// build, admit.
void add_memory_commands(CLI::App& playbook, PlaybookOptions& options, const AddName& named,
                         const AddPlaybookCommand& add);

}  // namespace kbeval::cli
