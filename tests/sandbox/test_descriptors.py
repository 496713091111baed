"""Which descriptors come through, and how the host and the inside share through them."""

from __future__ import annotations

from conftest import Sandbox

OPEN_HOST = """
import os, socket, mmap
extra = os.open("/etc/hostname", os.O_RDONLY)
os.set_inheritable(extra, True)
ours, theirs = socket.socketpair()
memory = os.memfd_create("shared")
os.ftruncate(memory, 4096)
view = mmap.mmap(memory, 4096)
view[:5] = b"hello"
job["config"]["keep_fds"] = [theirs.fileno(), memory]
job["code"] = f"THEIRS, MEMORY, EXTRA = {theirs.fileno()}, {memory}, {extra}\\n" + job["code"]
"""


def test_kept_and_closed(sandbox: Sandbox) -> None:
    result = sandbox.run(
        """
import os
say(open={int(n): os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
          if os.path.exists(f"/proc/self/fd/{n}")}, kept=[THEIRS, MEMORY, channel], extra=EXTRA)
""",
        host_code=OPEN_HOST,
    ).check()
    numbers = {int(number) for number in result["open"]}
    assert result["extra"] not in numbers
    assert numbers - {0, 1, 2, *result["kept"]} == set()
    assert result["open"]["0"] == "/dev/null"


def test_socket_pair_memory_and_passed_descriptor(sandbox: Sandbox) -> None:
    host = (
        OPEN_HOST
        + """
def after_fork(pid):
    theirs.close()
    assert ours.recv(100) == b"ready"
    read_end, write_end = os.pipe()
    os.write(write_end, b"through the pipe")
    socket.send_fds(ours, [b"take"], [read_end])
def at_end(result):
    result["answer"] = ours.recv(100).decode()
    result["eof"] = ours.recv(100) == b""
    result["view"] = bytes(view[:5]).decode()
"""
    )
    result = sandbox.run(
        """
import mmap, os, socket
s = socket.socket(fileno=THEIRS)
s.sendall(b"ready")
message, fds, _, _ = socket.recv_fds(s, 100, 4)
s.sendall(message + b":" + os.read(fds[0], 100))
view = mmap.mmap(MEMORY, 4096)
say(read=bytes(view[:5]).decode())
view[:5] = b"world"
""",
        host_code=host,
    ).check()
    assert result["answer"] == "take:through the pipe"
    assert (result["read"], result["view"], result["eof"]) == ("hello", "world", True)


def test_directories_are_refused(sandbox: Sandbox) -> None:
    host = "import os; job['config']['keep_fds'] = [os.open('/', os.O_RDONLY)]"
    result = sandbox.run("say(entered=True)", host_code=host)
    assert "is a directory" in result["error"] and "entered" not in result.raw


def test_closed_descriptor_is_refused(sandbox: Sandbox) -> None:
    result = sandbox.run("pass", config={"keep_fds": [777]})
    assert "descriptor 777: EBADF" in result["error"]
