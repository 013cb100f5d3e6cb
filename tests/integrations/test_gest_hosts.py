"""`NonstopGenerator` in libEnsemble and optimas, for real: processes, and results one by one. Xopt is in
test_gest_xopt.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nonstop
from tests.helpers.commands import ROOT
from tests.integrations.hosts import host

#: Each call of suggest(): how many points, and how many were busy.
RECORDED = """
import json, sys
import examples.gest.with_{host} as example

class Recorded(example.NonstopGenerator):
    def suggest(self, num_points=None):
        busy = sum(trial.state.value == "running" for trial in self.study.trials)
        with open({calls!r}, "a") as record:
            record.write(json.dumps([int(num_points), busy]) + "\\n")
        return super().suggest(num_points)

example.NonstopGenerator = lambda vocs, **given: Recorded(vocs, **given, **{settings})
{more}
if __name__ == "__main__":
    example.main(16, 3)
"""


def run(folder: Path, host: str, settings: Mapping[str, object] | None = None, more: str = "") -> list[str]:
    """What the example printed."""
    calls = str(folder / "calls.jsonl")  # optimas changes the working directory
    text = RECORDED.format(host=host, settings=dict(settings or {}), more=more, calls=calls)
    (folder / "script.py").write_text(text)
    paths = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def assert_asynchronous(folder: Path) -> None:
    """Suggestions were wanted while others were being evaluated, and were not made in rounds of all three workers."""
    calls: list[list[int]] = [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]
    assert calls[0] == [3, 0]
    later = [(points, busy) for points, busy in calls[1:] if points > 0]
    assert sum(points < 3 and busy > 0 for points, busy in later) > len(later) / 2, later


def test_libensemble_with_the_generator_in_a_thread(tmp_path: Path) -> None:
    host("libensemble")
    said = run(tmp_path, "libensemble")
    assert said[-1].startswith("16 evaluated, the best is 0.0")
    assert_asynchronous(tmp_path)


def test_libensemble_with_the_generator_in_a_process_and_a_storage(tmp_path: Path) -> None:
    host("libensemble")
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    more = "specs = example.LibeSpecs\nexample.LibeSpecs = lambda **given: specs(**{**given, **CHANGES})\n"
    changes = "CHANGES = dict(gen_on_manager=False, nworkers=4)\n"
    run(tmp_path, "libensemble", {"storage": url, "study_name": "lab"}, changes + more)
    assert_asynchronous(tmp_path)
    states = [trial.state for trial in nonstop.load_study(url, "lab").trials]
    assert 12 <= states.count(nonstop.TrialState.COMPLETED) <= 16  # libEnsemble keeps the last of each worker to itself
    assert nonstop.TrialState.RUNNING not in states
    assert nonstop.TrialState.FAILED not in states


def test_optimas(tmp_path: Path) -> None:
    host("optimas")
    said = run(tmp_path, "optimas")
    completed, failed = (int(word) for word in said[-2].replace(",", "").split() if word.isdecimal())
    assert completed + failed == 16
    assert failed >= 1
    assert float(said[-1].split()[3]) < 1.05
    assert_asynchronous(tmp_path)
