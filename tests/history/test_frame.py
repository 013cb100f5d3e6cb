"""The table of a study, for pandas."""

from __future__ import annotations

import time
from datetime import UTC, timedelta
from pathlib import Path

import pandas as pd
import pytest

import nonstop
from nonstop.trials.messages import Report

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "kind": nonstop.Categorical(["a", "b"])})
COLUMNS = ["number", "state", "value", "params_x", "params_kind", "worker", "attempt", "reason"]
TIMES = ["datetime_start", "datetime_complete", "started_at", "seconds"]


@pytest.fixture(params=["memory", "sqlite"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> nonstop.Study:
    url = None if request.param == "memory" else f"sqlite:///{tmp_path / 'runs.db'}"
    return nonstop.create_study(url, "table", space=SPACE, seed=0)


def test_a_study_without_trials_has_the_columns_and_their_types(study: nonstop.Study) -> None:
    frame = study.to_dataframe()
    assert list(frame.columns) == COLUMNS + TIMES
    assert len(frame) == 0
    assert isinstance(frame["datetime_start"].dtype, pd.DatetimeTZDtype)


def test_every_trial_says_who_when_and_why(study: nonstop.Study) -> None:
    before = time.time()
    study.tell(study.ask("first"), 1.5)
    study.tell(study.ask("second"), state="failed", reason="out of memory")
    given_back = study.ask("third")
    study.give_back(given_back)
    study.ask("fourth")
    study.enqueue({"x": 0.5, "kind": "a"})
    frame = study.to_dataframe().set_index("number")
    assert list(frame.columns) == (COLUMNS + TIMES)[1:]
    assert list(frame["state"]) == ["completed", "failed", "running", "waiting"]
    assert list(frame["worker"])[:3] == ["first", "second", "fourth"]
    assert pd.isna(frame["worker"][3])
    assert list(frame["attempt"]) == [1, 1, 2, 1]
    assert frame["reason"][1] == "out of memory"
    assert pd.isna(frame["reason"][0])
    assert frame["value"].isna().tolist() == [False, True, True, True]
    assert frame["params_kind"][3] == "a"
    start, end = frame["datetime_start"][0], frame["datetime_complete"][0]
    assert start.tzinfo is UTC or start.utcoffset() == timedelta(0)
    assert before - 1.0 <= start.timestamp() <= end.timestamp() <= time.time() + 1.0
    assert frame["started_at"][0] == pytest.approx(start.timestamp(), abs=1e-5)
    assert frame["seconds"][0] == pytest.approx((end - start).total_seconds(), abs=1e-5)
    assert frame["datetime_complete"].isna().tolist() == [False, False, True, True]
    assert frame["seconds"].isna().tolist() == [False, False, True, True]


def test_notes_are_columns_and_measured_seconds_count(study: nonstop.Study) -> None:
    for number in range(2):
        trial = study.ask()
        notes = {"epochs": 3 + number} if number else {"epochs": 3, "device": "cuda:1"}
        report = Report(
            f"report-{number}", trial.number, 1, nonstop.TrialState.COMPLETED, 0.5, notes=notes, seconds=7.25
        )
        study.storage.exchange(study.id, 0, report)
    frame = study.to_dataframe()
    assert list(frame.columns) == [*COLUMNS[:5], "note_epochs", "note_device", *COLUMNS[5:], *TIMES]
    assert list(frame["note_epochs"]) == [3, 4]
    assert frame["note_device"][0] == "cuda:1"
    assert pd.isna(frame["note_device"][1])
    assert list(frame["seconds"]) == [7.25, 7.25]
