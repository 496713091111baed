"""`kbeval batch --engine slurm` against a real slurmctld and slurmd on this machine, from Debian's packages."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, Kbeval

FAILING = ROOT / "examples" / "failing"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
SEARCH = os.environ.get("PATH", "") + ":/usr/sbin"

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd needs root"),
    pytest.mark.skipif(
        any(shutil.which(program, path=SEARCH) is None for program in PROGRAMS),
        reason="no Slurm: apt-get install slurmctld slurmd slurm-client munge",
    ),
]

CONFIGURATION = """ClusterName=kbeval
SlurmctldHost={host}
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={port1}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
NodeName={host} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports() -> int:
    for port in range(16817, 30000, 2):
        try:
            for one in (port, port + 1):
                with socket.socket() as probe:
                    probe.bind(("", one))
        except OSError:
            continue
        return port
    raise AssertionError("no free ports")


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A cluster of one node; the environment in which its commands work."""
    folder = tmp_path / "slurm"
    for name in ("state", "spool", "munge"):
        (folder / name).mkdir(parents=True, mode=0o755)
    host, port = socket.gethostname().split(".")[0], free_ports()
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=host, port=port, port1=port + 1, folder=folder))
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    environment = {**os.environ, "SLURM_CONF": str(configuration), "PATH": SEARCH}
    munge = folder / "munge"
    commands = [
        ["munged", "-F", "-f", f"--key-file={key}", f"--socket={folder}/munge.socket",
         f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"],
        ["slurmctld", "-D", "-c", "-f", str(configuration)],
        ["slurmd", "-D", "-c", "-N", host, "-f", str(configuration)],
    ]  # fmt: skip
    processes = []
    try:
        for command in commands:
            with (folder / f"{command[0]}.out").open("wb") as out:
                processes.append(
                    subprocess.Popen(
                        command, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
                    )
                )
            time.sleep(0.5)
        deadline = time.monotonic() + 30
        while "idle" not in (said := sinfo(environment)):
            logs = "\n".join(f.read_text(errors="replace")[-1500:] for f in folder.glob("*.log"))
            assert time.monotonic() < deadline, f"Slurm did not start: {said}\n{logs}"
            time.sleep(0.2)
        yield environment
    finally:
        for process in reversed(processes):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def sinfo(environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.stdout + done.stderr


def test_an_array_of_shards_is_one_run(
    kbeval: Kbeval, tmp_path: Path, database: Path, slurm: dict[str, str]
) -> None:
    lines = [
        {"problem": problem, "path": str(FAILING / f"{kind}.py"), "label": f"{kind} it's {number}"}
        for number in range(3)
        for problem, kind in (
            ("L1_088", "forbidden"),
            ("L1_001", "forbidden"),
            ("L1_088", "no_custom_kernel"),
        )
    ]
    file = tmp_path / "m.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ("batch", file, "--engine", "slurm", "--shards", "2", "--device", "cpu", "--timing-budget", "4")
    result = kbeval(*command, "--sbatch=--comment=it's me", env=slurm)
    assert result.code == 1, result.err
    shards = [
        shard.name
        for shard in Path(f"{database}.shards").rglob("shard-*.db")
        if sqlite3.connect(shard).execute("SELECT count(*) FROM evaluation").fetchone()[0] > 0
    ]
    assert sorted(shards) == ["shard-0.db", "shard-1.db"]
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT label, status FROM jobs ORDER BY position").fetchall()
        runs = connection.execute("SELECT jobs, judged, finished IS NOT NULL FROM runs").fetchall()
        evaluations = connection.execute("SELECT count(*) FROM evaluation").fetchone()[0]
    assert [label for label, _ in rows] == [line["label"] for line in lines]
    assert all(label.startswith(f"{status} ") for label, status in rows)
    assert runs == [(9, 9, 1)]
    assert evaluations == 9
    again = kbeval(*command, "--resume", env=slurm)
    assert again.code == 1, again.err
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM evaluation").fetchone()[0] == 9


def test_a_cluster_that_refuses_says_why(kbeval: Kbeval, tmp_path: Path, slurm: dict[str, str]) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(json.dumps({"problem": "L1_088", "path": str(FAILING / "forbidden.py")}) + "\n")
    result = kbeval("batch", file, "--engine", "slurm", "--sbatch=--partition=absent", env=slurm)
    assert result.code == 3
    assert "sbatch did not take the batch" in result.err
