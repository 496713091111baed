#include <algorithm>

#include "base/text.h"
#include "judge/kernel_names.h"
#include "judge/stages.h"

namespace kbeval {

namespace {

constexpr int profiled_forwards = 3;
constexpr std::size_t max_names_told = 6;

std::string launched_text(std::vector<protocol::KernelRecord> kernels) {
    if (kernels.empty()) {
        return "no kernel ran at all";
    }
    std::sort(kernels.begin(), kernels.end(),
              [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
    std::vector<std::string> names;
    for (const auto& kernel : kernels) {
        if (names.size() < max_names_told) {
            names.push_back(base_name(demangle(kernel.name)));
        }
    }
    return "what ran: " + join(names, ", ") + (kernels.size() > names.size() ? ", ..." : "");
}

std::string defined_text(const std::vector<OwnKernel>& defined) {
    std::vector<std::string> names;
    names.reserve(defined.size());
    for (const OwnKernel& kernel : defined) {
        names.push_back(kernel.name);
    }
    return join(names, ", ");
}

}  // namespace

void check_own_kernels(StageContext& context) {
    Bench& bench = context.bench;
    Verdict& verdict = context.verdict;
    const auto& defined = context.source_facts.kernels;
    bench.poison("candidate", {first_slot});
    const Answer answer = bench.runner("candidate")
                              .request(protocol::Profile{first_slot, profiled_forwards},
                                       profiled_forwards * context.request.settings.forward_timeout);
    const auto kernels = protocol::kernels_from(answer.result);
    bench.seal("candidate", {first_slot});
    require_agreement(context, bench.compare("candidate", {first_slot}, verdict.atol, verdict.rtol), "",
                      " (in the forward whose kernels were recorded)");
    std::vector<protocol::KernelRecord> of_reference;
    if (context.device.kind() == "cuda") {
        const Answer reference = bench.runner("eager").request(
            protocol::Profile{first_slot, profiled_forwards}, reference_seconds);
        of_reference = protocol::kernels_from(reference.result);
    }
    double own = 0;
    double total = 0;
    for (const auto& kernel : kernels) {
        total += kernel.total_ns;
        own += is_own_kernel(kernel.name, defined, of_reference) ? kernel.total_ns : 0;
    }
    verdict.own_kernel_time_frac = total > 0 ? own / total : 0;
    if (own <= 0) {
        throw Judged(Status::no_custom_kernel, "forward ran none of the candidate's own kernels (" +
                                                   defined_text(defined) + "); " + launched_text(kernels));
    }
    if (replaces_nothing(kernels, of_reference)) {
        add_flag(verdict, "token_kernel");
    }
}

}  // namespace kbeval
