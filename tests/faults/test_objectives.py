"""Objectives that misbehave: each is a failed trial with a reason or a replaced worker, and the run goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import nonstop
from nonstop.trials.trial import Trial
from tests.faults.misbehaviour import CASES, FAILING, FATAL, MORE_FATAL, SPACE, UNTIDY, X

ROOT = Path(__file__).parents[2]
#: `make faults` tries all of them, and those that cost a process one by one.
ALL = "NONSTOP_FAULT_SECONDS" in os.environ
GROUPS = [list(FAILING | UNTIDY), list(FATAL)] + ([[name] for name in MORE_FATAL] if ALL else [])
#: Seconds that a run may take: each worker that is lost costs the start of another, on a machine that may be busy.
PATIENCE = 150.0


def run(folder: Path, url: str, budget: int, workers: int) -> tuple[int, str]:
    """Run to the end; the exit code, and what it said on stderr. What objectives left behind is killed afterwards."""
    words = [sys.executable, "-m", "tests.faults.misbehaviour", url, str(budget), str(workers)]
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, "NONSTOP_SPOOL": str(folder / "unsent")},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return code, (folder / "stderr").read_text()


def misbehaved(study: nonstop.Study) -> dict[str, Trial]:
    trials = [trial for trial in study.trials if trial.params is not None and trial.params["x"] == X]
    return {str((trial.params or {})["what"]): trial for trial in trials}


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: f"{names[0]} and {len(names) - 1} more")
def test_a_misbehaving_objective_costs_its_trial_and_nothing_else(tmp_path: Path, names: list[str]) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    study = nonstop.create_study(url, "demo", space=SPACE)
    for index, name in enumerate(names):
        study.enqueue({"x": X, "what": name})
        study.enqueue({"x": (index + 1) / (len(names) + 2), "what": "nothing"})  # a result between two lost workers
    good = sum(CASES[name].state == "completed" for name in names)
    budget = good + len(names) + 4  # those that may complete or not are among the four
    started = time.monotonic()
    code, said = run(tmp_path, url, budget, workers=2)
    print(f"{time.monotonic() - started:.1f} s for {', '.join(names)}\n{said}")
    assert code == 0
    # A result that could not be handed in at first may come when its trial has failed already, and the budget was used.
    late = sum(CASES[name].state is None for name in names)
    assert budget <= sum(trial.state == "completed" for trial in study.trials) <= budget + late
    ended = misbehaved(study)
    wrong = {name: ended[name] for name in names if ended[name].state != (CASES[name].state or ended[name].state)}
    assert wrong == {}
    for name in names:
        assert ended[name].state == "completed" or ended[name].reason, name
        assert CASES[name].says in (ended[name].reason or ""), name
        assert len(ended[name].reason or "") < 2500, name
        assert CASES[name].lost or ended[name].attempt == 1, name
