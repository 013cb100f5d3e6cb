"""Studies by name, and the end of a storage."""

from __future__ import annotations

import pytest

from nonstop.errors import StorageError, StudyError
from nonstop.storage.contract import Storage
from nonstop.trials.messages import HandOn, Insert
from tests.helpers.storages import Desk

SPEC = {"space": {"x": {"type": "float", "low": 1e-5, "high": 0.1}}, "seed": 0, "note": "größer \\ud800 \0"}


def test_a_study_comes_back_as_it_was_created(storage: Storage) -> None:
    created = storage.create_study("größte", SPEC)
    assert storage.load_study("größte") == created
    assert created.spec == SPEC
    assert created.created_at >= 1_000


def test_a_name_is_taken_once(storage: Storage) -> None:
    storage.create_study("demo", {})
    with pytest.raises(StudyError, match="already a study 'demo'"):
        storage.create_study("demo", {})


def test_an_unknown_name_is_refused_with_the_known_ones(storage: Storage) -> None:
    with pytest.raises(StudyError, match="none yet"):
        storage.load_study("nothing")
    storage.create_study("one", {})
    storage.create_study("two", {})
    with pytest.raises(StudyError, match="'one', 'two'"):
        storage.load_study("nothing")


def test_the_latest_budget_is_kept(storage: Storage) -> None:
    study = storage.create_study("demo", {})
    assert study.budget is None
    for budget in (40, 2**62, None, 7):
        storage.set_budget(study.id, budget)
        assert storage.load_study("demo").budget == budget
    storage.create_study("other", {})
    assert [record.budget for record in storage.list_studies()] == [7, None]
    with pytest.raises(StudyError, match="no study with id 99"):
        storage.set_budget(99, 1)


def test_studies_are_listed_oldest_first(storage: Storage) -> None:
    records = [storage.create_study(name, {}) for name in "zab"]
    assert list(storage.list_studies()) == records


@pytest.mark.parametrize("name", ["", "a\0b", "a\ud800"])
def test_a_name_no_database_stores_is_refused(storage: Storage, name: str) -> None:
    with pytest.raises(StudyError, match="cannot be the name"):
        storage.create_study(name, {})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_a_specification_that_is_no_json_is_refused(storage: Storage, value: object) -> None:
    with pytest.raises(StudyError, match="JSON"):
        storage.create_study("demo", {"value": value})


@pytest.mark.parametrize("spec", [{"note": "a\ud800"}, {"x\udcff": 1}, {"deep": [{"choices": ["b\ud800"]}]}])
def test_a_specification_with_half_a_character_is_refused(storage: Storage, spec: dict[str, object]) -> None:
    with pytest.raises(StudyError, match="half of a surrogate pair"):
        storage.create_study("demo", spec)
    assert not storage.list_studies()


def test_studies_do_not_see_each_other(storage: Storage) -> None:
    one, two = (Desk(storage, storage.create_study(name, {}).id) for name in ("one", "two"))
    one.report(one.run())
    two.ask()
    assert (one.read().counts.completed, one.read().version) == (1, 1)
    assert (two.read().counts.proposing, two.read().version) == (1, 0)
    assert [trial.number for trial in two.read().changes] == [0]


def test_an_unknown_study_is_refused(storage: Storage) -> None:
    for call in (
        lambda: storage.exchange(99, 0),
        lambda: storage.beat(99, []),
        lambda: storage.insert(99, [Insert({})], "a"),
        lambda: storage.hand_on(99, HandOn(0, 1, "", max_attempts=1)),
    ):
        with pytest.raises(StudyError, match="no study with id 99"):
            call()


def test_a_closed_storage_says_so(desk: Desk) -> None:
    desk.storage.close()
    desk.storage.close()
    for call in (desk.read, desk.ask, desk.storage.list_studies, lambda: desk.storage.beat(desk.study, [])):
        with pytest.raises(StorageError, match="closed"):
            call()
