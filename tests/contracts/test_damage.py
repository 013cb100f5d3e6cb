"""Rows that are damaged or newer than we are: the others are still there, and the error names the bad one."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import nonstop
from nonstop.cli.app import app
from nonstop.errors import StorageError, StudyError
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import HandOn

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


def damage(url: str, statement: str) -> None:
    storage = SqlStorage(url)
    storage._database.write(lambda connection: connection.exec_driver_sql(statement))
    storage.close()


@pytest.fixture
def url(shared_url: str) -> str:
    for name in ("first", "bad", "last"):
        study = nonstop.create_study(shared_url, name, space=SPACE)
        study.tell(study.ask(), 0.5)
        study.tell(study.ask(), 0.25)
        study.storage.close()
    return shared_url


@pytest.mark.parametrize("spec", ["{", "", "[]", "null", "3", '{"space": '])
def test_one_bad_study_does_not_hide_the_others(url: str, spec: str) -> None:
    damage(url, f"UPDATE nonstop_studies SET spec = '{spec}' WHERE name = 'bad'")
    storage = SqlStorage(url)
    assert [(record.name, bool(record.trouble)) for record in storage.list_studies()] == [
        ("first", False),
        ("bad", True),
        ("last", False),
    ]
    with pytest.raises(StudyError, match=r"the study 'bad' cannot be loaded: its specification is damaged"):
        nonstop.load_study(storage, "bad")
    assert nonstop.load_study(storage, "last").best_value == 0.25
    storage.close()
    shown = CliRunner().invoke(app, ["ls", url])
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["first", "last", "bad:"]
    assert "its specification is damaged" in lines[-1]


@pytest.mark.parametrize(
    "change",
    [
        "state = 'paused'",
        "params = '{'",
        "params = '1}, {'",
        "value = 'many'",
        "diagnostics = '[]x'",
        'diagnostics = \'{"rung": 1, "cursor": 2}\'',
        # These can be read: only the checksum knows.
        "value = '0.24'",
        "params = '{\"x\": 0.125}'",
        "seed = seed + 1",
        "owner = 'somebody else'",
    ],
)
def test_a_bad_trial_is_named(url: str, change: str) -> None:
    damage(url, f"UPDATE nonstop_trials SET {change} WHERE number = 1 AND study_id = 2")
    with pytest.raises(StorageError, match=r"trial 1 of the study 'bad' cannot be read .*damaged, or of a newer"):
        nonstop.load_study(url, "bad")
    assert nonstop.load_study(url, "first").best_value == 0.25


def test_every_finished_trial_has_a_checksum(shared_url: str) -> None:
    study = nonstop.create_study(shared_url, "demo", space=SPACE)
    study.tell(study.ask("me"), -0.0)
    study.tell(study.ask(), state="failed", reason="größer \N{BRAIN}\n")
    study.add_trial({"x": 0.5}, 1e-300)
    study.ask()
    study.enqueue({"x": 0.25})
    storage = study.storage
    assert isinstance(storage, SqlStorage)
    query = "SELECT checksum IS NOT NULL FROM nonstop_trials ORDER BY number"
    found = storage._database.read(lambda connection: connection.exec_driver_sql(query).scalars().all())
    assert [bool(each) for each in found] == [True] * 3 + [False] * 2
    assert len(nonstop.load_study(shared_url, "demo").trials) == 5
    storage.close()


def test_trials_of_version_1_have_none_and_are_read(url: str) -> None:
    damage(url, "UPDATE nonstop_trials SET checksum = NULL, value = '0.125' WHERE number = 1")
    assert nonstop.load_study(url, "bad").best_value == 0.125


def test_a_trial_that_an_earlier_version_wrote_in_other_words_is_no_damage(shared_url: str) -> None:
    """It was started by one version and finished by another."""
    study = nonstop.create_study(shared_url, "demo", space=SPACE)
    trial, lost = study.ask(), study.ask()
    damage(shared_url, "UPDATE nonstop_trials SET diagnostics = ' {  } ', params = '{\"x\":   0.25}'")
    study.tell(trial, 0.5)
    study.storage.hand_on(study.id, HandOn(lost.number, 1, "lost", max_attempts=1))
    assert [trial.state for trial in nonstop.load_study(shared_url, "demo").trials] == ["completed", "failed"]
    study.storage.close()
