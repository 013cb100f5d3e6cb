"""Objectives that do what no objective should, and what must become of their trials.

    python -m tests.faults.misbehaviour URL BUDGET WORKERS

evaluates the trials that were enqueued with a misbehaviour, and ordinary ones up to the budget.
"""

from __future__ import annotations

import asyncio
import ctypes
import locale
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

import nonstop
from nonstop.types import Value
from nonstop.workers.stopping import StopRequested

#: The params of an enqueued trial: no proposal hits this value of x.
X = 0.125
#: Seconds that one evaluation may take.
LIMIT = 2.0


class OwnError(BaseException):
    pass


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise OwnError

    __repr__ = __str__


class Nameless(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise OwnError


class NamelessError(Exception, metaclass=Nameless):
    pass


class RaisingFloat(float):
    def __float__(self) -> float:
        raise OwnError("not as a float")


class EndlessFloat(float):
    def __float__(self) -> float:
        while True:
            time.sleep(0.01)


def throw(error: BaseException) -> NoReturn:
    raise error


def recurse() -> int:
    return recurse() + 1


def recurse_without_limit() -> float:
    sys.setrecursionlimit(10**9)
    nested: list[object] = []
    for _ in range(10**6):
        nested = [nested]
    return float(len(repr(nested)))


def swallow_the_limit() -> float:
    for _ in range(2):
        try:
            time.sleep(60.0)
        except:  # noqa: E722
            continue
    return 0.0


def swallow_everything() -> float:
    """Until the parent's patience ends."""
    while True:
        try:
            time.sleep(60.0)
        except:  # noqa: E722
            continue


def disable_the_alarm() -> float:
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    time.sleep(1.5 * LIMIT)
    return 0.0


def leave_an_alarm() -> float:
    """It goes off in our code, or in that of another trial."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGALRM)).start()
    return 0.0


def close_files() -> float:
    os.closerange(3, 256)
    return 0.0


def close_files_and_stay() -> float:
    os.closerange(3, 256)
    time.sleep(60.0)
    return 0.0


def leave_no_file_descriptors() -> float:
    """The storage cannot be opened in this process, while its parent has no trouble."""
    os.closerange(3, 256)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    return 0.0


def exhaust_memory() -> float:
    resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
    return float(np.ones(2**30)[0])


def exhaust_threads() -> float:
    threading.stack_size(2**30)
    resource.setrlimit(resource.RLIMIT_AS, (2**34, 2**34))
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(600.0,), daemon=True).start()
    return 0.0


def leave_threads() -> float:
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(600.0,)).start()
    return 0.0


def leave_zombies() -> float:
    for _ in range(20):
        if os.fork() == 0:
            os._exit(0)
    return 0.0


def leave_a_child() -> float:
    subprocess.Popen(["sleep", "600"], close_fds=False)
    if os.fork() == 0:
        time.sleep(600.0)
    return 0.0


def print_much() -> float:
    for _ in range(100):
        print("x" * 10**6, end="")
    return 0.0


def leave_the_folder() -> float:
    os.chdir("/")
    os.environ.clear()
    os.umask(0o777)
    return 0.0


def change_settings() -> float:
    locale.setlocale(locale.LC_ALL, "")
    warnings.simplefilter("error")
    np.seterr(all="raise")
    np.random.seed(0)  # noqa: NPY002
    sys.excepthook = lambda *_: os._exit(9)
    sys.setswitchinterval(1.0)
    return 0.0


def close_streams() -> float:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()
    return 0.0


def close_standard_files() -> float:
    os.closerange(0, 3)
    return 0.0


def handle_signals() -> float:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    return 0.0


def kill_by(number: signal.Signals) -> float:
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)
    return 0.0


@dataclass(frozen=True)
class Case:
    """What an objective does, how its trial ends, and what its reason says."""

    act: Callable[[], object]
    #: None: completed, or failed with a reason.
    state: str | None = "failed"
    says: str = ""
    #: Is its worker lost? Then other workers try again, until it has had all its attempts or is ended by its parent.
    lost: bool = False


#: They are the end of one trial, and of nothing else.
FAILING = {
    "exit": Case(lambda: sys.exit(3), says="SystemExit: 3"),
    "cancelled": Case(lambda: throw(asyncio.CancelledError()), says="CancelledError"),
    "keyboard": Case(lambda: throw(KeyboardInterrupt()), says="KeyboardInterrupt"),
    "generator": Case(lambda: throw(GeneratorExit()), says="GeneratorExit"),
    "own": Case(lambda: throw(OwnError("mine")), says="OwnError: mine"),
    "stop": Case(lambda: throw(StopRequested()), says="StopRequested"),
    "unprintable": Case(lambda: throw(UnprintableError()), says="UnprintableError: (its message"),
    "nameless": Case(lambda: throw(NamelessError("hm")), says="NamelessError: hm"),
    "long": Case(lambda: throw(ValueError("x" * 10**8)), says="ValueError: … xxx"),
    "recursion": Case(recurse, says="RecursionError"),
    "none": Case(lambda: None, says="returned None"),
    "raising float": Case(lambda: RaisingFloat(1.0), says="not as a float"),
    "endless float": Case(lambda: EndlessFloat(1.0), says="time limit of 2 s"),
    "swallow": Case(swallow_the_limit, says="time limit of 2 s"),
    "no alarm": Case(disable_the_alarm, says="time limit of 2 s"),
}
#: They leave their process in disorder, but return a value, and it counts.
UNTIDY = {
    "print": Case(print_much, "completed"),
    "folder": Case(leave_the_folder, "completed"),
    "settings": Case(change_settings, "completed"),
    "streams": Case(close_streams, "completed"),
    "standard files": Case(close_standard_files, "completed"),
    "signals": Case(handle_signals, "completed"),
    "zombies": Case(leave_zombies, "completed"),
    "a child": Case(leave_a_child, "completed"),
    "threads": Case(leave_threads, "completed"),
}
#: They end their process, or leave it useless.
FATAL = {
    "_exit": Case(lambda: os._exit(0), says="its worker was lost (exit code 0)", lost=True),
    "stay": Case(close_files_and_stay, says="closed the pipe", lost=True),
}
#: The same, and more costly or alike; only `make faults` tries them.
MORE_FATAL = {
    "segfault": Case(lambda: ctypes.string_at(0), says="killed by signal 11", lost=True),
    "_exit 1": Case(lambda: os._exit(1), says="exit code 1", lost=True),
    "abort": Case(os.abort, says="killed by signal 6", lost=True),
    "kill": Case(lambda: kill_by(signal.SIGKILL), says="killed by signal 9", lost=True),
    "usr1": Case(lambda: kill_by(signal.SIGUSR1), says="killed by signal 10", lost=True),
    "stack": Case(recurse_without_limit, lost=True),  # killed by signal 11, or by the time limit on a busy machine
    "exec": Case(lambda: os.execv("/bin/true", ["true"]), says="exit code 0", lost=True),
    "alarm": Case(leave_an_alarm, "completed"),
    "files": Case(close_files, None, lost=True),
    "no descriptors": Case(leave_no_file_descriptors, None, lost=True),
    "memory": Case(exhaust_memory, says="Error"),
    "many threads": Case(exhaust_threads, says="can't start new thread"),
    "swallow everything": Case(swallow_everything, says="did not end after the time limit of 2 s", lost=True),
}
CASES = FAILING | UNTIDY | FATAL | MORE_FATAL
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "what": nonstop.Categorical(["nothing", *CASES])})


def objective(params: dict[str, Value]) -> object:
    what = str(params["what"])
    if params["x"] == X and what in CASES:
        return CASES[what].act()
    time.sleep(0.05)
    return float(str(params["x"]))


if __name__ == "__main__":
    url, budget, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    study = nonstop.load_study(url, "demo")
    study.optimize(
        "tests.faults.misbehaviour:objective",
        n_trials=budget,
        workers=workers,
        trial_timeout=LIMIT,
        max_failures=None,
        lease=5.0,
    )
