#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/clock.h"
#include "judge/bench.h"

namespace kbeval {

/// The runners of one problem's reference (oracle, eager, compiled) around their shared memory, kept between
/// the candidates of that problem: one after the other, each with weights, inputs and seeds of its own. One
/// at a time is kept for a device, which bounds the memory it holds.
struct Reference {
    std::string key;  ///< problem, size and settings that it was made for
    std::unique_ptr<Bench> bench;
    nlohmann::json init_args;
    SteadyClock::time_point compile_start;
    bool compiling = false;    ///< answers of torch.compile are still due
    std::string compile_note;  ///< why it has no compiled runner
};

}  // namespace kbeval
