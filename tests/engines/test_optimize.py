"""study.optimize() on real processes, threads and pools."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import nonstop
from nonstop.errors import ObjectiveError, StartError, StudyError
from nonstop.types import Value
from nonstop.workers.command import Command
from tests.engines.objectives import SPACE, Marking, bowl, check_whole, failing, fatal, slow_bowl


@pytest.fixture
def study(tmp_path: Path) -> nonstop.Study:
    return nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", "demo", space=SPACE)


def run_script(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(script), *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def test_one_worker_runs_in_this_process() -> None:
    study = nonstop.create_study(space=SPACE)
    threads: set[int] = set()

    def objective(params: dict[str, Value]) -> float:
        threads.add(threading.get_ident())
        return bowl(params)

    seen: list[int] = []
    usages = study.optimize(objective, n_trials=10, progress=lambda it: seen.append(len(it.trials)))
    assert threads == {threading.get_ident()}
    assert len(usages) == 1
    assert seen[-1] == 10
    check_whole(study, 10)


def test_processes_never_run_one_trial_too_many(study: nonstop.Study) -> None:
    seen: list[int] = []
    usages = study.optimize(bowl, n_trials=30, workers=4, lease=10.0, progress=lambda it: seen.append(len(it.trials)))
    check_whole(study, 30)
    assert len(study.trials) == 30
    assert [usage.worker[-3:] for usage in usages] == ["-w0", "-w1", "-w2", "-w3"]
    assert seen[-1] == 30
    study.optimize(bowl, n_trials=30, workers=2, lease=10.0)
    assert len(study.trials) == 30, "the budget is the study's, not the call's"


def test_processes_are_real(study: nonstop.Study, tmp_path: Path) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    study.optimize(Marking(folder, 0.3), n_trials=20, workers=3, lease=10.0)
    assert len(list(folder.iterdir())) == 3
    check_whole(study, 20)


def test_a_lambda_and_a_closure_travel_with_cloudpickle(study: nonstop.Study) -> None:
    shift = 0.25
    study.optimize(lambda params: bowl(params) + shift, n_trials=6, workers=2, lease=10.0)
    check_whole(study, 6)
    assert study.best_value >= shift


def test_without_cloudpickle_a_closure_is_forked(study: nonstop.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)  # as if it were not installed
    shift = 0.25
    study.optimize(lambda params: bowl(params) + shift, n_trials=6, workers=2, lease=10.0)
    check_whole(study, 6)
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    with pytest.raises(ObjectiveError, match="pip install cloudpickle"):
        study.optimize(lambda params: bowl(params) + shift, n_trials=8, workers=2)


def test_what_cannot_travel_is_refused_with_a_remedy(study: nonstop.Study) -> None:
    lock = threading.Lock()
    with pytest.raises(ObjectiveError, match="cannot be sent to another process"):
        study.optimize(lambda _: float(lock.locked()), n_trials=2, workers=2)


@pytest.mark.parametrize("storage", [None, "sqlite://"])
def test_a_study_in_memory_needs_a_url_for_processes(storage: str | None) -> None:
    study = nonstop.create_study(storage, space=SPACE)
    with pytest.raises(StudyError, match=r"sqlite:///runs\.db"):
        study.optimize(bowl, n_trials=2, workers=2)
    with ThreadPoolExecutor(3) as pool:
        study.optimize(bowl, n_trials=12, workers=pool)
    check_whole(study, 12)


def test_the_reason_of_a_failing_run_comes_back_from_the_processes(study: nonstop.Study) -> None:
    with pytest.raises(StudyError, match=r"failed trials in a row.*ValueError: no luck"):
        study.optimize(failing, n_trials=50, workers=3, max_failures=5, lease=10.0)
    assert 5 <= sum(trial.state == "failed" for trial in study.trials) <= 8
    study.optimize(bowl, n_trials=4, workers=2, max_failures=5, lease=10.0)
    check_whole(study, 4)


def test_a_command_that_cannot_be_started_fails_no_trial(study: nonstop.Study) -> None:
    with pytest.raises(StartError, match="cannot be started"):
        study.optimize(Command("ns-no-such-program {x}"), n_trials=20, workers=2, lease=10.0)
    assert {trial.state for trial in study.trials} <= {"waiting", "running", "proposing"}
    assert not [trial for trial in study.trials if trial.state == "failed"]


def test_an_objective_that_kills_its_worker_fails_and_the_run_stops(study: nonstop.Study) -> None:
    with pytest.raises(StudyError, match=r"in a row.*its worker was lost .killed by signal 9"):
        study.optimize(fatal, n_trials=5, workers=2, max_failures=2, lease=10.0)
    failed = [trial for trial in study.trials if trial.state == "failed"]
    assert [trial.attempt for trial in failed] == [3] * len(failed)


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_any_executor_runs_a_loop_in_every_slot(study: nonstop.Study, kind: str) -> None:
    make: Callable[[], Executor] = (
        (lambda: ThreadPoolExecutor(3))
        if kind == "threads"
        else lambda: ProcessPoolExecutor(3, mp_context=get_context("spawn"))
    )
    with make() as pool:
        usages = study.optimize(slow_bowl, n_trials=15, workers=pool, lease=10.0)
        assert [usage.worker for usage in usages] == ["pool-w0", "pool-w1", "pool-w2"]
        with pytest.raises(StudyError, match="no luck"):
            study.optimize(failing, n_trials=50, engine=pool, workers=2, max_failures=3, lease=10.0)
    assert sum(trial.state == "completed" for trial in study.trials) == 15


def test_a_broken_pool_says_what_to_do(study: nonstop.Study) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, pytest.raises(StudyError, match="it resumes"):
        study.optimize(fatal, n_trials=5, workers=pool)


def test_a_time_limit_for_every_trial(study: nonstop.Study) -> None:
    study.optimize(Command("sh -c 'sleep 0.0; echo {x}'"), n_trials=2, trial_timeout=20.0)
    with pytest.raises(StudyError, match=r"time limit of 0\.2 s"):
        study.optimize(Command("sleep 30"), n_trials=5, workers=2, trial_timeout=0.2, max_failures=2, lease=10.0)
    with ThreadPoolExecutor(2) as pool, pytest.raises(StudyError, match="in a thread"):
        study.optimize(bowl, n_trials=5, workers=pool, trial_timeout=1.0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "n_trials or timeout"),
        ({"n_trials": -1}, "n_trials"),
        ({"n_trials": 5, "workers": 0}, "workers"),
        ({"n_trials": 5, "lease": 0.0}, "lease"),
        ({"n_trials": 5, "max_failures": 0}, "max_failures"),
        ({"n_trials": 5, "engine": "slurm"}, "no engine 'slurm'"),
        ({"n_trials": 5, "address": "tcp://x"}, "address"),
        ({"n_trials": 5, "trial_timeout": -1.0}, "trial_timeout"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, object], says: str) -> None:
    study = nonstop.create_study(space=SPACE)
    with pytest.raises(StudyError, match=says):
        study.optimize(bowl, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ObjectiveError, match="parameters are x, y"):
        study.optimize(Command("echo {z}"), n_trials=5)
    assert study.trials == ()


SCRIPT = """
import sys
import nonstop

def objective(params):
    return (params["x"] - 0.3) ** 2

{guard}
    study = nonstop.create_study("sqlite:///runs.db", "demo", space=nonstop.Space({{"x": nonstop.Float(0, 1)}}),
                                 load_if_exists=True)
    study.optimize({objective}, n_trials=8, workers=2, lease=10.0)
    print(len(study.trials))
"""


@pytest.mark.parametrize("objective", ["objective", "'script:objective'", "lambda params: params['x']"])
def test_an_objective_defined_in_a_script(objective: str, tmp_path: Path) -> None:
    done = run_script(tmp_path, SCRIPT.format(guard="if __name__ == '__main__':", objective=objective))
    assert done.stdout == "8\n", done.stderr


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    done = run_script(tmp_path, SCRIPT.format(guard="if True:", objective="objective"))
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def test_an_objective_typed_at_a_prompt(tmp_path: Path) -> None:
    """A notebook is like this: the main module has no file that another process could import."""
    text = SCRIPT.format(guard="if __name__ == '__main__':", objective="objective")
    done = subprocess.run(
        [sys.executable, "-"], input=text, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "8\n", done.stderr
