"""What commands get to know about their trial, and what is kept of what they print."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.errors import ObjectiveError
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.command import Command
from nonstop.workers.objective import evaluate
from nonstop.workers.running import RunningTrial, Surroundings

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
PY = sys.executable


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def running(folder: Path, keep_output: bool = True, **changes: Any) -> RunningTrial:
    trial = Trial(**{"number": 3, "state": TrialState.RUNNING, "params": {"x": 0.5}, **changes})
    return Surroundings("demo", folder, keep_output).of(trial, "w0", 7)


def test_a_command_knows_its_trial(here: Path) -> None:
    (here / "show.py").write_text(
        "import json, os, sys\n"
        "ours = {k[8:].lower(): v for k, v in os.environ.items() if k.startswith('NONSTOP_')}\n"
        "print(json.dumps({'value': 1, 'words': sys.argv[1:], **ours}))\n"
    )
    command = Command(f"{PY} show.py {{trial}} {{seed}} {{attempt}} {{worker}} {{folder}} {{x}}")
    command.check(SPACE)
    study = nonstop.create_study(f"sqlite:///{here / 'runs.db'}", "my study", space=SPACE, seed=5)
    study.optimize(command, n_trials=2, workers=2)
    for trial in study.trials:
        (folder,) = here.glob(f"nonstop-runs/my_study-*/{trial.number}")
        notes = dict(trial.notes)
        assert json.loads(str(notes.pop("params"))) == trial.params
        words = [str(trial.number), str(trial.seed % 2**31), "1", str(trial.worker), str(folder)]
        assert notes.pop("words") == [*words, json.dumps((trial.params or {})["x"])]
        assert list(notes) == ["trial", "seed", "attempt", "worker", "study", "folder"]
        assert [notes[name] for name in ("trial", "seed", "attempt", "worker", "folder")] == words
        assert notes["study"] == "my study"
        assert json.loads((folder / "stdout.txt").read_text())["value"] == 1
        assert stat.S_IMODE((folder / "stdout.txt").stat().st_mode) == 0o600


def test_a_parameter_of_the_same_name_is_meant(tmp_path: Path) -> None:
    command, space = (
        Command("echo {seed} {folder}"),
        nonstop.Space({"seed": nonstop.Int(1, 9), "folder": nonstop.Int(1, 9)}),
    )
    command.check(space)
    assert command.arguments({"seed": 4, "folder": 2}, running(tmp_path)) == ["echo", "4", "2"]
    Command("sh -c 'echo {folder}'").check(space)  # a number here


@pytest.mark.parametrize("name", ["folder", "worker"])
def test_a_text_of_the_trial_may_not_be_part_of_a_script(name: str) -> None:
    with pytest.raises(ObjectiveError, match="may not stand inside a script"):
        Command(f"sh -c 'ls {{{name}}}'").check(SPACE)
    Command(f"sh -c 'ls \"$1\"' sh {{{name}}}").check(SPACE)
    Command("sh -c 'echo {trial} {seed}'").check(SPACE)


def test_output_of_each_attempt_is_kept(tmp_path: Path) -> None:
    command = Command("sh -c 'echo said $1; echo wrong >&2; echo {attempt}' sh {x}")
    for attempt in (1, 2, 2):
        assert evaluate(command, {"x": 0.5}, running(tmp_path, attempt=attempt)).value == attempt
    folder = tmp_path / "3"
    assert sorted(path.name for path in folder.glob("stdout*")) == ["stdout-2.txt", "stdout-3.txt", "stdout.txt"]
    assert (folder / "stdout.txt").read_text() == "said 0.5\n1\n"
    assert (folder / "stderr-2.txt").read_text() == "wrong\n"


def test_a_reason_names_the_file(tmp_path: Path) -> None:
    loud, dumb = Command("sh -c 'echo oh no >&2; exit 3'"), Command("sh -c 'echo oh no; exit 3'")
    reason = evaluate(loud, {}, running(tmp_path)).reason
    assert reason == f"exit code 3; stderr: oh no [see {tmp_path / '3' / 'stderr.txt'}]"
    assert evaluate(dumb, {}, running(tmp_path)).reason == f"exit code 3 [see {tmp_path / '3' / 'stdout-2.txt'}]"
    assert evaluate(Command("false"), {}, running(tmp_path)).reason == "exit code 1"
    assert evaluate(loud, {}).reason == "exit code 3; stderr: oh no"


def test_nothing_is_kept_unless_it_is_wanted(tmp_path: Path) -> None:
    assert evaluate(Command("echo 1"), {}, running(tmp_path, keep_output=False)).value == 1.0
    assert list(tmp_path.iterdir()) == []
    made = Command("sh -c 'ls \"$NONSTOP_FOLDER\" | wc -l'")
    assert evaluate(made, {}, running(tmp_path, keep_output=False)).value == 0.0
    assert (tmp_path / "3").is_dir()


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    trial = running(tmp_path / "file")
    assert evaluate(Command("echo 1"), {}, trial).value == 1.0
    assert "the output of trial 3 cannot be kept" in caplog.text
    assert "the folder cannot be made" in (evaluate(Command("sh -c 'echo 1' {folder}"), {}, trial).reason or "")


def test_other_keys_of_the_result_are_notes(tmp_path: Path) -> None:
    said = '{"value": 0.25, "accuracy": 0.9, "loss": NaN, "curve": [1, 2]}'
    outcome = evaluate(Command(f"echo '{said.replace('{', '{{').replace('}', '}}')}'"), {}, running(tmp_path))
    assert outcome.value == 0.25
    assert outcome.notes == {"accuracy": 0.9, "loss": "nan", "curve": [1, 2]}


def test_long_notes_do_not_cost_the_result(tmp_path: Path) -> None:
    text = 'import json; print(json.dumps(dict(a=1, long="y" * 100_000, value=2)))'
    outcome = evaluate(Command(f"{PY} -c '{text}'"), {}, running(tmp_path))
    assert outcome.value == 2.0
    assert outcome.notes["a"] == 1
    assert "too long" in str(outcome.notes["long"])
