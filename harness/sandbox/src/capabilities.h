#pragma once

#include <cstdint>

#include "report.h"

namespace kbeval::sandbox {

/// The effective capability set of this process, bit n being capability n.
std::uint64_t effective_capabilities();

/// Sets permitted and effective to `mask`; inheritable to nothing. Returns 0 or an errno value.
int set_capabilities(std::uint64_t mask);

/// Makes everything in the permitted set effective (after a set*uid that kept it).
void raise_permitted_capabilities();

/// Empties every set (bounding and ambient too) and locks the securebits. Says in `report` what could not be
/// done; throws if a permitted or effective capability is left.
void drop_all_capabilities(Report& report);

}  // namespace kbeval::sandbox
