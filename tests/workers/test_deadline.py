"""A clock that is set back must not prolong a run: not in its process, not on the way to another."""

from __future__ import annotations

import pickle
import time

import pytest

import nonstop
from nonstop.clock import WallClock
from nonstop.engines.transfer import ByValue
from nonstop.space import Float, Space
from nonstop.trials.spec import Spec
from nonstop.workers.deadline import Deadline
from nonstop.workers.worker import Task, Terms, Worker
from tests.helpers.clocks import HandClock

SPACE = Space({"x": Float(0.0, 1.0)})
YEAR = 3.15e7


class SetBack(HandClock):
    """A clock whose wall time somebody sets back by an hour, again and again."""

    def now(self) -> float:
        return self.time - 3600.0 * len(self.naps)


def test_a_run_ends_by_the_clock_that_nobody_sets() -> None:
    clock, study = SetBack(), nonstop.create_study(space=SPACE)

    def objective(_params: object) -> float:
        clock.sleep(1.0)
        return 0.0

    terms = Terms(deadline=Deadline.after(4.5, clock))
    Worker(Task(study.storage, study.id, Spec(SPACE), objective, terms), "me", clock=clock).run()
    assert len(study.trials) == 5


@pytest.mark.parametrize(("jump", "low", "high"), [(-YEAR, 99.0, 100.0), (0.0, 99.0, 100.0), (40.0, 59.0, 60.0)])
def test_on_the_way_to_another_process_only_the_travelling_time_is_measured(
    monkeypatch: pytest.MonkeyPatch, jump: float, low: float, high: float
) -> None:
    """Set back meanwhile: all that was left is left, and not a year more."""
    sent = pickle.dumps(Deadline.after(100.0))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    assert low < pickle.loads(sent).left(WallClock()) <= high


def test_a_process_that_starts_late_gets_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that takes the place of a lost one, an hour later and with the clock set back by two."""
    cloudpickle = pytest.importorskip("cloudpickle")
    terms = Terms(deadline=Deadline.after(4000.0))
    task = Task(None, 1, Spec(SPACE), "a:b", terms)  # type: ignore[arg-type]  # a storage would open its file
    parcel = ByValue(cloudpickle.dumps(task), terms.deadline)
    monotonic, wall = time.monotonic, time.time
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + 3600.0)
    monkeypatch.setattr(time, "time", lambda: wall() - 7200.0)
    deadline = pickle.loads(pickle.dumps(parcel)).open().terms.deadline
    assert deadline is not None
    assert 390.0 < deadline.left(WallClock()) <= 400.0
