#include "seccomp_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstddef>

namespace kbeval::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox knows the system calls of x86-64 and aarch64 only"
#endif

constexpr std::uint32_t kX32Bit = 0x40000000U;  // on aarch64 no call has it either
constexpr auto kLoad = static_cast<std::uint16_t>(BPF_LD | BPF_W | BPF_ABS);
constexpr auto kReturn = static_cast<std::uint16_t>(BPF_RET | BPF_K);

constexpr std::uint16_t jump(unsigned comparison) {
    return static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K);
}

std::uint32_t argument_offset(unsigned argument) {
    // Both architectures are little-endian: the low half comes first.
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
}

sock_filter verdict(const SeccompRule& rule) {
    return {kReturn, 0, 0,
            rule.error == 0 ? SECCOMP_RET_ALLOW : (SECCOMP_RET_ERRNO | (rule.error & SECCOMP_RET_DATA))};
}

/// Expects the system call number in the accumulator and leaves it there.
void append(std::vector<sock_filter>& filter, const SeccompRule& rule) {
    if (rule.test == ArgumentTest::kNone) {
        filter.push_back({jump(BPF_JEQ), 0, 1, rule.syscall});
        filter.push_back(verdict(rule));
        return;
    }
    const bool bits = rule.test == ArgumentTest::kAnyBit;
    const bool decide_if_true = rule.test != ArgumentTest::kNotEqual;
    filter.push_back({jump(BPF_JEQ), 0, 4, rule.syscall});
    filter.push_back({kLoad, 0, 0, argument_offset(rule.argument)});
    filter.push_back({jump(bits ? BPF_JSET : BPF_JEQ), static_cast<std::uint8_t>(decide_if_true ? 0 : 1),
                      static_cast<std::uint8_t>(decide_if_true ? 1 : 0), rule.value});
    filter.push_back(verdict(rule));
    filter.push_back({kLoad, 0, 0, offsetof(seccomp_data, nr)});
}

}  // namespace

std::vector<sock_filter> build_filter(const std::vector<SeccompRule>& rules) {
    std::vector<sock_filter> filter = {
        {kLoad, 0, 0, offsetof(seccomp_data, arch)},
        {jump(BPF_JEQ), 1, 0, kArchitecture},
        {kReturn, 0, 0, SECCOMP_RET_KILL_PROCESS},
        {kLoad, 0, 0, offsetof(seccomp_data, nr)},
        {jump(BPF_JGE), 0, 1, kX32Bit},
        {kReturn, 0, 0, SECCOMP_RET_KILL_PROCESS},
    };
    for (const auto& rule : rules) {
        append(filter, rule);
    }
    filter.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
    return filter;
}

int load_filter(std::vector<sock_filter>& filter) {
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
}

}  // namespace kbeval::sandbox
