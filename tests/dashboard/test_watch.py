"""The messages to a page: every change once, at a cost in proportion to what is new, and storage errors."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pytest

import nonstop
from nonstop.dashboard.figures import FigureCache, FigureKind, figure_json, figure_kinds
from nonstop.dashboard.overview import Overview
from nonstop.dashboard.parallel import height
from nonstop.dashboard.throttled import Throttled
from nonstop.dashboard.watch import Heartbeats, Watcher
from nonstop.errors import StorageError
from nonstop.history.scale import Scale
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage, StudyRecord
from nonstop.trials.messages import Counts, Exchange, Pulse
from nonstop.trials.spec import Spec, spec_for_viewing
from nonstop.trials.trial import Trial
from tests.dashboard.studies import SPACE, value_of

T = TypeVar("T")


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """asyncio.run in a thread of its own: the browser tests leave an event loop running in theirs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Probe:
    """A storage that counts what was read, and can be out of reach."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.read: list[int] = []
        self.away = False

    def list_studies(self) -> Sequence[StudyRecord]:
        self._check()
        return self.storage.list_studies()

    def exchange(self, study: int, cursor: int) -> Exchange:
        self._check()
        answer = self.storage.exchange(study, cursor)
        self.read.append(len(answer.changes))
        return answer

    def counts(self, study: int) -> Counts:
        self._check()
        return self.storage.counts(study)

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        assert not mine
        return self.storage.beat(study, mine)

    def _check(self) -> None:
        if self.away:
            raise StorageError("the database is away")


@pytest.fixture
def study() -> nonstop.Study:
    return nonstop.create_study(None, "demo", space=SPACE)


@pytest.fixture
def probe(study: nonstop.Study) -> Probe:
    return Probe(study.storage)


def watcher_of(probe: Probe) -> Watcher:
    return Watcher(probe, probe.list_studies()[0])


def finish(study: nonstop.Study, count: int = 1) -> None:
    for _ in range(count):
        trial = study.ask("anna")
        study.tell(trial, value_of(trial.params or {}))


def received(watcher: Watcher, cursor: int) -> dict[str, Any]:
    messages = [json.loads(text) for text in watcher.messages(cursor, 1.0)]
    return {**messages[-1], "trials": [trial for message in messages for trial in message["trials"]]}


def test_the_budget_and_when_it_is_complete(study: nonstop.Study, probe: Probe) -> None:
    async def follow() -> None:
        watcher = watcher_of(probe)
        study.storage.set_budget(study.id, 50)
        finish(study, 5)
        study.ask("anna")
        await watcher.feed.refresh()
        shown = received(watcher, 0)["status"]
        assert shown["budget"] == 50
        assert shown["ready"] == pytest.approx(shown["last"] + 45 / shown["per_second"], abs=60.0)
        await watcher.feed.refresh()
        assert received(watcher, 0)["status"] == shown, "nothing new, nothing to send"

    run_apart(follow())


def test_a_page_gets_all_trials_at_first_and_then_only_new_ones(study: nonstop.Study, probe: Probe) -> None:
    async def follow() -> None:
        watcher = watcher_of(probe)
        finish(study, 5)
        await watcher.feed.refresh()
        first = received(watcher, 0)
        assert [trial["number"] for trial in first["trials"]] == [4, 3, 2, 1, 0]
        finish(study)
        await watcher.feed.refresh()
        second = received(watcher, first["cursor"])
        assert [trial["number"] for trial in second["trials"]] == [5]
        assert second["status"]["counts"]["completed"] == 6
        assert second["status"]["best"]["value"] == study.best_value
        assert received(watcher, second["cursor"])["trials"] == []

    run_apart(follow())
    assert probe.read == [5, 1]  # rows, not trials of the study: what is known is not read again


def test_a_long_first_message_comes_in_parts_and_only_the_last_has_the_cursor(
    study: nonstop.Study, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nonstop.dashboard.watch._CHUNK", 2)
    finish(study, 5)
    watcher = watcher_of(probe)
    run_apart(watcher.feed.refresh())
    parts = [json.loads(text) for text in watcher.messages(0, 1.0)]
    assert [len(part["trials"]) for part in parts] == [2, 2, 1]
    assert [part.get("cursor") for part in parts] == [None, None, watcher.cursor]


def test_a_storage_error_is_shown_until_it_is_over(study: nonstop.Study, probe: Probe) -> None:
    async def follow() -> None:
        watcher = watcher_of(probe)
        finish(study)
        await watcher.feed.refresh()
        probe.away, news = True, watcher.feed.news
        await watcher.feed.refresh()
        assert news.is_set()
        before = received(watcher, watcher.cursor)
        assert before["trouble"] == "the database is away"
        assert before["status"]["counts"]["completed"] == 1  # what was known stays
        finish(study)
        probe.away, news = False, watcher.feed.news
        await watcher.feed.refresh()
        assert news.is_set()
        assert received(watcher, before["cursor"])["trouble"] is None
        assert [trial["number"] for trial in received(watcher, before["cursor"])["trials"]] == [1]

    run_apart(follow())


def test_nothing_new_is_no_news(study: nonstop.Study, probe: Probe) -> None:
    async def follow() -> None:
        watcher = watcher_of(probe)
        finish(study)
        await watcher.feed.refresh()
        news = watcher.feed.news
        await watcher.feed.refresh()
        assert not news.is_set()

    run_apart(follow())


def test_without_followers_the_storage_is_not_polled(probe: Probe) -> None:
    async def follow() -> None:
        watcher = watcher_of(probe)
        async with watcher.feed.followed(), watcher.feed.followed():  # two pages, one reader
            await asyncio.sleep(0.2)
        assert len(probe.read) == 1
        await asyncio.sleep(0.6)
        count = len(probe.read)
        await asyncio.sleep(0.7)
        assert len(probe.read) == count

    run_apart(follow())


def test_the_list_reads_counts_first_and_then_each_trial_once(study: nonstop.Study, probe: Probe) -> None:
    finish(study, 3)

    async def follow() -> list[dict[str, Any]]:
        overview = Overview(probe)
        said = []
        for _ in range(3):
            await overview.feed.refresh()
            said.append(json.loads(overview.message("memory", 1.0))["studies"][0])
        return said

    first, second, third = run_apart(follow())
    assert (first["read"], first["best"], first["counts"]["completed"]) == (False, None, 3)
    assert second["best"]["value"] == study.best_value
    assert third == second
    assert probe.read == [3, 0]


def test_a_rule_of_ones_own_does_not_hide_the_study() -> None:
    study = nonstop.create_study(open_storage(None), "mine", space=SPACE, rule=nonstop.UCB(beta=3.0))
    spec = spec_for_viewing(study.storage.load_study("mine").spec)
    assert (spec.rule, spec.surrogate, spec.space) == ("random", "nonstop", SPACE)


def test_a_trial_without_heartbeats_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Still(Probe):
        def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
            assert (study, mine) == (1, [])
            return [Pulse(3, 1, 7, "anna"), Pulse(4, 1, 0, "by hand")]

    now = [100.0]
    monkeypatch.setattr("nonstop.dashboard.watch.time.monotonic", lambda: now[0])
    heartbeats, storage = Heartbeats(), Still(open_storage(None))
    assert not heartbeats.poll(storage, 1)
    now[0] += 40.0
    heartbeats.poll(storage, 1)
    assert heartbeats.silent() == {"3": 40.0}  # a trial that never had a heartbeat is left out


def test_expensive_values_are_computed_once_and_not_too_often() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(made)

    async def ask() -> None:
        with ThreadPoolExecutor(1) as thread:
            throttled: Throttled[int] = Throttled(60.0, thread)
            first = await asyncio.gather(*(throttled.get(1, make) for _ in range(5)))
            assert {result.version for result in first} == {1}
            again = await throttled.get(2, make)
            assert again.version == 1  # too soon: the old one, and its version says so

    run_apart(ask())
    assert made == [1]


def test_figures_are_drawn_in_the_thread_with_the_trials_of_that_moment(study: nonstop.Study, probe: Probe) -> None:
    finish(study, 2)
    seen: list[tuple[str, int]] = []

    class Stub:
        def to_json(self) -> str:
            return '{"data": [], "layout": {}}'

    def draw(_spec: Spec, trials: Sequence[Trial]) -> Any:
        seen.append((threading.current_thread().name, len(trials)))
        return Stub()

    async def ask() -> str:
        watcher = watcher_of(probe)
        await watcher.feed.load()
        with ThreadPoolExecutor(1, thread_name_prefix="figures") as thread:
            cache = FigureCache({"trace": FigureKind("Progress", "how", draw)}, thread)
            await cache.figure(watcher, "trace")
            return await cache.figure(watcher, "trace")

    answer = json.loads(run_apart(ask()))
    assert answer["figure"] == {"data": [], "layout": {}}
    assert seen == [("figures_0", 2)]


@pytest.mark.parametrize("name", figure_kinds())
@pytest.mark.parametrize("count", [0, 1, 12])
def test_every_figure_can_be_sent(study: nonstop.Study, name: str, count: int) -> None:
    finish(study, count)
    text = figure_json(figure_kinds()[name].draw, study.spec, study.trials)
    assert "<b>loss" not in text  # a parameter's name is text, and Plotly would read it as markup
    assert "parcoords" not in text  # needs eval, which the policy forbids
    json.loads(text)


def test_heights_on_parallel_axes() -> None:
    assert height(Scale("lr", "log", 1e-4, 1.0), np.array([1e-4, 1e-2, 1.0])) == pytest.approx([0.0, 0.5, 1.0])
    assert height(Scale("x", "linear", -1.0, 3.0), np.array([0.0])) == pytest.approx([0.25])
    assert height(Scale("c", "choices", 0.0, 0.0, ("only",)), np.array([0.0])) == pytest.approx([0.5])
