"""What is exported is read back: every number to the last bit, every text, every kind of end."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonstop
from nonstop.errors import DataError, RowsError
from nonstop.files.cells import harmless, text_in, value_in
from nonstop.files.importing import add, format_of, import_trials, read_inserts
from nonstop.files.writing import FORMATS
from nonstop.trials.messages import Insert
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState

CHOICES: list[Any] = ["a", "b, c", 3, None, True, "=1+1", "-3", "'quoted", "'=", "größer\nzwei", 2.5]
SPACE = nonstop.Space(
    {"x": nonstop.Float(-1e300, 1e300), "n": nonstop.Int(-5, 5), "kind": nonstop.Categorical(CHOICES)}
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NOTES = st.dictionaries(
    TEXTS, st.none() | st.booleans() | st.floats(-1e9, 1e9) | TEXTS | st.lists(st.integers()), max_size=3
)
INSERTS = st.builds(
    lambda params, told, reason, times, notes: Insert(
        params,
        told[0],
        told[1],
        reason if told[0] is TrialState.FAILED else None,
        started_at=times[0] if told[0].finished else None,
        finished_at=times[0] + times[1] if told[0].finished else None,
        seconds=times[1] if told[0].finished else None,
        notes=notes,
    ),
    st.fixed_dictionaries({"x": st.floats(-1e300, 1e300), "n": st.integers(-5, 5), "kind": st.sampled_from(CHOICES)}),
    st.sampled_from([(TrialState.WAITING, None), (TrialState.FAILED, None)])
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda value: (TrialState.COMPLETED, value)),
    st.none() | TEXTS.filter(bool),
    st.tuples(st.floats(0, 2e9), st.floats(0, 1e6)),
    NOTES,
)


def written(trials: tuple[Trial, ...], form: str, raw: bool) -> str:
    out = io.StringIO(newline="")
    FORMATS[form](trials, list(SPACE), out, raw)
    return out.getvalue()


def facts(trial: Trial) -> str:
    """What a trial from elsewhere keeps, to the last bit."""
    params = sorted((trial.params or {}).items())
    times = (trial.started_at, trial.finished_at, trial.seconds)
    return repr((trial.number, trial.state, params, trial.value, trial.order, trial.reason, times, trial.notes))


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
@pytest.mark.parametrize("raw", [False, True])
@settings(max_examples=40, deadline=None)
@given(inserts=st.lists(INSERTS, max_size=6))
def test_any_trials_come_back(form: str, raw: bool, inserts: list[Insert]) -> None:
    study, copy = nonstop.create_study(space=SPACE), nonstop.create_study(space=SPACE)
    study.insert(inserts)
    text = written(study.trials, form, raw)
    read = read_inserts(io.StringIO(text, newline=""), form, Spec(SPACE), raw=raw)
    assert add(copy, read).new == len(inserts)
    assert [facts(trial) for trial in copy.trials] == [facts(trial) for trial in study.trials]
    assert add(copy, read).new == 0, "the same again adds nothing"


NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
@settings(max_examples=25, deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True), data=st.data(), several=st.booleans())
def test_any_outcomes_come_back(form: str, names: list[str], data: st.DataObject, several: bool) -> None:
    """Whatever they are called, as parameters and fields of a trial too, or like formulas."""
    names = [*names, "x", "state", "=1+1"] if data.draw(st.booleans()) else names
    names = list(dict.fromkeys(names))
    objectives, bounds = (names[:2], names[2:]) if several else (names[:1], names[1:])
    spec = Spec(SPACE, objectives=dict.fromkeys(objectives, "minimize"), constraints=dict.fromkeys(bounds, "<= 0"))
    study, copy = (
        nonstop.create_study(space=SPACE, objectives=spec.objectives, constraints=spec.constraints) for _ in range(2)
    )
    params = {"x": 0.5, "n": 1, "kind": "a"}
    for _ in range(2):
        study.add_trial(params, {name: data.draw(FINITE) for name in names})
    out = io.StringIO(newline="")
    FORMATS[form](study.trials, list(SPACE), out, False, spec.goals.names)
    assert add(copy, read_inserts(io.StringIO(out.getvalue(), newline=""), form, spec)).new == 2
    was, now = ([repr((trial.value, trial.outcomes, trial.params)) for trial in it.trials] for it in (study, copy))
    assert now == was


def a_study() -> nonstop.Study:
    study = nonstop.create_study(space=SPACE, seed=2)
    for value in (0.5, -0.0, 1e-300):
        study.tell(study.ask("anna"), value, notes={"deep": {"a": [1, None]}})
    study.tell(study.ask(), state="failed", reason='=cmd\n"x",\t;')
    study.ask("berta")
    study.enqueue({"x": 0.25, "n": 1, "kind": None})
    return study


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_a_study_comes_back_from_a_file(form: str, tmp_path: Path) -> None:
    study, copy = a_study(), nonstop.create_study(space=SPACE)
    path = tmp_path / f"trials.{form}"
    path.write_text(written(study.trials, form, False), encoding="utf-8", newline="")
    done = import_trials(copy, path)
    assert (done.completed, done.failed, done.waiting, done.known) == (3, 1, 2, 0)
    for was, now in zip(study.trials, copy.trials, strict=True):
        if was.state is not TrialState.RUNNING:
            assert facts(now) == facts(was)
        else:
            assert (now.state, now.params) == (TrialState.WAITING, was.params)
    assert [trial.worker for trial in copy.trials[:3]] == ["anna"] * 3
    assert import_trials(copy, path).known == 6
    assert import_trials(study, path).new == 0, "into the study that it came from"
    assert import_trials(copy, path, again=True).new == 6


def test_a_longer_export_adds_what_is_new() -> None:
    study, copy = a_study(), nonstop.create_study(space=SPACE)
    add(copy, read_inserts(io.StringIO(written(study.trials, "jsonl", False)), "jsonl", Spec(SPACE)))
    study.tell(4, 7.0)
    study.tell(study.ask(), 8.0)
    done = add(copy, read_inserts(io.StringIO(written(study.trials, "jsonl", False)), "jsonl", Spec(SPACE)))
    assert (done.completed, done.waiting) == (2, 0)


def read(text: str, form: str = "csv", **options: Any) -> list[Insert]:
    return read_inserts(io.StringIO(text, newline=""), form, Spec(SPACE), **options)


def test_a_table_made_by_hand() -> None:
    text = "kind,x,n,loss,epoch\na,0.5,3.0,7,30\ntrue,1e-3,-2,0.25,\nnull,2,0,1,12\n"
    inserts = read(text, value="loss", extras=True)
    assert [insert.params for insert in inserts] == [
        {"x": 0.5, "n": 3, "kind": "a"}, {"x": 0.001, "n": -2, "kind": True}, {"x": 2.0, "n": 0, "kind": None},
    ]  # fmt: skip
    assert [insert.value for insert in inserts] == [7.0, 0.25, 1.0]
    assert [insert.notes for insert in inserts] == [{"epoch": "30"}, {}, {"epoch": "12"}]


def test_errors_name_their_lines() -> None:
    text = 'x,n,kind,value,reason\n0,0,a,1,\n"5",7,a,1,\n\n0,0,"b, c",1,"two\nlines"\n0,0,zz,1,\n0,0,a\n0,0,a,,\n'
    with pytest.raises(RowsError) as caught:
        read(text)
    assert [where for where, _ in caught.value.errors] == ["line 3", "line 7", "line 8", "line 9"]
    said = dict(caught.value.errors)
    assert said["line 3"] == "parameter 'n': got 7, expected an integer from -5 to 5"
    assert said["line 7"].startswith("parameter 'kind': got 'zz', expected one of")
    assert said["line 8"] == "it has 3 cells, and the first line 5"
    assert said["line 9"].startswith("it has no value")


def test_errors_of_json_lines() -> None:
    good = '{"params": {"x": 0, "n": 0, "kind": "a"}, "value": 1}'
    with pytest.raises(RowsError) as caught:
        read(f'{good}\n\n[1]\n{{"x": \n{good[:-1]}, "extra": 1}}\n', "jsonl")
    said = dict(caught.value.errors)
    assert list(said) == ["line 3", "line 4", "line 5"]
    assert said["line 3"] == "got [1], expected a JSON object"
    assert said["line 4"].startswith("this is no JSON")
    assert "note_extra" in said["line 5"]
    assert len(read(f"{good}\n{good}\n", "jsonl")) == 2


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        ("", "csv", "the file is empty"),
        ("x,x,n\n", "csv", "'x' is there twice"),
        ('x,n\n"a', "csv", "this is no CSV"),
        ("{", "json", "no JSON"),
        ("{}", "json", "no list"),
    ],
)
def test_files_that_are_something_else(text: str, form: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(text, form)


def test_choices_that_look_alike_are_told_apart_by_jsonl_only() -> None:
    space = nonstop.Space({"c": nonstop.Categorical([1, "1", None, ""])})
    for cell, meant in (("1", r"\[1, '1'\]"), ("", r"\[None, ''\]")):
        with pytest.raises(RowsError, match=f"line 2: parameter 'c': .* may mean any of {meant}: use jsonl"):
            read_inserts(io.StringIO(f"c,value\n{cell},1\n"), "csv", Spec(space))
    for choice in (1, "1", None, ""):
        line = json.dumps({"params": {"c": choice}, "value": 1})
        (insert,) = read_inserts(io.StringIO(line), "jsonl", Spec(space))
        assert insert.params["c"] is choice or insert.params["c"] == choice


def test_cells() -> None:
    for text in ("=1+1", "'x", "plain", "-3", "'-3", "'=x", "'''=x", "''", ""):
        assert text_in(str(harmless(text))) == text
    assert value_in(nonstop.Int(1, 9), "3.0") == 3
    assert value_in(nonstop.Int(1, 9), "3.5") == 3.5
    assert value_in(nonstop.Float(1, 9), "x") == "x"
    assert math.isnan(value_in(nonstop.Float(1, 9), "nan"))  # type: ignore[arg-type]


def test_the_name_of_a_file_tells_its_format() -> None:
    assert [format_of(name) for name in ("a.csv", "b.JSONL", "/c/d.json")] == ["csv", "jsonl", "json"]
    with pytest.raises(DataError, match="does not tell its format"):
        format_of("trials.txt")


def test_other_bytes_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,n,kind,value\n\xff\xfe,1,a,1\n")
    with pytest.raises(DataError, match="no text in UTF-8"):
        import_trials(nonstop.create_study(space=SPACE), path)
    path.write_bytes("﻿x,n,kind,value\r\n0,1,a,1\r\n".encode())
    assert import_trials(nonstop.create_study(space=SPACE), path).new == 1, "as spreadsheets write it"
