"""The thread that follows a run."""

from __future__ import annotations

import threading
import time
from typing import Any

import nonstop
from nonstop.errors import StorageError
from nonstop.history.board import Board
from nonstop.live.monitor import Lines, Monitor
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.messages import Exchange
from nonstop.trials.trial import Trial
from tests.helpers.goals import MINIMIZE

X = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


class Away(MemoryStorage):
    """A storage that answers nobody for a while, and then that it cannot be reached."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.back = threading.Event()

    def exchange(self, study: int, cursor: int, report: Any = None, request: Any = None) -> Exchange:
        if self.away:
            self.back.wait(60.0)
            raise StorageError("gone")
        return super().exchange(study, cursor, report, request)


def test_the_end_of_a_run_does_not_wait_for_a_storage_that_is_away() -> None:
    storage, said = Away(), list[str]()
    study = nonstop.create_study(storage, space=X)
    before = time.monotonic()
    with Monitor(storage, study.id, Board(MINIMIZE), Lines(said.append, None), patience=0.2):
        storage.away = True
    assert time.monotonic() - before < 30.0
    told = len(said)
    storage.back.set()
    time.sleep(0.1)
    assert len(said) == told, "nothing is shown once the run is over"


def test_every_change_is_told_once() -> None:
    study = nonstop.create_study(MemoryStorage(), space=X)
    told: list[Trial] = []
    monitor = Monitor(study.storage, study.id, Board(MINIMIZE), Lines(lambda _: None, None), on_changes=told.extend)
    with monitor:
        study.tell(study.ask("me"), 1.0)
        study.tell(study.ask("me"), 2.0)
    assert [trial.number for trial in told if trial.state.finished] == [0, 1]
    assert monitor.board.counts.completed == 2
