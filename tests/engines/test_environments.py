"""Every worker may have an environment of its own: before its module is imported, and again when it was replaced."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.errors import StudyError

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
DEVICES = [{"CUDA_VISIBLE_DEVICES": "0"}, {"CUDA_VISIBLE_DEVICES": "1"}]
MODULE = """
import os, pathlib, signal, time
WORKERS = 2
AT_IMPORT = os.environ.get("CUDA_VISIBLE_DEVICES")

def objective(params, trial):
    pathlib.Path(trial.worker + ".here").touch()
    while len(list(pathlib.Path().glob("*.here"))) < WORKERS:
        time.sleep(0.02)
    trial.note("devices", [AT_IMPORT, os.environ.get("CUDA_VISIBLE_DEVICES")])
    return params["x"]

def dying(params, trial):
    global WORKERS
    WORKERS = 3
    if not os.path.exists("died"):
        open("died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return objective(params, trial)
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nonstop.Study:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    (tmp_path / "ns_devices.py").write_text(MODULE)
    return nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", "demo", space=SPACE)


def devices(study: nonstop.Study) -> dict[int, Any]:
    """What the trials of each worker saw, by the worker's number."""
    seen: dict[int, Any] = {}
    for trial in study.trials:
        number = int(str(trial.worker).rpartition("-w")[2])
        assert seen.setdefault(number, trial.notes["devices"]) == trial.notes["devices"]
    return seen


def test_each_process_has_its_own_before_the_module_is_imported(study: nonstop.Study) -> None:
    study.optimize("ns_devices:dying", n_trials=12, workers=3, environments=DEVICES, lease=5.0)
    assert (Path.cwd() / "died").exists()  # one was replaced
    seen = devices(study)
    assert len(seen) == 3
    assert seen == {number: [str(number % 2)] * 2 for number in seen}
    assert "CUDA_VISIBLE_DEVICES" not in os.environ


def test_the_only_worker_of_this_process(study: nonstop.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")

    def objective(params: Any, trial: nonstop.RunningTrial) -> float:
        trial.note("devices", os.environ["CUDA_VISIBLE_DEVICES"])
        return float(params["x"])

    study.optimize(objective, n_trials=2, environments=DEVICES)
    assert devices(study) == {0: "0"}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "7"


def test_the_processes_of_a_pool(study: nonstop.Study) -> None:
    with ProcessPoolExecutor(2) as pool:
        study.optimize("ns_devices:objective", n_trials=6, workers=pool, environments=DEVICES)
    assert {number: seen[1] for number, seen in devices(study).items()} == {0: "0", 1: "1"}


def test_commands_have_theirs_in_threads_too(study: nonstop.Study) -> None:
    said = '"{{\\"value\\": 1, \\"devices\\": $CUDA_VISIBLE_DEVICES}}"'
    command = nonstop.Command(f"sh -c 'sleep 0.1; echo {said}'")
    with ThreadPoolExecutor(2) as pool:
        study.optimize(command, n_trials=6, workers=pool, environments=DEVICES)
    assert devices(study) == {0: 0, 1: 1}


def test_functions_in_threads_cannot_have_any(study: nonstop.Study) -> None:
    with ThreadPoolExecutor(2) as pool, pytest.raises(StudyError, match="threads share one environment"):
        study.optimize(lambda params: params["x"], n_trials=6, workers=pool, environments=DEVICES)


@pytest.mark.parametrize("wrong", ["0", [3], [{"A": 1}], [{"": "x"}], [{"A": "x\0"}], [{"A=B": "x"}], 3])
def test_nonsense_is_an_error(wrong: Any) -> None:
    study = nonstop.create_study(space=SPACE)
    with pytest.raises(StudyError, match="environment"):
        study.optimize(lambda params: params["x"], n_trials=1, environments=wrong)
