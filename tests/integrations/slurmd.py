"""A Slurm of one node that is this machine, in a folder: munged, slurmctld, slurmd. Needs root and Debian's packages
slurm-wlm and munge, or the same programs from elsewhere."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")

#: Two partitions: jobs of `high` take the place of those of `low`, which have five seconds to end and are requeued.
CONFIGURATION = """\
ClusterName=nonstop
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=low Nodes={host} Default=YES MaxTime=INFINITE PriorityTier=1 PreemptMode=REQUEUE GraceTime={grace}
PartitionName=high Nodes={host} MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
"""


def missing() -> list[str]:
    """The programs that are not here."""
    return [program for program in PROGRAMS if shutil.which(program) is None]


@contextmanager
def slurm(folder: Path, grace: int = 5) -> Iterator[None]:
    """A running Slurm, found by SLURM_CONF."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(64))
    key.chmod(0o600)
    text = CONFIGURATION.format(
        host=platform.node(), folder=folder, controller=_free_port(), daemon=_free_port(), grace=grace
    )
    configuration = folder / "slurm.conf"
    configuration.write_text(text)
    (folder / "cgroup.conf").write_text("CgroupAutomount=no\n")
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    processes = []
    try:
        for command in (
            [
                "munged",
                "--foreground",
                "--force",
                *(f"--{name}-file={folder}/munge.{name}" for name in _MUNGE),
                f"--socket={folder}/munge.socket",
            ],
            ["slurmctld", "-D", "-f", str(configuration)],
            ["slurmd", "-D", "-f", str(configuration), "-N", platform.node()],
        ):
            with Path(os.devnull).open("w") as nowhere:
                process = subprocess.Popen(
                    command, env=environment, start_new_session=True, stdout=nowhere, stderr=nowhere
                )
            processes.append(process)
            time.sleep(1.0)
        os.environ["SLURM_CONF"] = str(configuration)
        _wait_for_node(folder)
        yield
    finally:
        os.environ.pop("SLURM_CONF", None)
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(10.0)
            process.kill()
            process.wait()


_MUNGE = ("key", "pid", "log", "seed")


def _wait_for_node(folder: Path) -> None:
    for _ in range(60):
        said = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False)
        if said.stdout.split()[:1] == ["idle"]:
            return
        time.sleep(0.5)
    logs = "\n".join(path.read_text()[-2000:] for path in folder.glob("*.log"))
    raise AssertionError(f"there is no idle node: {said.stdout}{said.stderr}\n{logs}")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
