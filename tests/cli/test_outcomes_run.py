"""The example with two objectives and a constraint, by real workers that are killed; and commands that print JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.helpers.commands import ROOT, completed, in_terminal, kill_group, run, start, trials, wait_until

EXAMPLE = ROOT / "examples" / "outcomes"
BUDGET = 14
COMMAND = ("run", str(EXAMPLE / "study.toml"), "--lease", "2s", "--n-trials", str(BUDGET), "--workers", "2")


def children(pid: int) -> list[int]:
    """The processes that it started, as far as they are alive."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def measured_by(path: Path) -> Any:
    """The objective of the example, without its pauses."""
    spec = importlib.util.spec_from_file_location("network", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["SECONDS"] = 0.0
    return vars(module)["measure"]


def test_the_example_survives_kills(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    process = start(*COMMAND, cwd=tmp_path)
    wait_until(lambda: completed(url, "outcomes") >= 3, 120.0)
    for child in children(process.pid)[-1:]:
        os.kill(child, signal.SIGKILL)  # one worker: the run replaces it
    wait_until(lambda: completed(url, "outcomes") >= 6, 120.0)
    kill_group(process, signal.SIGKILL)
    before = [trial for trial in trials(url, "outcomes") if trial.state.finished]
    assert 6 <= len(before) < BUDGET

    done = run(*COMMAND, cwd=tmp_path)
    assert f"trials   {BUDGET} completed, in " in done.stdout
    assert "\nfront    " in f"\n{done.stdout}"
    after = trials(url, "outcomes")
    assert [trial.number for trial in after] == list(range(BUDGET))
    assert all(after[trial.number] == trial for trial in before), "what was finished stayed as it was"
    measure = measured_by(EXAMPLE / "network.py")
    for trial in after:
        measured = measure(trial.params)
        assert trial.outcomes == {name: measured[name] for name in ("error", "latency", "memory")}
        assert trial.notes == {"parameters": measured["parameters"]}
        assert trial.value is None
    assert f"all {BUDGET} proposals are identical" in run("replay", url, "outcomes", cwd=tmp_path).stdout
    front = json.loads(run("best", url, "outcomes", "--json", cwd=tmp_path).stdout)["front"]
    assert all(trial["outcomes"]["memory"] <= 8.0 for trial in front)


def test_the_panel_shows_the_front(tmp_path: Path) -> None:
    words = ("run", str(EXAMPLE / "study.toml"), "--n-trials", "6", "--initial", "6", "--workers", "2")
    code, said = in_terminal(*words, cwd=tmp_path, columns=160)
    assert code == 0, said
    assert "outcomes, minimize error, minimize latency" in said
    assert "subject to" not in said, "there is no room for it"
    assert "latest" in said
    assert "front of " in said


SCRIPT = """
import json, sys
x = float(sys.argv[1])
told = {"error": x, "memory": 8.0 * x, "epochs": 3}
if x < 0.25:
    del told["memory"]
elif x < 0.5:
    told["memory"] = float("nan")
elif x < 0.75:
    told = {"eror": x, "memory": 1.0}
print("training ...")
print(json.dumps(told))
"""


def test_commands_that_print_json(tmp_path: Path) -> None:
    """Missing, NaN and misspelt outcomes are failed trials that name them; one that is infeasible is completed."""
    (tmp_path / "device.py").write_text(SCRIPT)
    url = f"sqlite:///{tmp_path / 'nonstop.db'}"
    command = f"{sys.executable} device.py {{x}}"
    goals = ("--minimize", "error", "--subject-to", "memory <= 7.5")
    run("create", "--command", command, "-p", "x=float:0:1", *goals, "--name", "device", cwd=tmp_path)
    for x in (0.1, 0.3, 0.6, 0.8, 1.0):
        run("enqueue", url, "device", f"x={x}", cwd=tmp_path)
    words = ("run", "--command", command, "-p", "x=float:0:1", *goals, "--name", "device", "--n-trials", "2")
    summary = json.loads(run(*words, "--json", cwd=tmp_path).stdout)
    found = trials(url, "device")
    reasons = [trial.reason or "" for trial in found]
    assert "which has no 'memory'" in reasons[0]
    assert "for the outcome 'memory', the objective returned nan" in reasons[1]
    assert "which has no 'error'" in reasons[2]
    assert [trial.state.value for trial in found] == ["failed"] * 3 + ["completed"] * 2
    assert found[4].outcomes == {"error": 1.0, "memory": 8.0}
    assert (found[3].value, found[3].notes) == (0.8, {"epochs": 3})
    assert summary["best"]["number"] == 3
    assert summary["best"]["violated"] == []
    assert {failure["count"] for failure in summary["failures"]} == {1}
    run("retry", url, "device", cwd=tmp_path)
    assert [trial.notes["retry_of"] for trial in trials(url, "device")[5:]] == [0, 1, 2]
