#include "seccomp_rules.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "error.h"

namespace kbeval::sandbox {
namespace {

/// Calls that are refused whatever their arguments, and that both architectures have.
constexpr unsigned kRefused[] = {
    // other processes
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_migrate_pages,
    // namespaces and mounts
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot,
    // the kernel's larger attack surface
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
    // the machine
    SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_acct, SYS_quotactl, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_sethostname, SYS_setdomainname, SYS_syslog, SYS_vhangup, SYS_nfsservctl, SYS_lookup_dcookie,
    // files by handle, watching whole mounts
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_fanotify_init, SYS_fanotify_mark,
    // a second filter or a trap could answer calls in the kernel's name
    SYS_seccomp};

/// Numbers from 424 on are the same on every architecture; old headers lack the names.
constexpr unsigned kRefusedNew[] = {
    425,  // io_uring_setup
    426,  // io_uring_enter
    427,  // io_uring_register
    428,  // open_tree
    429,  // move_mount
    430,  // fsopen
    431,  // fsconfig
    432,  // fsmount
    433,  // fspick
    438,  // pidfd_getfd
    440,  // process_madvise
    442,  // mount_setattr
    443,  // quotactl_fd
    448,  // process_mrelease
    457,  // statmount
    458,  // listmount
    467,  // open_tree_attr
};

#if defined(__x86_64__)
constexpr unsigned kRefusedHere[] = {
    SYS_iopl,         SYS_ioperm,          SYS_modify_ldt, SYS_kexec_file_load, SYS_create_module,
    SYS_query_module, SYS_get_kernel_syms, SYS_uselib,     SYS__sysctl,         SYS_ustat,
    SYS_sysfs};
#else
constexpr unsigned kRefusedHere[] = {SYS_kexec_file_load};
#endif

constexpr unsigned kClone3 = 435;
constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kSetSyscallUserDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH, Linux 5.11

void append_argument_rules(std::vector<SeccompRule>& rules, const Config& config) {
    using enum ArgumentTest;
    rules.push_back({SYS_clone, kAnyBit, 0, kNewNamespaces});
    // Its flags lie in memory, which a filter can't read; the C library falls back to clone.
    rules.push_back({kClone3, kNone, 0, 0, ENOSYS});
    for (const unsigned call : {static_cast<unsigned>(SYS_socket), static_cast<unsigned>(SYS_socketpair)}) {
        if (config.allow_netlink) {
            rules.push_back({call, kEquals, 0, AF_NETLINK, 0});
        }
        rules.push_back({call, kNotEqual, 0, AF_UNIX});
    }
    // Text pushed into a terminal's input would be read by whoever has that terminal next.
    for (const std::uint32_t request :
         {static_cast<std::uint32_t>(TIOCSTI), static_cast<std::uint32_t>(TIOCLINUX)}) {
        rules.push_back({SYS_ioctl, kEquals, 1, request});
    }
    rules.push_back({SYS_personality, kNotEqual, 0, 0xffffffffU});  // asking what it is stays allowed
    rules.push_back({SYS_move_pages, kNotEqual, 0, 0});             // pid 0: the caller's own pages
    for (const std::uint32_t option :
         {static_cast<std::uint32_t>(PR_SET_SECCOMP), kSetSyscallUserDispatch,
          static_cast<std::uint32_t>(PR_SET_TSC), static_cast<std::uint32_t>(PR_SET_MM),
          static_cast<std::uint32_t>(PR_SET_PTRACER)}) {
        rules.push_back({SYS_prctl, kEquals, 0, option});
    }
}

}  // namespace

std::vector<SeccompRule> refused_calls(const Config& config) {
    std::vector<SeccompRule> rules;
    append_argument_rules(rules, config);
    for (const auto call : kRefused) {
        rules.push_back({call});
    }
    for (const auto call : kRefusedHere) {
        rules.push_back({call});
    }
    for (const auto call : kRefusedNew) {
        rules.push_back({call});
    }
    return rules;
}

void enter_seccomp(const Config& config, Report& report) {
    auto filter = build_filter(refused_calls(config));
    if (const int error = load_filter(filter); error != 0) {
        report.miss("seccomp", "prctl(PR_SET_SECCOMP): " + errno_text(error));
    } else {
        report.have("seccomp");
    }
}

}  // namespace kbeval::sandbox
