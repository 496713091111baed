#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace kbeval::sandbox {

/// How one argument of a system call decides. Only its low 32 bits are looked at; every rule's argument is an
/// int or a set of flags in the low half.
enum class ArgumentTest {
    kNone,      ///< the call is decided whatever its arguments
    kEquals,    ///< decided if argument == value
    kNotEqual,  ///< decided if argument != value
    kAnyBit     ///< decided if argument & value
};

struct SeccompRule {
    unsigned syscall;
    ArgumentTest test = ArgumentTest::kNone;
    unsigned argument = 0;  ///< 0 to 5
    std::uint32_t value = 0;
    unsigned error = 1;  ///< errno that the call returns; 1 is EPERM, 0 allows the call after all
};

/// A filter that allows what no rule refuses. A foreign architecture (and x32) kills the process.
/// Rules are tried in order; `error` 0 allows, so an exception is a rule before the one that refuses.
std::vector<sock_filter> build_filter(const std::vector<SeccompRule>& rules);

/// Loads a filter; returns 0 or an errno value. Needs no_new_privs.
int load_filter(std::vector<sock_filter>& filter);

}  // namespace kbeval::sandbox
