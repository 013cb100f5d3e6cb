"""Jobs of a Hydra sweep, each started alone, by a thread that waits for it and for nothing else.

Hydra's launchers run a batch and return when its last job has ended. A batch of one has no other to wait for: so each
job is a batch of its own. The basic launcher would run it in this process, so it gets a new process for each job. Other
launchers (submitit's, for one) start processes by themselves, and are called as they are.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from typing import IO, Any, Final, Protocol

from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn, JobStatus

from nonstop.engines.transfer import by_value, opened
from nonstop.errors import MissingExtraError, ObjectiveError, StartError, StudyError
from nonstop.numerics.threads import shares
from nonstop.types import Params
from nonstop.workers.command import end_group
from nonstop.workers.guard import Guard
from nonstop.workers.running import RunningTrial
from nonstop.workers.stopping import check_platform

try:
    from hydra_plugins._nonstop_job import CODE, RETURNED
except ImportError as error:  # Hydra is there, but not what the extra has besides
    raise MissingExtraError("hydra/sweeper: nonstop", "hydra") from error

_STOPPED: Final = "the sweep was stopped"


class Start(Protocol):
    """Runs one job to its end."""

    def run(self, overrides: Sequence[str], number: int) -> JobReturn:
        """What the job returned; ObjectiveError if it ended without a word."""

    def stop(self) -> None:
        """End what runs, as far as that can be."""


class Jobs:
    """The objective of a sweep: params in, what the job returned out."""

    def __init__(self, start: Start, overrides: Callable[[Params], list[str]]) -> None:
        self._start = start
        self._overrides = overrides
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._stopped: Future[None] = Future()
        #: What jobs returned, by number.
        self.returned: dict[int, JobReturn] = {}

    def __call__(self, params: Params, trial: RunningTrial) -> object:
        """The return value of the job with these params; ObjectiveError if it failed."""
        return _value(self.run(self._overrides(params), trial.number))

    def run(self, overrides: Sequence[str], number: int) -> JobReturn:
        """One job. StartError if the sweep is stopped meanwhile: that is not the trial's fault, so it is given back."""
        if self._stopping.is_set():
            raise StartError(_STOPPED)
        job: Future[JobReturn] = Future()
        # A daemon: nothing ends a launcher that waits for a cluster, and this process is not to wait for it either.
        threading.Thread(target=_settle, args=(job, self._start, overrides, number), daemon=True).start()
        wait((job, self._stopped), return_when=FIRST_COMPLETED)
        if self._stopping.is_set() and not _completed(job):
            raise StartError(_STOPPED)
        self.returned[number] = job.result()
        return job.result()

    def stop(self) -> None:
        """End the jobs that run; no other starts."""
        with self._lock:
            if not self._stopping.is_set():
                self._stopping.set()
                self._start.stop()
                self._stopped.set_result(None)


def _settle(job: Future[JobReturn], start: Start, overrides: Sequence[str], number: int) -> None:
    try:
        job.set_result(start.run(overrides, number))
    except BaseException as error:
        job.set_exception(error)


def _completed(job: Future[JobReturn]) -> bool:
    return job.done() and job.exception() is None and job.result().status is JobStatus.COMPLETED


def _value(returned: JobReturn) -> object:
    if returned.status is JobStatus.COMPLETED:
        return returned.return_value
    error = returned._return_value  # the property would raise it, and print
    raise ObjectiveError(f"{type(error).__name__}: {error}")


class Launched:
    """Jobs that a launcher starts by itself: one call for each, from a thread of its own."""

    def __init__(self, launcher: Any) -> None:
        self._launcher = launcher

    def run(self, overrides: Sequence[str], number: int) -> JobReturn:
        """A batch of one."""
        [returned] = self._launcher.launch([list(overrides)], initial_job_idx=number)
        assert isinstance(returned, JobReturn)
        return returned

    def stop(self) -> None:
        """A launcher cannot be told to: what it submitted goes on, as it does in other sweeps."""


class Processes:
    """Jobs in processes of this machine, a new one for each, in which the basic launcher runs it."""

    def __init__(self, launcher: Any, workers: int) -> None:
        check_platform("jobs of a Hydra sweep in processes of this machine", StudyError)
        self._job = by_value((launcher, Singleton.get_state()))
        self._variables = shares(workers)
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, overrides: Sequence[str], number: int) -> JobReturn:
        """One process, which ends with this one. It finds its job in a file, and leaves there what it returned."""
        with tempfile.TemporaryFile() as file, Guard() as guard:
            head = [sys.path, sys.argv], {"overrides": list(overrides), "number": number}
            file.write(b"".join(json.dumps(line).encode() + b"\n" for line in head) + self._job)
            file.seek(0)
            process = self._started(file)
            try:
                guard.watch(process.pid)
                code = process.wait()
            finally:
                with self._lock:
                    self._running.discard(process)
            file.seek(0)
            return _returned(file.read(), code)

    def _started(self, file: IO[bytes]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise ObjectiveError(_STOPPED)
            process = subprocess.Popen(
                [sys.executable, "-c", CODE, str(file.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[file.fileno()],
                env={**self._variables, **os.environ},
                start_new_session=True,  # a group of its own, so that it ends with all that it started
            )
            self._running.add(process)
        return process

    def stop(self) -> None:
        """End all processes, and those that they started."""
        with self._lock:
            self._stopped, running = True, list(self._running)
        for process in running:  # all of them at once, and then one after the other
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            end_group(process)


def _returned(left: bytes, code: int) -> JobReturn:
    """What a process left: nothing but its job, if it ended without a word."""
    if code == 0 and left.startswith(RETURNED):
        returned = opened(left.removeprefix(RETURNED))
        assert isinstance(returned, JobReturn)
        return returned
    how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    raise ObjectiveError(f"the job ended without a result: {how}")
