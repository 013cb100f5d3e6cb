"""Where the time went, when the storage cannot be reached for a while: the workers' clocks and the stored trials agree.

An outage is storing, wherever it falls: before an evaluation, after it, or in the middle of it, where nobody notices.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop import history
from nonstop.cli.study_summary import summary_of_study
from nonstop.dashboard.watch import Watcher
from nonstop.history.board import Board
from nonstop.storage import open_storage
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.sqlite import driver
from nonstop.trials.messages import Counts, Exchange, Report, Request, Start
from nonstop.trials.spec import Spec
from nonstop.trials.times import duration_of, evaluated_until
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.usage import Usage
from tests.helpers.goals import MINIMIZE

X = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
#: Seconds of an outage and of an evaluation, and how far the two accounts may differ: both clocks are looked at within
#: microseconds, but another process may have the processor in between. An outage in the wrong account is far more.
OUTAGE, EVALUATION, TOLERANCE = 1.2, 0.3, 0.6
DONE = Trial(
    0,
    TrialState.COMPLETED,
    value=1.0,
    order=1,
    worker="w",
    asked_at=100.0,
    started_at=101.0,
    finished_at=107.0,
    seconds=2.0,
)


def test_the_duration_is_what_the_worker_measured() -> None:
    assert duration_of(DONE) == 2.0
    assert duration_of(replace(DONE, seconds=None)) == 6.0, "an older trial"
    assert duration_of(replace(DONE, seconds=None, finished_at=100.5)) == 0.0, "the clock was set back"
    assert duration_of(replace(DONE, seconds=None, started_at=None)) is None, "added from outside"
    assert duration_of(replace(DONE, state=TrialState.RUNNING, seconds=None, finished_at=None)) is None


def test_the_evaluation_ends_before_its_result_is_stored() -> None:
    assert evaluated_until(DONE, 107.0) == 103.0
    assert evaluated_until(replace(DONE, seconds=90.0), 107.0) == 107.0, "a late result of an earlier attempt"
    assert evaluated_until(replace(DONE, seconds=None), 107.0) == 107.0


def test_waiting_for_the_storage_is_storing_in_every_account() -> None:
    assert history.utilisation([DONE]) == [Usage("w", evaluating=2.0, proposing=0.0, storing=5.0)]
    (lane,) = history.timeline(Spec(X), [DONE]).lanes
    kinds = [(segment.kind, segment.start, segment.end) for segment in lane.segments]
    assert kinds == [("storing", 0.0, 1.0), ("completed", 1.0, 3.0), ("storing", 3.0, 7.0)]
    board = Board(MINIMIZE)
    board.apply(Exchange((DONE,), 1, version=1, counts=Counts(completed=1)))
    assert board.utilisation(now=200.0) == pytest.approx(2.0 / 7.0)


class Unreachable:
    """A storage that does not answer for OUTAGE seconds when trial 1 is started or handed in: before it does what it
    was asked for, or after, when only the answer is lost on its way."""

    def __init__(self, inner: MemoryStorage, call: str, before: bool) -> None:
        self._inner = inner
        self._call, self._before = call, before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _late(self, call: Callable[[], Exchange]) -> Exchange:
        if self._before:
            time.sleep(OUTAGE)
        answer = call()
        if not self._before:
            time.sleep(OUTAGE)
        return answer

    def start(self, study: int, start: Start, cursor: int) -> Exchange:
        def call() -> Exchange:
            return self._inner.start(study, start, cursor)

        return self._late(call) if self._call == "start" and start.number == 1 else call()

    def exchange(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        def call() -> Exchange:
            return self._inner.exchange(study, cursor, report, request)

        return self._late(call) if self._call == "report" and report is not None and report.number == 1 else call()


def agree(measured: Usage, stored: Usage) -> None:
    """Both accounts say the same of evaluating and storing, and the stored one has no time that nobody spent."""
    assert stored.evaluating == pytest.approx(measured.evaluating, abs=TOLERANCE)
    assert stored.storing == pytest.approx(measured.storing, abs=TOLERANCE)
    assert stored.total <= measured.total + TOLERANCE


@pytest.mark.parametrize("call", ["start", "report"])
@pytest.mark.parametrize("before", [True, False], ids=["before", "answer-lost"])
def test_an_outage_at_either_end_of_an_evaluation(call: str, before: bool) -> None:
    storage: Any = Unreachable(MemoryStorage(), call, before)
    study = nonstop.create_study(storage, space=X, seed=0)

    spent: list[float] = []

    def objective(params: dict[str, Any]) -> float:
        before = time.monotonic()
        time.sleep(EVALUATION)
        spent.append(time.monotonic() - before)
        return float(params["x"])

    (measured,) = study.optimize(objective, n_trials=3)
    (stored,) = history.utilisation(study.trials)
    agree(measured, stored)
    assert stored.storing >= OUTAGE - TOLERANCE
    assert stored.evaluating == pytest.approx(sum(spent), abs=TOLERANCE)
    assert [duration_of(trial) for trial in study.trials] == pytest.approx(spent, abs=TOLERANCE)


@pytest.mark.parametrize("when", ["first", "middle", "last"])
def test_a_database_that_is_locked(tmp_path: Path, when: str) -> None:
    """Locked from the middle of an evaluation until a while after its end: what was evaluated meanwhile stays so."""
    path = tmp_path / "runs.db"
    study = nonstop.create_study(open_storage(f"sqlite:///{path}"), "demo", space=X, seed=0)
    number = {"first": 0, "middle": 1, "last": 2}[when]
    evaluated = 0
    threads: list[threading.Thread] = []

    def objective(params: dict[str, Any]) -> float:
        nonlocal evaluated
        if evaluated == number:
            locked = threading.Event()
            threads.append(threading.Thread(target=lock, args=(path, EVALUATION + OUTAGE, locked)))
            threads[0].start()
            locked.wait(10.0)
        evaluated += 1
        time.sleep(EVALUATION)
        return float(params["x"])

    (measured,) = study.optimize(objective, n_trials=3)
    threads[0].join()
    (stored,) = history.utilisation(study.trials)
    agree(measured, stored)
    assert stored.storing >= OUTAGE - TOLERANCE
    assert duration_of(study.trials[number]) == pytest.approx(EVALUATION, abs=TOLERANCE)


def test_every_place_tells_the_same_of_a_run_with_an_outage(tmp_path: Path) -> None:
    """The summary (measured by workers), the live lines, `show`, the timeline and the dashboard."""
    path = tmp_path / "runs.db"
    study = nonstop.create_study(open_storage(f"sqlite:///{path}"), "demo", space=X, seed=0)
    board = Board(MINIMIZE)
    threads: list[threading.Thread] = []

    def objective(params: dict[str, Any]) -> float:
        if not threads:
            locked = threading.Event()
            threads.append(threading.Thread(target=lock, args=(path, EVALUATION + OUTAGE, locked)))
            threads[0].start()
            locked.wait(10.0)
        time.sleep(EVALUATION)
        return float(params["x"])

    (measured,) = study.optimize(objective, n_trials=3)
    threads[0].join()
    board.apply(study.storage.exchange(study.id, 0))
    shown = summary_of_study(study, "here", time.time())
    status = Watcher(study.storage, study.storage.load_study("demo"))._poll().status
    drawn = history.timeline(study.spec, study.trials).lanes[0]
    evaluated = sum(segment.end - segment.start for segment in drawn.segments if segment.kind == "completed")
    shares = {
        "summary": measured.utilisation,
        "live": board.utilisation(time.time()),
        "show": shown["utilisation"],
        "dashboard": status["usage"]["share"],
        "timeline": evaluated / drawn.segments[-1].end,
    }
    exact = 3 * EVALUATION / (3 * EVALUATION + OUTAGE)
    assert shares == pytest.approx(dict.fromkeys(shares, exact), abs=0.12), "0.53; it was 1 where it was not measured"


def test_what_only_the_workers_know() -> None:
    """A worker that waits for the rest of the budget is idle by its own account; no trial tells of it."""
    study = nonstop.create_study(space=X, seed=0)
    first = threading.Event()

    def objective(params: dict[str, Any]) -> float:
        if not first.is_set():
            first.set()
            time.sleep(OUTAGE)
        return float(params["x"])

    measured = study.optimize(objective, n_trials=2, workers=ThreadPoolExecutor(2))
    stored = history.utilisation(study.trials)
    assert sum(usage.idle for usage in measured) >= OUTAGE / 2
    assert sum(usage.idle for usage in stored) <= TOLERANCE
    assert sum(usage.evaluating for usage in stored) == pytest.approx(
        sum(usage.evaluating for usage in measured), abs=TOLERANCE
    )


def lock(path: Path, seconds: float, locked: threading.Event) -> None:
    connection = driver().connect(path, isolation_level=None, timeout=10.0)
    connection.execute("BEGIN EXCLUSIVE")
    locked.set()
    time.sleep(seconds)
    connection.execute("ROLLBACK")
    connection.close()
