#include "capabilities.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "error.h"

namespace kbeval::sandbox {
namespace {

using CapabilityData = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

CapabilityData read_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    CapabilityData data{};
    if (::syscall(SYS_capget, &header, data.data()) != 0) {
        throw_errno("capget");
    }
    return data;
}

std::uint64_t join(std::uint32_t low, std::uint32_t high) {
    return (std::uint64_t{high} << 32U) | low;
}

/// Returns 0, or the errno of the first capability that could not leave the bounding set.
int drop_bounding_set() {
    for (unsigned long capability = 0; capability < 64; ++capability) {
        const int present = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (present < 0) {
            break;  // beyond the last capability that this kernel knows
        }
        if (present == 1 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            return errno;
        }
    }
    return 0;
}

}  // namespace

std::uint64_t effective_capabilities() {
    const auto data = read_capabilities();
    return join(data[0].effective, data[1].effective);
}

int set_capabilities(std::uint64_t mask) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const auto low = static_cast<std::uint32_t>(mask);
    const auto high = static_cast<std::uint32_t>(mask >> 32U);
    CapabilityData data{};
    data[0] = {low, low, 0};
    data[1] = {high, high, 0};
    return ::syscall(SYS_capset, &header, data.data()) == 0 ? 0 : errno;
}

void raise_permitted_capabilities() {
    const auto data = read_capabilities();
    if (const int error = set_capabilities(join(data[0].permitted, data[1].permitted)); error != 0) {
        throw_errno("capset", error);
    }
}

void drop_all_capabilities(Report& report) {
    constexpr unsigned long kLockedBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                          SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                          SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    const int bounding_error = drop_bounding_set();
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
        throw_errno("prctl(PR_CAP_AMBIENT_CLEAR_ALL)");
    }
    if (::prctl(PR_SET_SECUREBITS, kLockedBits, 0, 0, 0) == 0) {
        report.have("securebits_locked");
    } else {
        report.miss("securebits_locked", "prctl(PR_SET_SECUREBITS): " + errno_text(errno));
    }
    if (const int error = set_capabilities(0); error != 0) {
        throw_errno("capset", error);
    }
    const auto left = read_capabilities();
    if ((left[0].permitted | left[1].permitted | left[0].effective | left[1].effective) != 0) {
        throw SandboxError(EPERM, "capabilities are left after dropping all of them");
    }
    if (bounding_error == 0) {
        report.have("capabilities_dropped");
    } else {
        report.miss("capabilities_dropped",
                    "the bounding set could not be emptied (the others are): " + errno_text(bounding_error));
    }
}

}  // namespace kbeval::sandbox
