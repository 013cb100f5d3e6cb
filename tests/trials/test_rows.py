"""Rows from elsewhere: what they mean, and what is said of wrong ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

import nonstop
from nonstop.trials.messages import Insert
from nonstop.trials.rows import inserts_of
from nonstop.trials.trial import TrialState
from tests.helpers.goals import MINIMIZE

SPACE = nonstop.Space(
    {"lr": nonstop.Float(1e-5, 0.1, log=True), "n": nonstop.Int(1, 9), "kind": nonstop.Categorical(["a", None])}
)
PARAMS = {"lr": 0.01, "n": 3, "kind": "a"}
FLAT = {f"params_{name}": value for name, value in PARAMS.items()}


def only(row: object, **options: Any) -> Insert:
    (insert,) = inserts_of(SPACE, MINIMIZE, [row], **options)
    return insert


@pytest.mark.parametrize(
    "row", [(PARAMS, 2), {"params": PARAMS, "value": 2.0}, {**FLAT, "value": 2.0}, {**PARAMS, "value": 2}]
)
def test_every_form_of_a_result(row: object) -> None:
    assert only(row) == Insert(PARAMS, TrialState.COMPLETED, 2.0)


def test_all_fields() -> None:
    row = {
        "number": 7, "state": "failed", **FLAT, "value": math.nan, "reason": "boom", "worker": "anna", "version": 3,
        "datetime_start": datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC), "finished_at": 9.0, "seconds": 3.5,
        "notes": {"a": [1]}, "note_b": "two", "seed": 1, "order": None, "fixed": {"n": 3},
    }  # fmt: skip
    assert only(row) == Insert(
        PARAMS, TrialState.FAILED, None, "boom", "anna", 5.0, 9.0, 3.5, {"a": [1], "b": "two"}, {"n": 3}
    )
    assert only({**PARAMS, "reason": "boom"}) == Insert(PARAMS, TrialState.FAILED, reason="boom")
    assert only({**PARAMS, "value": 1.0, "finished_at": "1970-01-01T00:00:09+00:00"}).finished_at == 9.0


def test_what_has_no_result_waits_and_what_has_no_params_is_left_out() -> None:
    assert only({**PARAMS, "state": "waiting", "seconds": 3.0}) == Insert(PARAMS)
    assert only({**PARAMS, "state": "running", "worker": "anna"}) == Insert(PARAMS)
    assert (
        inserts_of(
            SPACE, MINIMIZE, [{"params": None, "state": "proposing"}, {"state": "waiting", "params_n": math.nan}]
        )
        == []
    )


def test_a_parameter_may_have_the_name_of_a_field() -> None:
    space = nonstop.Space({"value": nonstop.Float(0.0, 1.0), "notes": nonstop.Int(1, 2)})
    assert inserts_of(space, MINIMIZE, [{"params_value": 0.5, "params_notes": 2, "value": 7.0}]) == [
        Insert({"value": 0.5, "notes": 2}, TrialState.COMPLETED, 7.0)
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**PARAMS, "lr": 5.0, "value": 1.0}, r"parameter 'lr': got 5.0, expected a number from 1e-05 to 0.1"),
        ({**PARAMS, "kind": "b", "value": 1.0}, "parameter 'kind': got 'b', expected one of"),
        ({"lr": 0.01, "n": 3, "value": 1.0}, "parameter 'kind' is missing"),
        ({**PARAMS, "value": "x"}, "value: got 'x', expected a finite number"),
        ({**PARAMS, "value": math.inf}, "value: got inf"),
        ({**PARAMS, "value": math.nan}, "it has no value"),
        ({**PARAMS}, "it has no value"),
        ({**PARAMS, "state": "failed", "value": 1.0}, "expected none, because it failed"),
        ({**PARAMS, "state": "done", "value": 1.0}, "state: got 'done', expected one of"),
        ({**PARAMS, "value": 1.0, "epoch": 3}, "'epoch' is no field and no parameter.*note_epoch"),
        ({**PARAMS, "value": 1.0, "notes": "x"}, "notes: got 'x', expected a mapping"),
        ({**PARAMS, "value": 1.0, "seconds": -1}, "seconds: got -1, expected a number from 0"),
        ({**PARAMS, "value": 1.0, "started_at": "soon"}, "started_at: got 'soon', expected seconds since 1970"),
        ({**PARAMS, "value": 1.0, "started_at": 5, "finished_at": 4}, "started_at: got 5, expected a time before"),
        ({**PARAMS, "state": "failed", "reason": 3}, "reason: got 3, expected a text"),
        ((PARAMS, 1.0, 2.0), "expected .params, value."),
        (7, "got 7, expected"),
        ({1: 2}, "expected"),
    ],
)
def test_a_wrong_row_says_what_would_do(row: object, said: str) -> None:
    with pytest.raises(nonstop.RowsError, match=said):
        only(row)


def test_unknown_keys_may_be_kept_as_notes() -> None:
    assert only({**PARAMS, "value": 1.0, "epoch": 3, "gone": None}, extras=True).notes == {"epoch": 3}


def test_all_errors_are_told_and_twenty_are_shown() -> None:
    rows = [(PARAMS, 1.0 if place % 3 else math.nan) for place in range(90)]
    with pytest.raises(nonstop.RowsError) as caught:
        inserts_of(SPACE, MINIMIZE, rows, where=lambda place: f"line {place + 2}")
    assert len(caught.value.errors) == 30
    assert caught.value.errors[1][0] == "line 5"
    assert str(caught.value).startswith("30 rows are wrong of 90, so none was added: line 2: it has no value")
    assert str(caught.value).endswith("; and 10 more")


@pytest.mark.parametrize("rows", [None, 7, "text", {"params": {}}])
def test_what_are_no_rows(rows: Any) -> None:
    with pytest.raises(nonstop.ParamsError, match="expected a list of rows"):
        inserts_of(SPACE, MINIMIZE, rows)


def test_a_study_takes_all_rows_or_none() -> None:
    study = nonstop.create_study(space=SPACE)
    with pytest.raises(nonstop.RowsError, match="row 1: parameter 'n'"):
        study.add_trials([(PARAMS, 1.0), ({**PARAMS, "n": 0}, 1.0)])
    assert not study.trials
    added = study.add_trials(({**PARAMS, "n": n}, float(n)) for n in range(1, 9))
    assert [trial.number for trial in added] == list(range(8))
    assert study.best_params["n"] == 1
    assert study.ask().params is not None
    copy = nonstop.create_study(space=SPACE)
    copy.add_trials(study.trials)
    assert [added.params for added in copy.trials] == [known.params for known in study.trials]
    assert copy.trials[-1].state is TrialState.WAITING


def test_a_table_of_pandas_comes_back() -> None:
    pytest.importorskip("pandas")
    study = nonstop.create_study(space=SPACE)
    study.tell(study.ask("anna"), 0.5)
    study.tell(study.ask(), state="failed", reason="boom")
    study.enqueue(PARAMS)
    rows: list[Mapping[str, object]] = study.to_dataframe().to_dict("records")  # type: ignore[assignment]
    copy = nonstop.create_study(space=SPACE)
    copy.add_trials(rows)
    for was, now in zip(study.trials, copy.trials, strict=True):
        assert (now.state, now.value, now.params, now.reason) == (was.state, was.value, was.params, was.reason)
        assert (now.worker or None) == (was.worker or None)
        assert now.finished_at == pytest.approx(was.finished_at)


def test_results_keep_their_order_of_completion() -> None:
    study = nonstop.create_study(space=SPACE)
    trials = [study.ask() for _ in range(5)]
    for trial, value in zip(reversed(trials), (0.5, 0.5, 0.1, 0.1, 0.9), strict=True):
        study.tell(trial, value)
    copy = nonstop.create_study(space=SPACE)
    copy.add_trials(study.trials)
    assert [trial.order for trial in copy.trials] == [trial.order for trial in study.trials] == [5, 4, 3, 2, 1]
    assert copy.best_trial.number == study.best_trial.number == 2


def test_added_values_are_no_evaluations() -> None:
    """A run in which nothing was ever evaluated is hopeless sooner, whatever was added, and by whom."""
    study = nonstop.create_study(space=SPACE)
    study.add_trials([{**PARAMS, "value": 1.0, "worker": "anna"}])

    def broken(params: Any) -> float:
        raise ValueError(f"{params['lr']}-{'x' * params['n']}")

    with pytest.raises(nonstop.StudyError, match="after 4 failed trials"):
        study.optimize(broken, n_trials=40, max_failures=4)
