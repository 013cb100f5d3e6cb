"""The budget of a study on the command line: how far it is, when it ends, and why it ended."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import nonstop
from nonstop.cli.study_summary import echo_study
from nonstop.storage import open_storage
from tests.cli.conftest import Said
from tests.helpers.postgres import fresh

Call = Callable[..., Said]
X = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
SQUARE = ("mine:square", "-p", "x=float:0:1", "--storage", "sqlite:///runs.db")


def test_show_and_ls_say_how_far_a_study_is(call: Call, folder: Path) -> None:
    call("run", *SQUARE, "--n-trials", "8", "-q")
    said = call("show", "sqlite:///runs.db", "square")
    assert re.search(r"^budget  8 of 8 results \(100 %\), [\d.,]+ results a (second|minute)$", said.out, re.MULTILINE)
    stamp = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+"
    assert re.search(rf"^time    began {stamp}, last result {stamp}$", said.out, re.MULTILINE)
    shown = json.loads(call("show", "sqlite:///runs.db", "square", "--json").out)
    assert (shown["budget"], shown["share"], shown["seconds_left"]) == (8, 1.0, None)
    assert shown["per_second"] > 0.0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", shown["last_result"])
    open_storage(f"sqlite:///{folder / 'runs.db'}").set_budget(1, 16)
    listed = call("ls", "sqlite:///runs.db").out.splitlines()
    header = "name completed budget running failed waiting goals rule last_result pace"
    assert listed[0].split() == header.replace("_", " ").split(" ")
    assert listed[1].split()[:5] == ["square", "8", "16", "(50", "%)"]
    (row,) = json.loads(call("ls", "sqlite:///runs.db", "--json").out)
    assert (row["budget"], row["share"], row["seconds_left"]) == (16, 0.5, None)
    assert row["last_result"] == shown["last_result"]
    assert row["per_second"] == pytest.approx(shown["per_second"])


def test_ls_reads_postgresql(call: Call, postgres_url: str) -> None:
    url = fresh(postgres_url)
    study = nonstop.create_study(url, "demo", space=X)
    for _ in range(4):
        study.tell(study.ask("me"), 1.0)
    study.storage.set_budget(study.id, 8)
    (row,) = json.loads(call("ls", url, "--json").out)
    assert (row["completed"], row["share"]) == (4, 0.5)
    assert row["per_second"] > 0.0


def test_the_time_left_is_shown_while_something_runs(call: Call, folder: Path) -> None:
    study = nonstop.create_study(f"sqlite:///{folder / 'runs.db'}", "slow", space=X)
    study.storage.set_budget(study.id, 40)
    for _ in range(4):
        trial = study.ask("me")
        time.sleep(0.05)
        study.tell(trial, 1.0)
    study.ask("me")
    shown = json.loads(call("show", "sqlite:///runs.db", "slow", "--json").out)
    assert shown["share"] == 0.1
    assert shown["seconds_left"] == pytest.approx(36 / shown["per_second"])
    assert re.search(r"budget  4 of 40 results \(10 %\), .* left", call("show", "sqlite:///runs.db", "slow").out)
    (row,) = json.loads(call("ls", "sqlite:///runs.db", "--json").out)
    assert row["seconds_left"] > 0.0
    (running,) = shown["running"]
    assert running["since"].endswith("Z")
    assert "since" in call("show", "sqlite:///runs.db", "slow").out


def test_a_rule_ends_a_run_and_the_summary_says_so(call: Call) -> None:
    said = call("run", *SQUARE, "--n-trials", "500", "--until", "value 0.05", "--until", "no improvement in 400", "-q")
    assert said.code == 0
    assert re.search(r"^ended    the value 0\.0\S* of trial \d+ reached 0\.05$", said.out, re.MULTILINE)
    again = call(
        "worker", "sqlite:///runs.db", "square", "mine:square", "--until", "no improvement in 5", "-q", "--json"
    )
    summary = json.loads(again.out)
    assert re.fullmatch(r"no improvement in \d+ results", summary["ended"])
    whole = json.loads(call("run", *SQUARE, "--n-trials", "30", "-q", "--json").out)
    assert whole["ended"] == "the budget of 30 results is complete"


def test_a_rule_that_is_none(call: Call) -> None:
    said = call("run", *SQUARE, "--n-trials", "5", "--until", "soon")
    assert said.code == 2
    assert "--until soon: until must be" in said.err
    said = call("run", *SQUARE, "--until", "value 0.1")
    assert said.code == 2
    assert "there is no budget" in said.err
    assert "may never be reached" in said.err


def test_nothing_to_do_is_one_clear_line(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    call("run", *SQUARE, "--n-trials", "4", "-q")
    said = call("run", *SQUARE, "--n-trials", "4")
    assert said.code == 0
    (line,) = [record.getMessage() for record in caplog.records if "nothing to do" in record.getMessage()]
    assert line.startswith("study 'square' has 4 of 4 results: nothing to do; n_trials is the total over all runs")
    assert "n_trials=8 adds 4" in line


def test_a_summary_without_times(capsys: pytest.CaptureFixture[str]) -> None:
    unknown = {"budget": None, "share": None, "per_second": None, "seconds_left": None, "began": None}
    about = {"name": "new", "storage": "here", "direction": "minimize", "rule": "ucb", "seed": 0, "space": X.to_json()}
    rest: dict[str, object] = {
        "counts": {"completed": 0},
        "best": None,
        "believed": None,
        "workers": [],
        "running": [],
        "failures": [],
    }
    echo_study({**about, **unknown, **rest, "last_result": None})
    assert "budget" not in capsys.readouterr().out
