"""ls, show, best, export and replay: what they print, and that it can be read again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import nonstop
from nonstop.acquisition.rules import DEFAULT_RULE
from tests.cli.conftest import Said

Call = Callable[..., Said]


def test_ls_lists_the_studies(call: Call, url: str) -> None:
    said = call("ls", url)
    assert said.code == 0
    assert said.out.split("\n")[1].split()[:8] == ["demo", "3", "-", "1", "1", "1", "minimize", DEFAULT_RULE]
    (row,) = json.loads(call("ls", url, "--json").out)
    assert (row["name"], row["completed"], row["running"], row["failed"], row["waiting"]) == ("demo", 3, 1, 1, 1)


def test_show_prints_the_state_of_a_study(call: Call, url: str) -> None:
    said = call("show", url, "demo").out
    for words in (
        "3 completed, 1 failed, 1 running, 1 waiting",
        "0.1 at trial 1: x=",
        "% of the workers' time was spent evaluating",
        "anna",
        "berta",
        'RuntimeError: "out of memory"',
    ):
        assert words in said


def test_show_as_json(call: Call, url: str) -> None:
    shown = json.loads(call("show", url, "demo", "--json").out)
    assert shown["counts"] == {"completed": 3, "failed": 1, "running": 1, "proposing": 0, "waiting": 1}
    assert (shown["direction"], shown["rule"], shown["seed"]) == ("minimize", DEFAULT_RULE, 1)
    assert shown["best"]["value"] == 0.1
    assert shown["space"]["kind"]["choices"] == ["a", "b, c", 3, None]
    assert [worker["worker"] for worker in shown["workers"]] == ["anna", "berta"]
    assert 0.0 <= shown["utilisation"] <= 1.0
    (running,) = shown["running"]
    assert (running["number"], running["worker"], running["attempt"]) == (4, "berta", 1)
    assert running["seconds"] >= 0.0
    assert shown["failures"] == [{"count": 1, "reason": 'RuntimeError: "out of\nmemory"'}]


def test_best(call: Call, url: str) -> None:
    assert call("best", url, "demo").out.startswith("0.1 at trial 1: x=")
    best = json.loads(call("best", url, "demo", "--json").out)
    assert best["value"] == 0.1
    assert set(best["params"]) == {"x", "kind"}
    assert best["believed"] is None, "without noise the best is the best"


def test_best_of_a_noisy_study(call: Call, folder: Path) -> None:
    url = f"sqlite:///{folder / 'noisy.db'}"
    study = nonstop.create_study(url, "noisy", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), noisy=True)
    for i in range(21):
        study.add_trial({"x": i / 20}, i / 20 + 0.2 * (-1) ** i)
    belief = study.best_believed
    said = call("best", url, "noisy").out.splitlines()
    assert said[0].startswith(f"{study.best_value:.6g} at trial {study.best_trial.number}: x=")
    assert said[1].startswith("believed best: ")
    assert f" at trial {belief.trial.number}: x=" in said[1]
    told = json.loads(call("best", url, "noisy", "--json").out)["believed"]
    assert told == {
        "number": belief.trial.number, "mean": belief.mean, "sd": belief.sd, "params": belief.trial.params
    }  # fmt: skip
    assert "\nbelief  " in call("show", url, "noisy").out


def test_there_is_no_best_before_the_first_result(call: Call, folder: Path) -> None:
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
    nonstop.create_study(f"sqlite:///{folder / 'runs.db'}", "empty", space=space).storage.close()
    said = call("best", "sqlite:///runs.db", "empty")
    assert (said.code, said.out) == (1, "")
    assert "study 'empty' has no completed trial yet" in said.err
    assert call("show", "sqlite:///runs.db", "empty").code == 0
    assert call("export", "sqlite:///runs.db", "empty").out.startswith("number,state,")


def test_the_formats_say_the_same(call: Call, url: str) -> None:
    trials = nonstop.load_study(url, "demo").trials
    objects = json.loads(call("export", url, "demo", "--format", "json").out)
    assert [json.loads(line) for line in call("export", url, "demo", "--format", "jsonl").out.splitlines()] == objects
    rows = list(csv.DictReader(io.StringIO(call("export", url, "demo").out)))
    assert len(trials) == len(objects) == len(rows) == 6
    for trial, found, row in zip(trials, objects, rows, strict=True):
        assert (found["number"], found["state"], found["params"], found["value"]) == (
            trial.number, trial.state.value, trial.params, trial.value,
        )  # fmt: skip
        assert (found["seed"], found["version"], found["finished_at"]) == (trial.seed, trial.version, trial.finished_at)
        assert row["value"] == ("" if trial.value is None else repr(trial.value))
        assert trial.params is not None
        assert float(row["params_x"]) == trial.params["x"]  # to the last bit
        assert row["params_kind"] == ("" if trial.params["kind"] is None else str(trial.params["kind"]))


def test_export_into_a_file(call: Call, url: str, folder: Path) -> None:
    assert call("export", url, "demo", "-o", "trials.csv").out == ""
    assert len(list(csv.reader(io.StringIO((folder / "trials.csv").read_text())))) == 7


def test_replay_finds_every_proposal_identical(call: Call, url: str) -> None:
    said = call("replay", url, "demo")
    assert said.code == 0
    assert "all 5 proposals are identical" in said.out
    assert "1 trials were added from outside" in said.out
    assert json.loads(call("replay", url, "demo", "--json").out)["identical"] is True


def test_replay_tells_where_it_differs(call: Call, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop.trials.replay.recomputed", lambda *_: {"x": 0.5, "kind": "a"})
    said = call("replay", url, "demo")
    assert said.code == 1
    assert "5 of 5 proposals differ" in said.err
    assert "x=0.5, kind=a was computed" in said.err


def test_the_environment_may_name_the_storage(call: Call, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NONSTOP_STORAGE", url)
    assert "demo" in call("ls").out
    assert call("best", "demo").out.startswith("0.1")
    assert "3 completed" in call("show", "demo").out


def test_a_rule_that_is_not_at_hand_does_not_matter(call: Call, folder: Path) -> None:
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
    study = nonstop.create_study(f"sqlite:///{folder / 'own.db'}", "own", space=space, rule=nonstop.UCB(beta=3.0))
    study.tell(study.ask(), 1.0)
    study.storage.close()
    assert "UCB(" in call("show", "sqlite:///own.db", "own").out
