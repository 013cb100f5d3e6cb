"""Renamed, deleted and copied studies, in every storage."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from nonstop.errors import StudyError
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage, StudyRecord
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.copying import copied
from nonstop.trials.messages import HandOn, Insert
from nonstop.trials.trial import Trial, TrialState
from tests.contracts.test_concurrency import in_processes
from tests.contracts.test_insert import ROWS
from tests.helpers.storages import Desk


def test_a_renamed_study_is_found_under_its_new_name_alone(desk: Desk) -> None:
    storage, before = desk.storage, desk.storage.load_study("demo")
    trial = desk.run()
    storage.rename_study(desk.study, "größer")
    assert storage.load_study("größer") == replace(before, name="größer")
    with pytest.raises(StudyError, match="'größer'"):
        storage.load_study("demo")
    storage.rename_study(desk.study, "größer")  # as after a lost answer
    desk.report(trial)
    assert desk.read().version == 1
    storage.create_study("demo", {})


def test_a_name_that_is_taken_or_impossible_is_refused(desk: Desk) -> None:
    storage = desk.storage
    other = storage.create_study("other", {})
    with pytest.raises(StudyError, match="already a study 'demo'"):
        storage.rename_study(other.id, "demo")
    for name in ("", "a\0b", "x" * 201):
        with pytest.raises(StudyError, match="name"):
            storage.rename_study(other.id, name)
    with pytest.raises(StudyError, match="no study with id 99"):
        storage.rename_study(99, "new")
    assert [record.name for record in storage.list_studies()] == ["demo", "other"]


def test_a_deleted_study_is_gone_and_the_others_are_not(desk: Desk) -> None:
    storage, trial = desk.storage, desk.run()
    other = Desk(storage, storage.create_study("other", {}).id)
    other.report(other.run())
    kept = other.read()
    storage.insert(desk.study, ROWS, "many")
    storage.delete_study(desk.study)
    assert [record.name for record in storage.list_studies()] == ["other"]
    for call in (
        desk.read,
        desk.request,
        lambda: desk.start(trial, cursor=0),
        lambda: desk.report(trial),
        lambda: desk.hand_on(trial),
        lambda: storage.beat(desk.study, [(trial.number, 1)]),
        lambda: storage.insert(desk.study, ROWS, "many"),
        lambda: storage.hand_on(desk.study, HandOn(0, 1, "", max_attempts=1)),
        lambda: storage.counts(desk.study),
        lambda: storage.set_budget(desk.study, 7),
        lambda: storage.rename_study(desk.study, "new"),
        lambda: storage.delete_study(desk.study),
    ):
        with pytest.raises(StudyError, match=f"no study with id {desk.study} here: was it deleted"):
            call()
    assert other.read() == kept


def test_the_id_of_a_deleted_study_never_means_another(storage: Storage) -> None:
    """A worker of the deleted study, which knows only its id, must not work on the next one."""
    ids = []
    for turn in range(4):
        ids.append(storage.create_study("demo", {"turn": turn}).id)
        storage.delete_study(ids[-1])
    kept = storage.create_study("demo", {})
    assert len({*ids, kept.id}) == 5
    with pytest.raises(StudyError, match="no study with id"):
        storage.exchange(ids[-1], 0)


def test_ids_are_not_used_twice_after_a_restart(shared_url: str) -> None:
    ids = []
    for _ in range(3):
        storage = open_storage(shared_url)
        ids.append(storage.create_study("demo", {}).id)
        storage.delete_study(ids[-1])
        storage.close()
    assert len(set(ids)) == 3


def test_nor_in_a_file_of_the_first_release(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((Path(__file__).parent / "versions" / "1.sql").read_text())
    connection.close()
    storage = open_storage(f"sqlite:///{path}")
    (old,) = storage.list_studies()
    trials = storage.exchange(old.id, 0).changes
    storage.delete_study(old.id)
    assert storage.create_study("old", {}).id != old.id
    copy = storage.restore_study("copy", old, copied(trials))
    assert storage.exchange(copy.id, 0).version == 4
    storage.close()


def test_one_of_many_processes_deletes_a_study_or_gets_a_name(shared_url: str, tmp_path: Path) -> None:
    storage = open_storage(shared_url)
    study = storage.create_study("demo", {}).id
    names = [storage.create_study(f"study {index}", {}).id for index in range(6)]

    def work(index: int) -> None:
        own = open_storage(shared_url)
        with suppress(StudyError):
            own.delete_study(study)
            (tmp_path / f"deleted {index}").touch()
        with suppress(StudyError):
            own.rename_study(names[index], "taken")
            (tmp_path / f"named {index}").touch()
        own.close()

    in_processes(6, work)
    assert len(list(tmp_path.glob("deleted *"))) == 1
    assert len(list(tmp_path.glob("named *"))) == 1
    assert len(storage.list_studies()) == 6
    storage.close()


def a_long_life(desk: Desk) -> None:
    """Trials in every state, handed on, told late, enqueued and added."""
    done, lost, running, failed = desk.run(), desk.run(), desk.run(), desk.run()
    desk.report(done, -0.0, notes={"a": [1]}, seconds=0.1 + 0.2)
    desk.hand_on(lost, max_attempts=1)
    desk.report(lost, 2.0)  # undone
    desk.report(failed, None, state=TrialState.FAILED, reason="boom")
    desk.storage.insert(desk.study, ROWS, "many")
    desk.hand_on(running)
    desk.ask()
    desk.storage.set_budget(desk.study, 40)
    desk.storage.exchange(desk.study, 0)


def everything(storage: Storage, record: StudyRecord) -> list[Trial]:
    return sorted(storage.exchange(record.id, 0).changes, key=lambda trial: trial.number)


def test_a_copy_has_every_bit_and_nobody_works_on_it(desk: Desk) -> None:
    a_long_life(desk)
    storage, original = desk.storage, desk.storage.load_study("demo")
    before = everything(storage, original)
    copy = storage.restore_study("copy", original, copied(before))
    assert (copy.name, copy.spec, copy.budget) == ("copy", original.spec, 40)
    assert copy.id != original.id
    found = everything(storage, copy)
    held = [trial for trial in before if trial.state in (TrialState.RUNNING, TrialState.PROPOSING)]
    assert len(held) == 1
    for was, now in zip(before, found, strict=True):
        if was in held:
            assert (now.state, now.attempt, now.worker, now.lease) == (TrialState.WAITING, was.attempt + 1, None, None)
            assert (now.params, now.seed, now.sequence) == (was.params, was.seed, was.sequence)
        else:
            assert repr(replace(now, beat=0)) == repr(replace(was, beat=0))
    assert storage.beat(copy.id, []) == []
    assert everything(storage, original) == before


def test_a_copy_goes_on(desk: Desk) -> None:
    a_long_life(desk)
    storage, original = desk.storage, desk.storage.load_study("demo")
    copy = storage.restore_study("copy", original, copied(everything(storage, original)))
    other, total = Desk(storage, copy.id), storage.counts(copy.id).total
    assert other.read().cursor == desk.read().cursor
    waiting = storage.counts(copy.id).waiting
    granted = [other.ask() for _ in range(waiting)]
    assert len({trial.number for trial in granted}) == waiting
    assert other.ask().number == total
    version = other.read().version
    other.report(granted[0])
    assert other.read().version == version + 1
    assert desk.read().version == version


def test_failures_of_a_copy_stand(desk: Desk) -> None:
    lost = desk.run()
    desk.hand_on(lost, max_attempts=1)
    original = desk.storage.load_study("demo")
    copy = Desk(desk.storage, desk.storage.restore_study("copy", original, copied(desk.read().changes)).id)
    copy.report(lost, 1.0)
    assert copy.trial(lost.number).state is TrialState.FAILED
    desk.report(lost, 1.0)
    assert desk.trial(lost.number).state is TrialState.COMPLETED


def test_from_one_storage_to_another(storage: Storage) -> None:
    source = MemoryStorage()
    desk = Desk(source, source.create_study("demo", {"note": "größer"}).id)
    a_long_life(desk)
    record = source.load_study("demo")
    trials = copied(everything(source, record))
    copy = storage.restore_study("demo", record, trials)
    assert repr(everything(storage, copy)) == repr(trials)
    with pytest.raises(StudyError, match="already a study 'demo'"):
        storage.restore_study("demo", record, trials)


def test_trials_that_are_no_whole_study_are_refused(desk: Desk) -> None:
    a_long_life(desk)
    storage, original = desk.storage, desk.storage.load_study("demo")
    trials = copied(everything(storage, original))
    for wrong in (
        trials[1:],
        [*trials, trials[-1]],
        everything(storage, original),
        [replace(trial, sequence=1) for trial in trials],
        [replace(trial, order=None) for trial in trials],
        [replace(trial, order=1 if trial.order else None) for trial in trials],
    ):
        with pytest.raises(StudyError, match="not those of a whole study"):
            storage.restore_study("copy", original, wrong)
    assert [record.name for record in storage.list_studies()] == ["demo"]


def test_many_trials(storage: Storage) -> None:
    desk = Desk(storage, storage.create_study("demo", {}).id)
    storage.insert(desk.study, [Insert({"x": float(i)}, TrialState.COMPLETED, 1.0) for i in range(4_100)], "many")
    copy = storage.restore_study("copy", storage.load_study("demo"), copied(desk.read().changes))
    assert storage.exchange(copy.id, 0).changes == desk.read().changes
    storage.delete_study(desk.study)
    assert storage.counts(copy.id).completed == 4_100
