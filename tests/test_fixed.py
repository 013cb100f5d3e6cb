"""Some params are given, the others proposed: through propose(), studies, workers, replays and the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.space.encoding import cube_of, encode
from nonstop.space.partial import partial_params, partial_point
from nonstop.trials.replay import replay
from nonstop.trials.trial import TrialState
from nonstop.workers.worker import give_back
from tests.cli.conftest import Said
from tests.cli.conftest import call as call
from tests.cli.conftest import folder as folder
from tests.helpers.rules import RULES

SPACE = nonstop.Space(
    {
        "x": nonstop.Float(0.1, 0.7),
        "n": nonstop.Int(1, 40),
        "data": nonstop.Categorical(["a", "b", "c"]),
        "y": nonstop.Float(1e-3, 10.0, log=True),
    }
)
#: No float of these comes back from the unit cube as it was.
FIXED: dict[str, Any] = {"x": 0.1 + 0.2, "data": "b"}


def loss(params: nonstop.types.Params) -> float:
    best = {"a": 0.2, "b": 0.4, "c": 0.6}[str(params["data"])]
    return float((params["x"] - best) ** 2 + 0.01 * (params["n"] - 20) ** 2 / 400 + 0.1 * math.log10(params["y"]) ** 2)


@pytest.mark.parametrize("rule", [*RULES, "kb-ucb+kb-ucb+kb-logei"])
def test_every_rule_keeps_what_is_fixed(rule: str) -> None:
    study = nonstop.create_study(space=SPACE, rule=rule, initial=3, seed=1)
    for number in range(9):
        trial = study.ask(fixed=FIXED if number % 2 else {"n": 7})
        wanted = FIXED if number % 2 else {"n": 7}
        assert trial.params is not None
        assert {name: trial.params[name] for name in wanted} == wanted, "to the last bit"
        assert trial.fixed == wanted
        SPACE.validate(trial.params)
        study.tell(trial, loss(trial.params))
    assert replay(study.spec, study.trials).identical


def test_the_others_are_optimised_for_what_is_fixed() -> None:
    """The best x depends on the data."""
    study = nonstop.create_study(space=SPACE, seed=0)
    best = {"a": math.inf, "b": math.inf, "c": math.inf}
    for number in range(51):
        data = "abc"[number % 3]
        trial = study.ask(fixed={"data": data})
        assert trial.params is not None
        assert trial.params["data"] == data
        best[data] = min(best[data], study.tell(trial, loss(trial.params)).value or math.inf)
    assert max(best.values()) < 0.01


def test_everything_fixed() -> None:
    params = {"x": 0.3, "n": 3, "data": "a", "y": 1.0}
    study = nonstop.create_study(space=SPACE)
    for _ in range(14):
        trial = study.ask(fixed=params)
        assert trial.params == params
        study.tell(trial, 1.0)
    assert replay(study.spec, study.trials).identical


def test_a_discrete_rest_is_exhausted_before_it_repeats() -> None:
    space = nonstop.Space({"x": nonstop.Float(0, 1), "n": nonstop.Int(1, 4), "k": nonstop.Categorical(["a", "b"])})
    study = nonstop.create_study(space=space, initial=2)
    seen = set()
    for _ in range(8):
        trial = study.ask(fixed={"x": 0.25})
        assert trial.params is not None
        seen.add((trial.params["n"], trial.params["k"]))
        study.tell(trial, float(trial.params["n"]))
    assert len(seen) == 8
    assert replay(study.spec, study.trials).identical


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({"z": 1}, "unknown fixed parameter 'z': expected"),
        ({"x": 3.0}, "fixed parameter 'x': got 3.0, expected a number from 0.1 to 0.7"),
        ({"data": "d"}, "fixed parameter 'data': got 'd', expected one of"),
        ({"n": 2.0}, "fixed parameter 'n': got 2.0, expected an integer"),
        ([("x", 1)], "got the fixed params"),
        ({3: 1}, "unknown fixed parameter 3"),
    ],
)
def test_what_cannot_be_fixed(fixed: Any, message: str) -> None:
    study = nonstop.create_study(space=SPACE)
    with pytest.raises(nonstop.ParamsError, match=message):
        study.ask(fixed=fixed)
    with pytest.raises(nonstop.ParamsError, match=message):
        study.optimize(loss, n_trials=1, fixed=fixed)
    assert not study.trials, "nothing was asked for"


def test_nothing_fixed_is_nothing() -> None:
    study = nonstop.create_study(space=SPACE)
    assert study.ask(fixed={}).fixed is None
    assert study.ask().fixed is None


def test_a_trial_that_is_handed_on_keeps_what_was_fixed() -> None:
    study = nonstop.create_study(space=SPACE, initial=0)
    for _ in range(4):
        trial = study.ask()
        study.tell(trial, loss(trial.params or {}))
    granted = study._session.exchange(request=nonstop.trials.messages.Request("r", "w", fixed=FIXED)).trial
    assert granted is not None
    assert granted.state is TrialState.PROPOSING
    give_back(study.storage, study.id, granted.number, granted.attempt)  # its worker is gone before it proposed
    other = study.ask(fixed={"n": 7})
    assert other.number != granted.number, "it is for others"
    again = study.ask()
    assert (again.number, again.fixed) == (granted.number, FIXED)
    assert (again.params or {})["x"] == FIXED["x"]


def test_workers_of_a_run() -> None:
    study = nonstop.create_study(space=SPACE, initial=2)
    study.optimize(loss, n_trials=6, fixed=FIXED)
    study.optimize(loss, n_trials=9)
    assert [trial.fixed for trial in study.trials] == [FIXED] * 6 + [None] * 3
    assert all((trial.params or {})["x"] == FIXED["x"] for trial in study.trials[:6])
    assert replay(study.spec, study.trials).identical


def test_points_with_gaps() -> None:
    x = partial_point(SPACE, partial_params(SPACE, FIXED))
    whole = encode(SPACE, {"x": FIXED["x"], "n": 1, "data": "b", "y": 1.0})
    given = np.array([True, False, True, True, True, False])
    assert np.array_equal(np.isnan(x), ~given)
    assert np.array_equal(x[given], whole[given])


def test_propose_with_gaps() -> None:
    cube = cube_of(SPACE)
    rng = np.random.default_rng(0)
    X = cube.spread(rng.random((20, cube.axes)))
    fixed = np.array([0.25, math.nan, 0.0, 1.0, 0.0, math.nan])
    for n in (0, 20):
        x = nonstop.propose(X[:n], -X[:n].sum(axis=1), cube=cube, fixed=fixed).x
        assert x[[0, 2, 3, 4]].tolist() == [0.25, 0.0, 1.0, 0.0]
    wrong: list[tuple[Any, str]] = [
        ([0.25], "fixed must be 6 numbers"),
        ([2.0, *[math.nan] * 5], "fixed must be 6 numbers"),
        ([0.25, math.nan, 0.0, 1.0, 1.0, math.nan], "axis 2, which is no value of OneHot"),
        (["a"] * 6, "fixed must be an array of numbers"),
    ]
    for bad, message in wrong:
        with pytest.raises(nonstop.DataError, match=message):
            nonstop.propose(X, X.sum(axis=1), cube=cube, fixed=bad)


FILE = """
objective = "mine:square"
n_trials = 4
[space.x]
type = "float"
low = 0
high = 1
[space.k]
type = "categorical"
choices = ["1", "2", "b"]
[fix]
k = "2"
"""


def test_the_command_line(folder: Path, call: Callable[..., Said]) -> None:
    (folder / "study.toml").write_text(FILE)

    def trials(*words: str) -> list[dict[str, Any]]:
        done = call("run", "study.toml", "--quiet", "--json", *words)
        assert done.code == 0, done.err
        study = nonstop.load_study("sqlite:///nonstop.db", "study")
        return [dict(trial.params or {}) | {"fixed": trial.fixed} for trial in study.trials]

    assert [trial["k"] for trial in trials()] == ["2"] * 4
    assert [trial["k"] for trial in trials("--n-trials", "6", "--fix", "k=1")[4:]] == ["1"] * 2
    both = trials("--n-trials", "8", "--fix", "k=b", "--fix", "x=0.25")[6:]
    assert [(trial["k"], trial["x"], trial["fixed"]) for trial in both] == [("b", 0.25, {"k": "b", "x": 0.25})] * 2
    done = call(
        "worker", "sqlite:///nonstop.db", "study", "mine:square", "--n-trials", "9", "--fix", "x=0.75", "--json"
    )
    assert json.loads(done.out)["counts"]["completed"] == 9
    assert (nonstop.load_study("sqlite:///nonstop.db", "study").trials[8].params or {})["x"] == 0.75


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fix", "k"], "--fix k: expected NAME=VALUE"),
        (["--fix", "=3"], "--fix =3: expected NAME=VALUE"),
        (["--fix", "kk=1"], "unknown fixed parameter 'kk': expected 'k'"),
        (["--fix", "k=7"], "fixed parameter 'k': got 7, expected one of"),
        (["--fix", "x=far"], "fixed parameter 'x': got 'far', expected a number"),
    ],
)
def test_mistakes_of_the_command_line(folder: Path, call: Callable[..., Said], words: list[str], message: str) -> None:
    (folder / "study.toml").write_text(FILE)
    done = call("run", "study.toml", *words)
    assert done.code != 0
    assert message in done.err
    assert not (folder / "nonstop.db").exists()


def test_a_wrong_table(folder: Path, call: Callable[..., Said]) -> None:
    (folder / "study.toml").write_text("fix = 3\n" + FILE.replace('[fix]\nk = "2"', ""))
    done = call("run", "study.toml")
    assert "fix = 3: expected a table of parameters and their values" in done.err
