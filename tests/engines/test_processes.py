"""Worker processes start as processors come free; one that is slow to start delays the others only briefly."""

from __future__ import annotations

import multiprocessing
from ctypes import c_uint64
from dataclasses import replace
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, cast

import pytest

import nonstop
import nonstop.engines.processes as processes_of_a_run
from nonstop.engines.process import Failed, Ready, WorkerProcess
from nonstop.engines.processes import WorkerProcesses
from nonstop.engines.supervision import GRACE
from nonstop.errors import OutOfReachError, StorageError
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.messages import Request
from nonstop.trials.trial import TrialState
from nonstop.workers.held import share_held
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Terms
from tests.engines.objectives import bowl
from tests.helpers.clocks import HandClock


class FakeProcesses(WorkerProcesses):
    """Worker processes that are not started: the test sends their messages."""

    def __init__(self, names: str) -> None:
        study = nonstop.create_study(MemoryStorage(), space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
        task = Task(study.storage, study.id, study.spec, bowl, Terms())
        self.hand_clock = HandClock()
        self.pipes: dict[str, Connection] = {}
        super().__init__(task, cast("Any", None), multiprocessing.get_context("spawn"), self.hand_clock, names)

    def _start(self, name: str) -> None:
        mine, self.pipes[name] = multiprocessing.Pipe(duplex=False)
        process = cast("Any", SimpleNamespace(exitcode=None))
        self.running.append(WorkerProcess(name, process, mine, c_uint64(), self.hand_clock.monotonic()))

    @property
    def names_running(self) -> str:
        return "".join(worker.name for worker in self.running)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> FakeProcesses:
    monkeypatch.setattr(processes_of_a_run, "processors", lambda: 2)
    processes = FakeProcesses("abcde")
    processes.start_next()
    processes.hand_clock.sleep(0.16)  # half of what a start takes: there are two processors
    processes.start_next()
    return processes


def test_as_many_start_as_there_are_processors(processes: FakeProcesses) -> None:
    assert processes.names_running == "ab"
    processes.check(timeout=0.0)
    assert processes.names_running == "ab"


def test_the_next_starts_when_one_is_ready(processes: FakeProcesses) -> None:
    for ready, running in (("b", "abc"), ("a", "abcd"), ("d", "abcde"), ("c", "abcde")):
        processes.pipes[ready].send(Ready())
        processes.hand_clock.sleep(0.16)
        processes.check(timeout=1.0)
        assert processes.names_running == running


def test_one_shortly_after_the_other(processes: FakeProcesses) -> None:
    processes.pipes["a"].send(Ready())
    processes.pipes["b"].send(Ready())
    processes.check(timeout=1.0)
    processes.check(timeout=0.0)
    assert processes.names_running == "abc"
    processes.hand_clock.sleep(0.16)
    processes.check(timeout=0.0)
    assert processes.names_running == "abcd"


def test_the_end_of_one_worker_is_not_the_end_of_the_others(processes: FakeProcesses) -> None:
    """It may have been stopped by hand; if there is nothing left to do, the others find that out themselves."""
    processes.running[0].process = cast("Any", SimpleNamespace(exitcode=0, join=lambda _seconds: None))
    processes.pipes["a"].send(Ready())
    processes.pipes["a"].send(Usage("a", 1.0, 0.0, 0.0, 0.0))
    processes.hand_clock.sleep(0.16)
    processes.check(timeout=1.0)
    assert processes.names_running == "bc"
    assert "".join(processes.waiting_to_start) == "de"
    assert [usage.worker for usage in processes.usages] == ["a"]


def test_one_that_is_slow_to_start_delays_the_others_only_briefly(processes: FakeProcesses) -> None:
    processes.hand_clock.sleep(0.8)
    processes.check(timeout=0.0)
    assert processes.names_running == "ab"
    processes.hand_clock.sleep(0.1)  # a has had its second
    processes.check(timeout=0.0)
    assert processes.names_running == "abc"
    processes.hand_clock.sleep(0.16)  # so has b
    processes.check(timeout=0.0)
    assert processes.names_running == "abcd"


def test_the_trial_of_a_lost_worker_is_handed_on_at_once(processes: FakeProcesses) -> None:
    storage, study = processes.task.storage, processes.task.study
    held = storage.exchange(study, 0, request=Request("a request", "a")).trial
    assert held is not None
    share_held(processes.running[0].shared_held, (held.number, held.attempt))
    processes.running[0].process = cast("Any", SimpleNamespace(exitcode=-9, join=lambda _seconds: None))
    processes.pipes["a"].close()
    processes.check(timeout=1.0)
    (trial,) = storage.exchange(study, 0).changes
    assert (trial.state, trial.attempt) == (TrialState.WAITING, 2)


def test_shared_memory_says_which_trial_a_worker_holds(processes: FakeProcesses) -> None:
    shared_held = processes.running[0].shared_held
    assert processes.running[0].held is None
    share_held(shared_held, (2**31 - 1, 7))
    assert processes.running[0].held == (2**31 - 1, 7)
    share_held(shared_held, None)
    assert processes.running[0].held is None


def test_a_lost_worker_is_replaced(processes: FakeProcesses) -> None:
    processes.pipes["a"].send(Ready())
    processes.hand_clock.sleep(0.16)
    processes.check(timeout=1.0)
    processes.running[0].process = cast("Any", SimpleNamespace(exitcode=-9, join=lambda _seconds: None))
    processes.pipes["a"].close()
    processes.check(timeout=1.0)
    assert processes.names_running == "bc"
    for ready, running in (("b", "bcd"), ("c", "bcde"), ("d", "bcdea")):
        processes.pipes[ready].send(Ready())
        processes.hand_clock.sleep(0.16)
        processes.check(timeout=1.0)
        assert processes.names_running == running


def test_a_lost_worker_is_replaced_though_the_storage_is_out_of_reach(
    processes: FakeProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_reach(*_: object) -> Any:
        raise OutOfReachError("no answer")

    storage, study = processes.task.storage, processes.task.study
    held = storage.exchange(study, 0, request=Request("a request", "a")).trial
    assert held is not None
    share_held(processes.running[0].shared_held, (held.number, held.attempt))
    processes.running[0].process = cast("Any", SimpleNamespace(exitcode=-9, join=lambda _seconds: None))
    processes.pipes["a"].close()
    monkeypatch.setattr(storage, "counts", out_of_reach)
    monkeypatch.setattr(storage, "hand_on", out_of_reach)
    processes.check(timeout=1.0)
    assert "a" in processes.waiting_to_start


def test_a_worker_that_does_not_mind_the_time_limit_is_killed_and_its_trial_fails(processes: FakeProcesses) -> None:
    processes.task = replace(processes.task, terms=Terms(trial_timeout=30.0))
    storage, study = processes.task.storage, processes.task.study
    held = storage.exchange(study, 0, request=Request("a request", "a")).trial
    assert held is not None
    share_held(processes.running[0].shared_held, (held.number, held.attempt))
    killed = SimpleNamespace(exitcode=None, join=lambda _seconds: None)
    killed.kill = lambda: setattr(killed, "exitcode", -9)
    processes.running[0].process = cast("Any", killed)
    processes.check(timeout=0.0)
    processes.hand_clock.sleep(60.0)
    processes.check(timeout=0.0)
    assert killed.exitcode is None
    processes.hand_clock.sleep(0.1)
    processes.check(timeout=0.0)
    assert killed.exitcode == -9
    processes.check(timeout=0.0)
    (trial,) = storage.exchange(study, 0).changes
    assert (trial.state, trial.attempt) == (TrialState.FAILED, 1)
    assert "time limit of 30 s" in (trial.reason or "")


def test_a_worker_that_broke_is_replaced_if_its_parent_reaches_the_storage(processes: FakeProcesses) -> None:
    processes.pipes["a"].send(Ready())
    processes.check(timeout=1.0)
    processes.pipes["a"].send(Failed("StorageError", "no file descriptors", broken=True))
    processes.running[0].process = cast("Any", SimpleNamespace(exitcode=0, join=lambda _seconds: None))
    processes.check(timeout=1.0)
    assert "a" in processes.waiting_to_start


@pytest.mark.parametrize("closed", [False, True])
def test_an_error_of_the_storage_ends_the_run_if_its_parent_has_it_too(processes: FakeProcesses, closed: bool) -> None:
    """A worker that had not yet evaluated anything need not prove it: nothing has broken its process."""
    if closed:
        processes.task.storage.close()
    processes.pipes["a"].send(Failed("StorageError", "trial 3 = 0.5 could not be handed in", broken=closed))
    processes.running[0].process = cast("Any", SimpleNamespace(exitcode=0, join=lambda _seconds: None))
    with pytest.raises(StorageError, match=r"trial 3 = 0\.5"):
        processes.check(timeout=1.0)


def test_a_worker_that_closed_its_pipe_and_stays_is_ended(processes: FakeProcesses) -> None:
    killed = SimpleNamespace(exitcode=None, join=lambda _seconds: None)
    killed.kill = lambda: setattr(killed, "exitcode", -9)
    processes.running[0].process = cast("Any", killed)
    processes.pipes["a"].close()
    processes.check(timeout=0.0)
    processes.hand_clock.sleep(GRACE)
    processes.check(timeout=0.0)
    assert killed.exitcode == -9
    processes.check(timeout=0.0)
    assert "a" not in processes.names_running
