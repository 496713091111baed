#include "batch/cores.h"

#include <sched.h>

#include <algorithm>

namespace kbeval {

CoreShares share_cores(const std::vector<int>& cores, std::size_t workers) {
    CoreShares shares;
    shares.workers.resize(workers);
    if (workers == 0 || cores.size() < 3 * workers) {
        return shares;
    }
    const std::size_t builders = std::max<std::size_t>(1, cores.size() / 4);
    const std::size_t each = (cores.size() - builders) / workers;
    auto at = cores.begin();
    for (auto& share : shares.workers) {
        share.assign(at, at + static_cast<std::ptrdiff_t>(each));
        at += static_cast<std::ptrdiff_t>(each);
    }
    shares.builders.assign(at, cores.end());
    return shares;
}

std::vector<int> usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cores;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (CPU_ISSET(core, &set)) {
                cores.push_back(core);
            }
        }
    }
    return cores;
}

void pin_thread(const std::vector<int>& cores) {
    if (cores.empty()) {
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : cores) {
        CPU_SET(core, &set);
    }
    ::sched_setaffinity(0, sizeof set, &set);  // of this thread; children inherit it
}

}  // namespace kbeval
