"""The objective knows its trial: number, seed, attempt, worker, folder and notes."""

from __future__ import annotations

import functools
import json
import os
import pickle
import stat
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.errors import ObjectiveError
from nonstop.trials.messages import HandOn
from nonstop.trials.suggest import trial_seed
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.calling import Takes, takes_trial
from nonstop.workers.folders import safe_name, study_folder
from nonstop.workers.objective import evaluate, limited
from nonstop.workers.running import RunningTrial, Surroundings

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def running(folder: Path, **changes: Any) -> RunningTrial:
    trial = Trial(**{"number": 3, "state": TrialState.RUNNING, "params": {"x": 0.5}, **changes})
    return Surroundings("demo", folder).of(trial, "w0", 7)


def told(params: dict[str, float], trial: RunningTrial) -> float:
    """What is passed, as notes."""
    trial.note(
        "about", [trial.number, trial.attempt, trial.worker, trial.study, trial.seed, dict(trial.params) == params]
    )
    (trial.folder / "made").touch()
    return params["x"]


@pytest.mark.parametrize("how", ["here", "processes", "threads", "pool", "limited"])
def test_every_engine_passes_the_trial(how: str, here: Path) -> None:
    study = nonstop.create_study(f"sqlite:///{here / 'runs.db'}", "demo", space=SPACE, seed=5)
    known: dict[str, dict[str, Any]] = {"limited": {"trial_timeout": 60.0}, "processes": {"workers": 2}}
    arguments = known.get(how, {})
    if how in ("threads", "pool"):
        with (ThreadPoolExecutor if how == "threads" else ProcessPoolExecutor)(2) as executor:
            study.optimize(told, n_trials=3, workers=executor, **arguments)
    else:
        study.optimize(told, n_trials=3, **arguments)
    for trial in study.trials:
        seed = trial_seed(5, trial.number) % 2**31
        assert trial.notes == {"about": [trial.number, 1, trial.worker, "demo", seed, True]}
        assert trial.seed % 2**31 == seed
        (made,) = here.glob(f"nonstop-runs/demo-*/{trial.number}/made")
        assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700


def test_an_enqueued_trial_has_a_seed_of_its_own() -> None:
    study = nonstop.create_study(space=SPACE, seed=5)
    study.enqueue({"x": 0.5})
    seeds: list[int] = []
    study.optimize(lambda params, trial: seeds.append(trial.seed) or params["x"], n_trials=2)  # type: ignore[func-returns-value]
    assert seeds == [trial_seed(5, 0) % 2**31, trial_seed(5, 1) % 2**31]
    np.random.RandomState(seeds[0])  # it takes no more than 32 bits


def test_further_attempts_find_the_same_folder_and_seed(tmp_path: Path) -> None:
    first, second = running(tmp_path), running(tmp_path, attempt=2)
    (first.folder / "checkpoint").write_text("half")
    assert (second.folder / "checkpoint").read_text() == "half"
    assert (first.seed, second.attempt) == (second.seed, 2)
    study = nonstop.create_study(space=SPACE)
    held = study.ask("elsewhere")
    study.storage.hand_on(study.id, HandOn(held.number, held.attempt, "lost", 3))
    attempts: list[int] = []
    study.optimize(lambda _, trial: attempts.append(trial.attempt) or 1.0, n_trials=1)  # type: ignore[func-returns-value]
    assert attempts == [2]


def test_no_folder_is_made_unless_it_is_asked_for(here: Path) -> None:
    study = nonstop.create_study(space=SPACE)
    study.optimize(lambda params, trial: trial.number * params["x"], n_trials=2)
    assert list(here.iterdir()) == []
    study.optimize(lambda params, trial: len(trial.folder.name) * params["x"], n_trials=3, folder="elsewhere")
    assert [path.name for path in here.glob("elsewhere/*/*")] == ["2"]


class Method:
    def __call__(self, params: Any, trial: RunningTrial) -> float:
        return trial.number + float(params["x"])


def two(params: Any, second: RunningTrial) -> float:
    return second.number + float(params["x"])


def with_data(params: Any, data: float, trial: RunningTrial) -> float:
    return data + float(params["x"]) + trial.number


@pytest.mark.parametrize(
    ("objective", "takes"),
    [
        (lambda params: 1.0, Takes.NOT),  # noqa: ARG005
        (lambda params, trial: 1.0, Takes.NAMED),  # noqa: ARG005
        (two, Takes.SECOND),
        (lambda params, data=3: 1.0, Takes.NOT),  # noqa: ARG005
        (lambda params, trial=None: 1.0, Takes.NAMED),  # noqa: ARG005
        (lambda params, *, trial: 1.0, Takes.NAMED),  # noqa: ARG005
        (lambda *args, **kwargs: 1.0, Takes.NOT),  # noqa: ARG005
        (lambda trial: 1.0, Takes.NOT),  # noqa: ARG005
        (functools.partial(two, second=None), Takes.NOT),  # type: ignore[arg-type]
        (functools.partial(with_data, data=3), Takes.NAMED),
        (Method(), Takes.NAMED),
        (Method().__call__, Takes.NAMED),
        (max, Takes.NOT),
        (len, Takes.NOT),
        (lambda: 1.0, Takes.NOT),
    ],
)
def test_the_signature_decides(objective: Callable[..., object], takes: Takes) -> None:
    assert takes_trial(objective) is takes


@pytest.mark.parametrize("objective", [two, Method(), functools.partial(with_data, data=0.0)])
def test_each_way_of_taking_it_works(objective: Any, tmp_path: Path) -> None:
    assert evaluate(objective, {"x": 0.5}, running(tmp_path)).value == 3.5
    assert evaluate(limited(objective, 60.0), {"x": 0.5}, running(tmp_path)).value == 3.5


def test_notes_are_kept_of_failed_trials_too() -> None:
    def objective(params: Any, trial: RunningTrial) -> float:
        trial.note("loss", np.float32(0.5))
        trial.note("curve", np.array([1, 2]))
        trial.note("odd", [float("nan"), {"deep": (np.int64(3), None, True)}])
        if trial.number == 1:
            raise ValueError("no")
        return float(params["x"])

    study = nonstop.create_study(space=SPACE)
    study.optimize(objective, n_trials=2)
    for trial in study.trials:
        assert trial.notes == {"loss": 0.5, "curve": [1, 2], "odd": ["nan", {"deep": [3, None, True]}]}
    assert study.trials[1].state is TrialState.FAILED


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("model", object(), "nothing that JSON has"),
        ("deep", {"a": {1, 2}}, "nothing that JSON has"),
        ("keys", {1: 2}, "is no text"),
        ("long", "x" * 70_000, "at most 65,536 characters"),
        (3, 1.0, "the key of a note"),
        ("", 1.0, "the key of a note"),
        ("k" * 200, 1.0, "the key of a note"),
        ("digits", [10**5000], "cannot be kept"),
    ],
)
def test_what_cannot_be_noted_is_an_error_at_once(key: Any, value: object, says: str, tmp_path: Path) -> None:
    trial = running(tmp_path)
    trial.note("before", 1)
    with pytest.raises(ObjectiveError, match=says):
        trial.note(key, value)
    assert trial.notes == {"before": 1}


def test_a_note_that_contains_itself(tmp_path: Path) -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ObjectiveError, match="cannot be kept"):
        running(tmp_path).note("endless", endless)


@pytest.mark.parametrize("limit", [None, 60.0])
def test_a_mapping_with_a_value_and_notes(limit: float | None, tmp_path: Path) -> None:
    def objective(_params: object, trial: RunningTrial) -> dict[str, object]:
        trial.note("value", "mine")
        return {"value": np.float32(0.5), "accuracy": 0.9, "model": objective}

    outcome = evaluate(limited(objective, limit), {}, running(tmp_path))
    assert outcome.value == 0.5
    assert outcome.notes["accuracy"] == 0.9
    assert outcome.notes["value"] == "mine"
    assert str(outcome.notes["model"]).startswith("not kept: the note 'model'")  # the value counts nevertheless
    assert evaluate(limited(lambda _: {"value": 1, "a": 2}, limit), {}).notes == {"a": 2}
    for returned in ({"loss": 1.0}, {"value": "x"}, {"value": None}):
        assert "returned" in (evaluate(limited(lambda _, r=returned: r, limit), {}).reason or "")


def test_a_retried_trial_keeps_what_was_noted_before() -> None:
    study = nonstop.create_study(space=SPACE)
    study.tell(study.ask(), state="failed")
    study.retry()
    study.optimize(lambda _: {"value": 1.0, "b": 2}, n_trials=1)
    assert study.trials[1].notes == {"retry_of": 0, "b": 2}


def test_it_cannot_be_changed_and_can_be_sent(tmp_path: Path) -> None:
    trial = running(tmp_path)
    with pytest.raises(AttributeError):
        trial.number = 4  # type: ignore[misc]
    sent = pickle.loads(pickle.dumps(trial))
    assert sent == trial
    assert sent.folder == trial.folder
    assert "Private" not in repr(trial)


def test_the_environment_for_programs(tmp_path: Path) -> None:
    trial = running(tmp_path, params={"x": 0.5, "loss": "a b"})
    found = trial.environment
    assert {name: found[f"NONSTOP_{name}"] for name in ("TRIAL", "ATTEMPT", "WORKER", "STUDY")} == {
        "TRIAL": "3",
        "ATTEMPT": "1",
        "WORKER": "w0",
        "STUDY": "demo",
    }
    assert json.loads(found["NONSTOP_PARAMS"]) == {"x": 0.5, "loss": "a b"}
    assert found["NONSTOP_FOLDER"] == str(trial.folder)
    assert "NONSTOP_PARAMS" not in running(tmp_path, params={"x": "y" * 200_000}).environment


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", ".hidden", "", "ü" * 300, "CON\n", "a b"])
def test_a_study_has_a_folder_inside_the_root(name: str, tmp_path: Path) -> None:
    found = study_folder(tmp_path, name, "3f2a91c4d5")
    assert found.parent == tmp_path
    assert found.name.endswith("-3f2a91c4")
    assert not found.name.startswith(".")
    assert len(os.fsencode(found.name)) < 100


def test_two_studies_never_share_and_a_renamed_one_keeps_its_folder(tmp_path: Path) -> None:
    assert safe_name("a/b") == safe_name("a:b")
    one, other = study_folder(tmp_path, "a/b", "1111111122"), study_folder(tmp_path, "a:b", "2222222211")
    assert one != other
    one.mkdir()
    assert study_folder(tmp_path, "new name", "1111111122") == one
