"""Processes start as the processors come free, and whoever is slow to start holds nobody up for long."""

from __future__ import annotations

import multiprocessing
from ctypes import c_uint64
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, cast

import pytest

import nonstop
import nonstop.engines.local as local
from nonstop.engines.local import Crew, Ready
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.messages import Request
from nonstop.trials.trial import TrialState
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Terms
from tests.engines.objectives import bowl
from tests.helpers.clocks import HandClock


class Idlers(Crew):
    """A crew whose processes say only what we say for them."""

    def __init__(self, names: str) -> None:
        study = nonstop.create_study(MemoryStorage(), space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
        task = Task(study.storage, study.id, study.spec, bowl, Terms())
        self.hands = HandClock()
        self.pipes: dict[str, Connection] = {}
        super().__init__(task, cast("Any", None), multiprocessing.get_context("spawn"), self.hands, names)

    def _start(self, name: str) -> None:
        mine, self.pipes[name] = multiprocessing.Pipe(duplex=False)
        process = cast("Any", SimpleNamespace(exitcode=None))
        self.members.append(local._Member(name, process, mine, c_uint64(), self.hands.monotonic()))

    @property
    def here(self) -> str:
        return "".join(member.name for member in self.members)


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Idlers:
    monkeypatch.setattr(local, "processors", lambda: 2)
    crew = Idlers("abcde")
    crew.muster()
    crew.hands.sleep(0.16)  # half of what a start takes: there are two processors
    crew.muster()
    return crew


def test_as_many_start_as_there_are_processors(crew: Idlers) -> None:
    assert crew.here == "ab"
    crew.look(patience=0.0)
    assert crew.here == "ab"


def test_the_next_starts_when_one_is_ready(crew: Idlers) -> None:
    for said, here in (("b", "abc"), ("a", "abcd"), ("d", "abcde"), ("c", "abcde")):
        crew.pipes[said].send(Ready())
        crew.hands.sleep(0.16)
        crew.look(patience=1.0)
        assert crew.here == here


def test_one_shortly_after_the_other(crew: Idlers) -> None:
    crew.pipes["a"].send(Ready())
    crew.pipes["b"].send(Ready())
    crew.look(patience=1.0)
    crew.look(patience=0.0)
    assert crew.here == "abc"
    crew.hands.sleep(0.16)
    crew.look(patience=0.0)
    assert crew.here == "abcd"


def test_the_end_of_one_worker_is_not_the_end_of_the_others(crew: Idlers) -> None:
    """It may have been told to end by hand; if there is nothing left to do, the others find that out themselves."""
    crew.members[0].process = cast("Any", SimpleNamespace(exitcode=0, join=lambda _seconds: None))
    crew.pipes["a"].send(Ready())
    crew.pipes["a"].send(Usage("a", 1.0, 0.0, 0.0, 0.0))
    crew.hands.sleep(0.16)
    crew.look(patience=1.0)
    assert crew.here == "bc"
    assert "".join(crew.absent) == "de"
    assert [usage.worker for usage in crew.usages] == ["a"]


def test_nobody_waits_long_for_one_that_is_slow_to_start(crew: Idlers) -> None:
    crew.hands.sleep(0.8)
    crew.look(patience=0.0)
    assert crew.here == "ab"
    crew.hands.sleep(0.1)  # a has had its second
    crew.look(patience=0.0)
    assert crew.here == "abc"
    crew.hands.sleep(0.16)  # so has b
    crew.look(patience=0.0)
    assert crew.here == "abcd"


def test_what_a_lost_one_held_is_handed_on_at_once(crew: Idlers) -> None:
    storage, study = crew.task.storage, crew.task.study
    held = storage.exchange(study, 0, request=Request("a wish", "a")).trial
    assert held is not None
    local.note(crew.members[0].cell, (held.number, held.attempt))
    crew.members[0].process = cast("Any", SimpleNamespace(exitcode=-9, join=lambda _seconds: None))
    crew.pipes["a"].close()
    crew.look(patience=1.0)
    (trial,) = storage.exchange(study, 0).changes
    assert (trial.state, trial.attempt) == (TrialState.WAITING, 2)


def test_who_holds_nothing_leaves_nothing(crew: Idlers) -> None:
    cell = crew.members[0].cell
    assert crew.members[0].held is None
    local.note(cell, (2**31 - 1, 7))
    assert crew.members[0].held == (2**31 - 1, 7)
    local.note(cell, None)
    assert crew.members[0].held is None


def test_a_lost_one_comes_back(crew: Idlers) -> None:
    crew.pipes["a"].send(Ready())
    crew.hands.sleep(0.16)
    crew.look(patience=1.0)
    crew.members[0].process = cast("Any", SimpleNamespace(exitcode=-9, join=lambda _seconds: None))
    crew.pipes["a"].close()
    crew.look(patience=1.0)
    assert crew.here == "bc"
    for said, here in (("b", "bcd"), ("c", "bcde"), ("d", "bcdea")):
        crew.pipes[said].send(Ready())
        crew.hands.sleep(0.16)
        crew.look(patience=1.0)
        assert crew.here == here
