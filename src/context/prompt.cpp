#include "context/prompt.h"

#include "base/sha256.h"

namespace kbeval {

std::string instruction_text(const LoadedProblem& loaded) {
    const Problem& problem = loaded.problem;
    return "KernelBench level " + std::to_string(problem.level) + " problem " + problem.id + " (" +
           problem.name + "), op family: " + problem.family +
           ".\nWrite ModelNew, a faster drop-in replacement for this reference Model using your own GPU "
           "kernels:\n"
           "```python\n" +
           loaded.source + "```\n";
}

std::string environment_rules(int turns) {
    const std::string count = turns == 1 ? "1 reply" : std::to_string(turns) + " replies";
    return "## Rules\n"
           "You have " +
           count +
           ". End each with one line, `ACTION: CHECK` or `ACTION: SUBMIT`, and give the whole "
           "source of ModelNew in one ```python block; the last such block of a reply is taken.\n"
           "- CHECK compiles the source, compares its outputs with the reference on several random inputs "
           "and looks "
           "whether your own kernels ran. It tells what failed and is not timed.\n"
           "- SUBMIT does the same, then times it against the reference, trial by trial, and ends the task. "
           "The "
           "score is 0 unless every output is right, else the speedup over eager PyTorch, at most 10.\n"
           "- Outputs must match within the problem's tolerance (mostly atol=rtol=1e-4 in strict fp32: TF32 "
           "is off), "
           "on fresh inputs and redrawn weights, in timed trials too. Weights are loaded into ModelNew by "
           "name, so "
           "parameters and buffers keep the names and shapes of the reference.\n"
           "- At least one kernel of your own must run in forward: a `@triton.jit` function, or a "
           "`__global__` "
           "function built with `torch.utils.cpp_extension.load_inline`.\n"
           "\n"
           "The static check refuses, before anything runs:\n"
           "- source that is not ASCII, or larger than 1 MiB\n"
           "- a missing or rebound ModelNew at module level; anything named Model\n"
           "- imports other than torch, triton, math, typing and a few harmless modules; star and relative "
           "imports\n"
           "- exec, eval, compile, open, globals, setattr and the like; getattr or hasattr but with a "
           "literal, "
           "non-private name\n"
           "- private and double-underscore attributes that are not the class's own\n"
           "- assignment to attributes other than self.<x>; deletion of attributes\n"
           "- `except` handlers, async code, metaclasses, decorators that are not listed, classes derived "
           "from "
           "torch.Tensor\n"
           "- source without an own kernel, or with one named like a library's\n"
           "- load_inline with computed sources or names, unlisted build flags, unlisted includes, native "
           "code that "
           "calls for processes, files, threads or loaders\n"
           "\n"
           "If items of the context above helped or misled you, say so on lines of their own: "
           "`Helpful: [id], [id]` and `Misleading: [id]`.\n";
}

Prompt build_prompt(Store& store, const Catalogue& catalogue, const ContextRequest& request, int turns) {
    Prompt prompt;
    prompt.context = build_context(store, catalogue, request);
    prompt.instruction = instruction_text(Catalogue::load(catalogue.find(request.problem), Size::full));
    prompt.rules = environment_rules(turns);
    prompt.text = prompt.instruction + "\n";
    if (!prompt.context.text.empty()) {
        prompt.text += prompt.context.text;
        prompt.text += prompt.context.text.ends_with('\n') ? "\n" : "\n\n";
    }
    prompt.text += prompt.rules;
    prompt.digest = short_digest(prompt.text);
    return prompt;
}

}  // namespace kbeval
