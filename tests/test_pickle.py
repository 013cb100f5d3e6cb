"""A study in a database is pickled as where it is; one in memory says why it is not."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import nonstop
from nonstop.storage import open_storage

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


@pytest.fixture
def study(tmp_path: Path) -> nonstop.Study:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    return nonstop.create_study(url, "kept", space=SPACE, rule=nonstop.UCB(beta=3.0), seed=5)


def tell_one(study: nonstop.Study) -> int:
    trial = study.ask("elsewhere")
    return study.tell(trial, 0.5).number


def test_a_study_in_a_database_is_pickled_and_reopened(study: nonstop.Study) -> None:
    study.tell(study.ask(), 1.0)
    again = pickle.loads(pickle.dumps(study))
    assert isinstance(again, nonstop.Study)
    assert (again.name, again.id, again.spec) == (study.name, study.id, study.spec)
    assert again.trials == study.trials
    assert again.storage is not study.storage
    again.tell(again.ask(), 0.25)
    assert study.best_value == 0.25


def test_another_process_gets_a_session_of_its_own(study: nonstop.Study) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        number = pool.submit(tell_one, study).result(timeout=60)
    assert study.trials[number].worker == "elsewhere"


def test_what_is_pickled_holds_no_results(study: nonstop.Study) -> None:
    """However large the study: the pickle says where it is, and what every worker agrees on."""
    empty = len(pickle.dumps(study))
    for _ in range(20):
        tell_one(study)
    assert len(pickle.dumps(study)) == empty


def test_a_copy_shares_the_storage(study: nonstop.Study) -> None:
    again = copy.copy(study)
    assert again.storage is study.storage
    again.tell(again.ask(), 0.25)
    assert study.best_value == 0.25


@pytest.mark.parametrize("url", [None, "sqlite://"])
def test_a_study_in_memory_says_why_not(url: str | None) -> None:
    study = nonstop.create_study(url, "here", space=SPACE)
    with pytest.raises(nonstop.StorageError, match="a study in memory cannot be shared with another process"):
        pickle.dumps(study)


def test_another_study_of_that_name_is_not_taken_for_it(study: nonstop.Study, tmp_path: Path) -> None:
    pickled = pickle.dumps(study)
    study.storage.close()
    (tmp_path / "runs.db").unlink()
    nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", "kept", space=SPACE)
    with pytest.raises(nonstop.StudyError, match=r"the study 'kept' that was pickled is no longer in .*runs\.db"):
        pickle.loads(pickled)


def test_a_file_that_is_gone_is_named(study: nonstop.Study, tmp_path: Path) -> None:
    pickled = pickle.dumps(study)
    study.storage.close()
    (tmp_path / "runs.db").unlink()
    with pytest.raises(nonstop.StorageError, match=r"runs\.db"):
        pickle.loads(pickled)
    assert open_storage(f"sqlite:///{tmp_path / 'runs.db'}").list_studies() == []
