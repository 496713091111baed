#include "agent/prompt_source.h"

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr std::size_t max_context_bytes = 16 << 20;

std::string instruction(const Problem& problem, const std::string& source) {
    return "KernelBench level " + std::to_string(problem.level) + " problem " + problem.id + " (" +
           problem.name + "), op family: " + problem.family +
           ".\nWrite ModelNew, a faster drop-in replacement for this reference Model using your own GPU "
           "kernels:\n"
           "```python\n" +
           source + (source.ends_with('\n') ? "" : "\n") + "```\n";
}

std::string rules(int turns) {
    return "## How to answer\n"
           "You have " +
           std::to_string(turns) + (turns == 1 ? " turn" : " turns") +
           ", one reply each. Every reply holds the full source in one ```python block and, on a line of its "
           "own "
           "outside of it, one of:\n"
           "- `ACTION: CHECK`: the source is built and its outputs are compared; it is not timed.\n"
           "- `ACTION: SUBMIT`: the source is judged, with timing. The first SUBMIT that is judged ends the "
           "episode; only it counts.\n"
           "If the turns run out without a SUBMIT, nothing counts.\n\n"
           "## What is judged\n"
           "- Define ModelNew with the constructor and forward of Model, and do not define Model. Weights "
           "are "
           "loaded by name.\n"
           "- At least one kernel of your own (`@triton.jit`, or CUDA through `load_inline`) must run in "
           "forward.\n"
           "- Outputs must match in strict fp32 (TF32 is off) on fresh inputs in every check and every timed "
           "forward.\n"
           "- A static check reads the source: ASCII only; imports of torch, triton, math, typing and the "
           "like; "
           "no os, sys, subprocess, ctypes, threading; no exec, eval or setattr; attributes are assigned on "
           "self "
           "only.\n";
}

}  // namespace

FilePrompts::FilePrompts(const std::map<std::string, std::filesystem::path>& contexts) {
    for (const auto& [arm, path] : contexts) {
        std::string text = read_file(path, max_context_bytes);
        if (const auto bad = first_invalid_utf8(text)) {
            throw input_error(path.string() + ": is not UTF-8: malformed byte at offset " +
                              std::to_string(*bad));
        }
        contexts_[arm] = std::move(text);
    }
}

GivenPrompt FilePrompts::prompt(const Problem& problem, const std::string& arm, const std::string& /*reader*/,
                                int turns) {
    const auto found = contexts_.find(arm);
    if (found == contexts_.end() && arm != "bare") {
        throw input_error("there is no context for arm '" + printable(arm) + "'",
                          "`bare` needs none; name a file for any other");
    }
    GivenPrompt given;
    given.context = found == contexts_.end() ? "" : found->second;
    given.context_digest = short_digest(given.context);
    given.text = instruction(problem, Catalogue::load(problem, Size::full).source) + "\n";
    given.text +=
        given.context.empty() ? "" : given.context + (given.context.ends_with('\n') ? "\n" : "\n\n");
    given.text += rules(turns);
    return given;
}

}  // namespace kbeval
