"""Studies of Optuna: from a dump of its database, and where Optuna is installed (`make test-peers`) from itself."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

import nonstop
from nonstop.errors import DataError, SpaceError, StorageError
from nonstop.files.importing import add
from nonstop.files.optuna import Distribution, distribution_of, external, read_optuna, space_of
from nonstop.trials.rows import inserts_of
from tests.helpers.goals import MINIMIZE

SPACE: dict[str, nonstop.space.Parameter] = {
    "x": nonstop.Float(-1.0, 2.0),
    "lr": nonstop.Float(1e-5, 0.1, log=True),
    "depth": nonstop.Int(1, 12),
    "width": nonstop.Int(16, 256, step=16),
    "kind": nonstop.Categorical(["a", 2, None, True]),
}


@pytest.fixture
def url(tmp_path: Path) -> str:
    path = tmp_path / "optuna.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((Path(__file__).parent / "optuna.sql").read_text(encoding="utf-8"))
    connection.close()
    return f"sqlite:///{path}"


def test_a_study_of_every_kind(url: str) -> None:
    found = read_optuna(url, "mixed")
    assert (found.name, found.goals) == ("mixed", {"direction": "maximize"})
    space, remarks = space_of(found)
    assert space == nonstop.Space(SPACE)
    assert remarks == []
    assert [row["number"] for row in found.rows] == [0, 1, 2, 4, 6, 7, 8, 9]
    assert found.left_out == {"failed before all parameters were suggested": 1, "pruned": 1, "waiting": 1}
    states = [(row["state"], row["reason"]) for row in found.rows]
    assert states.count(("completed", None)) == 6
    assert states[3:5] == [("failed", "failed in Optuna"), ("failed", "no finite value in Optuna")]
    study = nonstop.create_study(space=space, **found.goals)
    done = add(study, inserts_of(space, MINIMIZE, found.rows))
    assert (done.completed, done.failed, done.known) == (6, 2, 0)
    assert add(study, inserts_of(space, MINIMIZE, found.rows)).known == 8
    trial = study.trials[-1]
    params = dict(trial.params or {})
    assert trial.value == params["x"] + params["lr"] * params["depth"] + params["width"] / 256 + (params["kind"] == "a")
    assert trial.notes == {"epochs": [9, "größer"]}
    assert trial.started_at is not None
    assert datetime.fromtimestamp(trial.started_at).year >= 2026
    assert study.ask().params is not None


def test_the_database_is_not_changed(url: str) -> None:
    path = Path(url.removeprefix("sqlite:///"))
    before = path.read_bytes()
    path.chmod(0o400)
    read_optuna(url, "mixed")
    assert path.read_bytes() == before


def test_conditions_are_told_from_the_trials(url: str) -> None:
    found = read_optuna(url, "nested")
    space, remarks = space_of(found)
    branches = {
        "svm": nonstop.Space({"C": nonstop.Float(1e-3, 1e3, log=True)}),
        "forest": nonstop.Space({"share": nonstop.Float(0.0, 1.0, step=0.25)}),
    }
    assert space == nonstop.Space({"model": nonstop.Categorical(branches)})
    assert remarks == [
        "C: there when model is svm, as in all trials",
        "share: there when model is forest, as in all trials",
    ]
    study = nonstop.create_study(space=space)
    assert add(study, inserts_of(space, MINIMIZE, found.rows)).completed == 8


def test_conditions_that_no_choice_explains_are_refused(url: str) -> None:
    with pytest.raises(SpaceError, match=r"parameter 'n' is in 2 of 4 trials, and no choice explains in which"):
        space_of(read_optuna(url, "conditional"))


def test_what_is_not_there(url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"which study of Optuna. There is 'mixed', 'nested', 'conditional'"):
        read_optuna(url)
    with pytest.raises(DataError, match="no study 'other' there; studies: 'mixed', 'nested', 'conditional'"):
        read_optuna(url, "other")
    with pytest.raises(StorageError, match="no file"):
        read_optuna(f"sqlite:///{tmp_path}/absent.db")
    nonstop.create_study(f"sqlite:///{tmp_path}/ours.db", space=nonstop.Space(SPACE)).storage.close()
    with pytest.raises(StorageError, match=r"no database of Optuna that can be read: no such table: studies"):
        read_optuna(f"sqlite:///{tmp_path}/ours.db")
    with pytest.raises(StorageError, match="no URL"):
        read_optuna("nonsense")
    with pytest.raises(StorageError, match="not installed") as caught:
        read_optuna("mysql://me:secret@host/db")
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        ('{"name": "UniformDistribution", "attributes": {"low": 0, "high": 1}}', Distribution("float", 0.0, 1.0)),
        (
            '{"name": "LogUniformDistribution", "attributes": {"low": 0.1, "high": 1}}',
            Distribution("float", 0.1, 1.0, True),
        ),
        (
            '{"name": "DiscreteUniformDistribution", "attributes": {"low": 0, "high": 1, "q": 0.25}}',
            Distribution("float", 0.0, 1.0, False, 0.25),
        ),
        (
            '{"name": "IntUniformDistribution", "attributes": {"low": 1, "high": 9, "step": 1}}',
            Distribution("int", 1, 9),
        ),
        (
            '{"name": "IntLogUniformDistribution", "attributes": {"low": 1, "high": 9, "step": 1}}',
            Distribution("int", 1, 9, True),
        ),
    ],
)
def test_distributions_of_earlier_versions(described: str, expected: Distribution) -> None:
    assert distribution_of("x", described) == expected


@pytest.mark.parametrize("described", ["", "{}", "[]", '{"name": "New", "attributes": {}}', '{"name": 3}'])
def test_unknown_distributions(described: str) -> None:
    with pytest.raises(DataError, match="parameter 'x': the distribution"):
        distribution_of("x", described)


def test_the_stored_numbers_mean_values() -> None:
    assert external(Distribution("int", 1, 9), 3.0) == 3
    assert isinstance(external(Distribution("int", 1, 9), 3.0), int)
    assert external(Distribution("categorical", choices=("a", None)), 1.0) is None


def test_kinds_must_agree(url: str) -> None:
    found = read_optuna(url, "conditional")
    both = {"n": [Distribution("int", 1, 2)] * 2 + [Distribution("float", 0.0, 1.0)] * 2}
    changed = type(found)(found.name, found.objectives, found.rows, both)
    with pytest.raises(SpaceError, match="'n' is of different kinds: float, int"):
        space_of(changed)


def test_what_optuna_itself_writes(tmp_path: Path) -> None:
    """With the installed version of Optuna; the dump above has the tables of one version only."""
    optuna = pytest.importorskip("optuna", reason="`make test-peers` has it")
    from tests.files.optunas import make

    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    make(url)
    found = read_optuna(url, "mixed")
    assert space_of(found)[0] == nonstop.Space(SPACE)
    theirs = {trial.number: trial for trial in optuna.load_study(study_name="mixed", storage=url).trials}
    for row in found.rows:
        trial = theirs[row["number"]]
        assert row["params"] == trial.params
        assert row["notes"] == trial.user_attrs
        assert row["value"] == (trial.value if trial.number not in (4, 6) else None)
        assert (row["started_at"], row["finished_at"]) == (
            trial.datetime_start.timestamp(), trial.datetime_complete.timestamp(),
        )  # fmt: skip


FLOAT = '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}'


@pytest.mark.parametrize("names", [["error", "speed"], None])
def test_several_objectives(url: str, names: list[str] | None) -> None:
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute("INSERT INTO studies VALUES (9, 'several')")
        for place, direction in enumerate(("MINIMIZE", "MAXIMIZE")):
            connection.execute("INSERT INTO study_directions VALUES (?, ?, 9, ?)", (90 + place, direction, place))
        if names is not None:
            said = "INSERT INTO study_system_attributes VALUES (90, 9, 'study:metric_names', ?)"
            connection.execute(said, (json.dumps(names),))
        for number, values in enumerate([(1.0, 2.0), (3.0, None)]):
            trial = 90 + number
            connection.execute("INSERT INTO trials VALUES (?, ?, 9, 'COMPLETE', NULL, NULL)", (trial, number))
            connection.execute("INSERT INTO trial_params VALUES (?, ?, 'x', 0.5, ?)", (trial + 900, trial, FLOAT))
            for place, value in enumerate(values):
                kind = "INF_POS" if value is None else "FINITE"
                row = (2 * trial + place + 900, trial, place, value, kind)
                connection.execute("INSERT INTO trial_values VALUES (?, ?, ?, ?, ?)", row)
    connection.close()
    found = read_optuna(url, "several")
    first, second = names or ["values_0", "values_1"]
    assert found.goals == {"objectives": {first: "minimize", second: "maximize"}}
    space, _ = space_of(found)
    study = nonstop.create_study(space=space, **found.goals)
    assert add(study, inserts_of(space, study.spec.goals, found.rows)).new == 2
    assert study.trials[0].outcomes == {first: 1.0, second: 2.0}
    assert (study.trials[1].state, study.trials[1].reason) == ("failed", "no finite value in Optuna")
