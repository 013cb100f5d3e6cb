"""Real processes and threads on one storage."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nonstop.errors import StorageError, StudyError
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage
from nonstop.trials.messages import Report, Request
from nonstop.trials.trial import TrialState
from tests.helpers.storages import Desk
from tests.helpers.trials import a_start


def in_processes(count: int, work: Callable[[int], None]) -> None:
    """work(0), work(1), … in processes that start at the same moment; fails if one of them does."""
    gate, opener = os.pipe()
    children = []
    for index in range(count):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.close(opener)
                os.read(gate, 1)
                work(index)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        children.append(child)
    os.close(gate)
    os.close(opener)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    assert not failed, f"{len(failed)} of {count} processes failed: see their tracebacks above"


def work_until_done(url: str, study: int, worker: str, limit: int, cursor: int = 0) -> None:
    """A worker: exchange, start, exchange, … until the budget is used up."""
    storage = open_storage(url)
    report = None
    for turn in range(1_000):
        answer = storage.exchange(study, cursor, report, Request(f"{worker} {turn}", worker, limit))
        trial, report = answer.trial, None
        if trial is None:
            break
        while True:
            point = {"x": (trial.number * 7919 % 1000) / 1000}
            answer = storage.start(study, a_start(trial.number, point, attempt=trial.attempt), answer.cursor)
            if answer.trial is not None:
                break
        report = Report(f"{worker} {turn}", trial.number, trial.attempt, TrialState.COMPLETED, point["x"])
    storage.close()


def check_whole(storage: Storage, study: int, expected: int) -> None:
    read = storage.exchange(study, 0)
    assert sorted(trial.number for trial in read.changes) == list(range(expected))
    assert sorted(trial.order or 0 for trial in read.changes) == list(range(1, expected + 1))
    assert read.version == read.counts.completed == expected
    assert [trial.sequence for trial in read.changes] == sorted({trial.sequence for trial in read.changes})


def test_fifty_processes_create_the_schema_at_once(shared_url: str) -> None:
    def arrive(index: int) -> None:
        storage = open_storage(shared_url)
        storage.create_study(f"study {index}", {})
        storage.close()

    in_processes(50, arrive)
    storage = open_storage(shared_url)
    assert len(storage.list_studies()) == 50
    storage.close()


def test_one_of_many_processes_gets_the_name(shared_url: str, tmp_path: Path) -> None:
    def arrive(index: int) -> None:
        storage = open_storage(shared_url)
        try:
            storage.create_study("demo", {"by": index})
            (tmp_path / f"winner {index}").touch()
        except StudyError:
            storage.load_study("demo")
        storage.close()

    in_processes(12, arrive)
    assert len(list(tmp_path.glob("winner *"))) == 1


def test_processes_share_a_budget_and_never_exceed_it(shared_url: str) -> None:
    storage = open_storage(shared_url)
    study = storage.create_study("demo", {}).id
    in_processes(6, lambda index: work_until_done(shared_url, study, f"worker {index}", limit=60))
    check_whole(storage, study, 60)
    storage.close()


def test_threads_share_a_storage(storage: Storage) -> None:
    study = storage.create_study("demo", {}).id

    def work(worker: int) -> None:
        for turn in range(5):
            trial = storage.exchange(study, 0, request=Request(f"{worker} {turn}", str(worker))).trial
            assert trial is not None
            point = {"x": float(trial.number)}
            while storage.start(study, a_start(trial.number, point), storage.exchange(study, 0).cursor).trial is None:
                pass
            storage.beat(study, [(trial.number, 1)])
            storage.exchange(study, 0, Report(f"{worker} {turn}", trial.number, 1, TrialState.COMPLETED, 1.0))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    check_whole(storage, study, 30)


def test_a_reader_never_misses_a_change_made_meanwhile(shared_url: str) -> None:
    """Every snapshot is whole: as many results as its version says, numbered without a gap."""
    storage = open_storage(shared_url)
    study = storage.create_study("demo", {}).id
    stop = threading.Event()
    seen: dict[int, int] = {}
    reads = 0

    def read() -> None:
        nonlocal reads
        reader, cursor = open_storage(shared_url), 0
        while not stop.is_set() or cursor < 0:
            news = reader.exchange(study, cursor)
            cursor = news.cursor
            seen.update({trial.order: trial.number for trial in news.changes if trial.order is not None})
            assert sorted(seen) == list(range(1, news.version + 1))
            reads += 1
        reader.close()

    # A thread must not be running when processes are forked: it starts in the parent after they did.
    with ThreadPoolExecutor(1) as pool:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                in_processes(3, lambda index: work_until_done(shared_url, study, f"worker {index}", limit=45))
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        reading = pool.submit(read)
        assert os.waitpid(child, 0)[1] == 0
        time.sleep(0.05)
        stop.set()
        reading.result()
    assert reads > 5
    check_whole(storage, study, 45)
    storage.close()


def test_a_storage_opened_before_a_fork_works_on_both_sides(shared_url: str) -> None:
    storage = open_storage(shared_url)
    desk = Desk(storage, storage.create_study("demo", {}).id)
    desk.run()
    study = desk.study

    def work(index: int) -> None:
        assert storage.exchange(study, 0).cursor >= 2
        for turn in range(5):
            assert storage.exchange(study, 0, request=Request(f"{index} {turn}", "child")).trial is not None

    in_processes(4, work)
    assert desk.ask().number == 21
    storage.close()


@pytest.mark.parametrize("url", [None, "sqlite://"])
def test_a_study_in_memory_refuses_a_forked_process(url: str | None) -> None:
    storage = open_storage(url)
    storage.create_study("demo", {})

    def work(_: int) -> None:
        with pytest.raises(StorageError, match="another process"):
            storage.list_studies()

    in_processes(1, work)
    assert len(storage.list_studies()) == 1
    storage.close()
