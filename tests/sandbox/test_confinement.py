"""What the code inside can't see, reach or change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Sandbox

REFUSED = """
import errno
def refused(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
"""

SYSCALL = (
    REFUSED
    + """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def syscall(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    return errno.errorcode[ctypes.get_errno()] if result == -1 else "done"
"""
)


def test_all_layers(confined: Sandbox) -> None:
    result = confined.run(
        "import socket; say(host=socket.gethostname())", config={"limits": {"processes": 200}}
    ).check()
    absent = {layer for layer, present in result.layers.items() if not present}
    assert absent <= {"cgroup_pids", "cgroup_memory", "data_limit"}
    assert result["host"] == "kbeval"
    assert set(result["report"]["missing"]) == absent


def test_network(confined: Sandbox) -> None:
    result = confined.run(
        REFUSED
        + """
import os, socket
say(inet=refused(socket.socket, socket.AF_INET), netlink=refused(socket.socket, socket.AF_NETLINK),
    vsock=refused(socket.socket, 40), packet=refused(socket.socket, 17, socket.SOCK_RAW),
    devices=open("/proc/net/dev").read(), unix=refused(socket.socket, socket.AF_UNIX))
"""
    ).check()
    assert (result["inet"], result["netlink"], result["vsock"], result["packet"]) == ("EPERM",) * 4
    assert result["unix"] == "done"
    assert [line.split(":")[0].strip() for line in result["devices"].splitlines()[2:]] == ["lo"]


def test_network_with_netlink(confined: Sandbox) -> None:
    code = (
        REFUSED + "import socket; say(inet=refused(socket.socket, 2), netlink=refused(socket.socket, 16, 3))"
    )
    result = confined.run(code, config={"allow_netlink": True}).check()
    assert (result["inet"], result["netlink"]) == ("EPERM", "done")


def test_abstract_sockets_of_the_host_are_out_of_reach(confined: Sandbox) -> None:
    name = f"kbeval-test-{os.getpid()}"
    host = f"import socket; s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + {name!r}); s.listen()"
    code = (
        REFUSED
        + f"import socket; say(connect=refused(socket.socket(socket.AF_UNIX).connect, chr(0) + {name!r}))"
    )
    assert confined.run(code, host_code=host).check()["connect"] == "ECONNREFUSED"


@pytest.mark.parametrize("legacy", [False, True])
def test_writes_outside_scratch(confined: Sandbox, legacy: bool) -> None:
    result = confined.run(
        REFUSED
        + """
import os
places = ["/usr", "/usr/bin", "/etc", "/", "/dev", "/sys", "/proc/sys/kernel", "/lib", "/usr/local"]
say(create={p: refused(open, p + "/kbeval-intruder", "w") for p in places})
say(change={p: refused(open, p, "r+") for p in ("/etc/passwd", "/usr/bin/env", "/proc/sys/kernel/hostname")})
say(mode=refused(os.chmod, "/dev/null", 0o600), link=refused(os.symlink, "/usr", "/opt"))
open("inside", "w").write("x"); open("/tmp/x", "w").write("x"); open("/dev/shm/x", "w").write("x")
""",
        config={"legacy_remount": legacy},
    ).check()
    assert set(result["create"].values()) <= {"EROFS", "EACCES", "ENOENT", "EPERM"}
    assert result["create"]["/usr"] in {"EROFS", "EACCES"}
    assert set(result["change"].values()) <= {"EROFS", "EACCES", "ETXTBSY"}
    assert result["mode"] in {"EPERM", "EROFS"} and result["link"] in {"EROFS", "EACCES"}
    assert (confined.scratch / "inside").read_text() == "x"
    assert not Path("/tmp/x").exists() and not Path("/dev/shm/x").exists()


@pytest.mark.parametrize("legacy", [False, True])
def test_every_mount_is_protected(confined: Sandbox, legacy: bool) -> None:
    code = "say(mounts=[l.split()[4:6] for l in open('/proc/self/mountinfo')])"
    result = confined.run(code, config={"legacy_remount": legacy}).check()
    writable = {str(confined.scratch), "/tmp", "/dev/shm", "/proc"}
    for place, options in result["mounts"]:
        flags = options.split(",")
        assert ("rw" in flags) == (place in writable), (place, options)
        assert "nosuid" in flags, (place, options)
        is_node = place.startswith("/dev/") and place != "/dev/shm"
        assert "nodev" in flags or is_node, (place, options)


def test_own_files_of_a_read_only_folder_stay_unchanged(confined: Sandbox) -> None:
    """A user that isn't root owns what it shows read-only; the mount must hold, not the mode."""
    shown = confined.stage / f"shown-{confined.caller}"
    shown.mkdir()
    (shown / "file").write_text("as it was")
    if os.geteuid() == 0:
        os.chown(shown, confined.uid_inside, confined.uid_inside)
        os.chown(shown / "file", confined.uid_inside, confined.uid_inside)
    code = REFUSED + f"say(open=refused(open, {str(shown / 'file')!r}, 'w'))"
    assert confined.run(code).check()["open"] == "EROFS"


def test_hidden_paths(confined: Sandbox) -> None:
    """The deepest path wins: a scratch folder shows below a hidden one, its neighbours do not."""
    base = confined.stage / f"hide-{confined.caller}"
    for name in ("data/other", "data/own", "problems"):
        (base / name).mkdir(parents=True)
    for name in ("data/other/secret", "problems/p.py", "answer.db"):
        (base / name).write_text("secret")
    if os.geteuid() == 0:
        os.chown(base / "data/own", confined.uid_inside, confined.uid_inside)
    (base / "link").symlink_to("problems")
    result = confined.run(
        f"""
import os
b = {str(base)!r}
say(top=sorted(os.listdir(b)), data=os.listdir(b + "/data"), problems=os.listdir(b + "/problems"),
    through_link=os.listdir(b + "/link"), answer=open(b + "/answer.db").read())
open(b + "/data/own/w", "w").write("w")
try:
    open(b + "/data/intruder", "w")
except OSError as error:
    say(intruder=error.strerror)
""",
        config={
            "rw_paths": [str(confined.scratch), str(base / "data/own")],
            "hide_paths": [str(base / name) for name in ("data", "link", "answer.db", "absent")],
        },
    ).check()
    assert result["top"] == ["answer.db", "data", "link", "problems"]
    assert (result["data"], result["problems"], result["through_link"], result["answer"]) == (
        ["own"],
        [],
        [],
        "",
    )
    assert result["intruder"] in {"Read-only file system", "Permission denied"}
    assert result["report"]["skipped_paths"][str(base / "absent")].startswith("ENOENT")


def test_what_is_not_shown_is_not_there(confined: Sandbox) -> None:
    result = confined.run(
        """
import os
say(root=sorted(os.listdir("/")), dev=sorted(os.listdir("/dev")), tmp=os.listdir("/tmp"),
    home=os.path.exists("/root/.bashrc"), secret=os.path.exists("/etc/shadow"), host=os.path.exists("/.host"))
say(user=__import__("pwd").getpwuid(os.getuid()).pw_name)
"""
    ).check()
    assert "proc" in result["root"] and not {"boot", "mnt", "run", "srv", "var"} & set(result["root"])
    expected = "fd full null random shm stderr stdin stdout urandom zero"
    assert result["dev"] == expected.split()
    assert (
        confined.stage.name in result["tmp"]
        and not result["home"]
        and not result["secret"]
        and not result["host"]
    )
    assert result["user"] == "kbeval"


def test_devices(confined: Sandbox) -> None:
    there = [path for path in ("/dev/fuse", "/dev/net", "/dev/loop-control") if Path(path).exists()]
    code = """
import os
with open("/dev/null", "w") as null:
    null.write("x")
say(dev=os.listdir("/dev"), zero=open("/dev/zero", "rb").read(3).hex(), random=len(os.urandom(8)))
"""
    result = confined.run(code, config={"device_paths": [*there, "/dev/kbeval-absent"]}).check()
    assert {path.split("/")[2] for path in there} <= set(result["dev"]) and result["zero"] == "000000"
    assert result["report"]["skipped_paths"]["/dev/kbeval-absent"].startswith("ENOENT")


def test_below_a_private_home(confined: Sandbox) -> None:
    home = confined.stage / f"home-{confined.caller}"
    (home / "kit").mkdir(parents=True)
    (home / "kit/tool").write_text("tool")
    (home / "private").write_text("private")
    if os.geteuid() == 0 and confined.caller == "user":
        os.chown(home, confined.uid_inside, confined.uid_inside)
    home.chmod(0o700)
    code = f"import os; say(home=os.listdir({str(home)!r}), tool=open({str(home / 'kit/tool')!r}).read())"
    paths = [p for p in confined.job("")["config"]["ro_paths"] if p != str(confined.stage)]
    result = confined.run(
        code, config={"ro_paths": [*paths, str(confined.stage / "kbeval_harness"), f"{home}/kit"]}
    )
    assert result.check()["home"] == ["kit"] and result["tool"] == "tool"


def test_processes_of_the_host(confined: Sandbox) -> None:
    result = confined.run(
        SYSCALL
        + f"""
import os, signal
say(seen=[int(p) for p in os.listdir("/proc") if p.isdigit()], pid=os.getpid(), parent=os.getppid(),
    kill=refused(os.kill, {os.getpid()}, 0), init_memory=refused(open, "/proc/1/mem", "rb"),
    init_files=refused(os.listdir, "/proc/1/fd"), init_root=refused(os.listdir, "/proc/1/root"),
    ptrace=syscall(101, 16, 1, 0, 0), own_memory=refused(open, "/proc/self/mem", "r+b"))
for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGSTOP):
    refused(os.kill, 1, number)
say(alive=True)
"""
    ).check()
    assert (result["seen"], result["pid"], result["parent"]) == ([1, 2], 2, 1)
    assert result["kill"] == "ESRCH" and result["ptrace"] == "EPERM" and result["alive"]
    assert {result["init_memory"], result["init_files"], result["init_root"]} == {"EACCES"}


def test_identity(sandbox: Sandbox) -> None:
    result = sandbox.run(
        REFUSED
        + """
import os
status = dict(l.split(":", 1) for l in open("/proc/self/status").read().splitlines()) \
    if os.path.exists("/proc/self/status") else {}
say(ids=[*os.getresuid(), *os.getresgid()], groups=os.getgroups(), session=os.getsid(0) == os.getpid(),
    capabilities=[status[k].strip().strip("0") for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    privileges=status["NoNewPrivs"].strip(), root=refused(os.setuid, 0),
    environment=dict(os.environ), libc=os.popen("env").read(), cwd=os.getcwd())
"""
    ).check()
    if os.geteuid() == 0:
        assert result["ids"] == [sandbox.uid_inside] * 6 and result["groups"] == []
    assert result["capabilities"] == [""] * 5 and result["privileges"] == "1"
    assert result["root"] in {"EPERM", "EINVAL"}  # EINVAL: the user namespace has no root at all
    assert result["session"] and result["cwd"] == str(sandbox.scratch)
    assert set(result["environment"]) == {"PATH", "TMPDIR", "HOME"}
    assert "KBEVAL_TEST_SECRET" not in result["libc"]


def test_setuid_programs_gain_nothing(confined: Sandbox) -> None:
    code = """
import subprocess
say(out=subprocess.run(["su", "-c", "id"], capture_output=True, text=True, input="").stdout)
"""
    assert "uid=0" not in confined.run(code).check()["out"]


# Numbers of x86-64.
REFUSED_CALLS = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "mount": 165,
    "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308, "bpf": 321,
    "perf_event_open": 298, "userfaultfd": 323, "add_key": 248, "request_key": 249, "keyctl": 250,
    "kexec_load": 246, "init_module": 175, "finit_module": 313, "delete_module": 176, "reboot": 169,
    "swapon": 167, "swapoff": 168, "acct": 163, "quotactl": 179, "settimeofday": 164,
    "clock_settime": 227, "clock_adjtime": 305, "adjtimex": 159, "sethostname": 170, "syslog": 103,
    "vhangup": 153, "open_by_handle_at": 304, "name_to_handle_at": 303, "fanotify_init": 300,
    "seccomp": 317, "iopl": 172, "ioperm": 173, "modify_ldt": 154, "migrate_pages": 256,
    "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "lookup_dcookie": 212,
    "kexec_file_load": 320,
}  # fmt: skip


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system call numbers of x86-64")
def test_refused_system_calls(sandbox: Sandbox) -> None:
    code = (
        SYSCALL
        + f"say(calls={{name: syscall(n, 0, 0, 0, 0, 0, 0) for name, n in {REFUSED_CALLS!r}.items()}})"
    )
    calls = sandbox.run(code).check()["calls"]
    assert {name: error for name, error in calls.items() if error != "EPERM"} == {}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system call numbers of x86-64")
def test_refused_arguments(sandbox: Sandbox) -> None:
    result = sandbox.run(
        SYSCALL
        + """
say(clone={hex(f): syscall(56, f | 17, 0, 0, 0, 0) for f in
           (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)},
    clone3=syscall(435, 0, 88), tty=[syscall(16, 0, 0x5412, 0), syscall(16, 0, 0x541C, 0)],
    other_ioctl=syscall(16, 0, 0x5401, 0),
    personality=[syscall(135, 0x0040000), syscall(135, 0xffffffff)],
    pages=[syscall(279, 1, 0, 0, 0, 0, 0), syscall(279, 0, 0, 0, 0, 0, 0)],
    prctl=[syscall(157, o, 2, 0, 0, 0) for o in (22, 59, 26, 35)], name=syscall(157, 16, ctypes.addressof(
        ctypes.create_string_buffer(16)), 0, 0, 0))
"""
    ).check()
    assert set(result["clone"].values()) == {"EPERM"} and result["clone3"] == "ENOSYS"
    assert result["tty"] == ["EPERM"] * 2 and result["other_ioctl"] in {"ENOTTY", "EBADF"}
    assert result["personality"] == ["EPERM", "done"] and result["pages"] == ["EPERM", "done"]
    assert result["prctl"] == ["EPERM"] * 4 and result["name"] == "done"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 is an interface of x86-64")
def test_x32_calls_kill(sandbox: Sandbox) -> None:
    result = sandbox.run(SYSCALL + "syscall(0x40000000 + 39); say(survived=True)")
    assert os.WIFSIGNALED(result["status"]) and os.WTERMSIG(result["status"]) == 31
    assert "survived" not in result.raw
