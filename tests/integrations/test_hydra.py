"""Hydra sweeps: its own plugin tests, as far as they apply to a sweeper that is no grid, and sweeps that never wait."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nonstop
from tests.integrations.hosts import host

host("hydra")

from hydra.core.global_hydra import GlobalHydra  # noqa: E402
from hydra.core.plugins import Plugins  # noqa: E402
from hydra.core.utils import JobReturn, JobStatus  # noqa: E402
from hydra.errors import HydraException  # noqa: E402
from hydra.plugins.sweeper import Sweeper  # noqa: E402
from hydra.test_utils.launcher_common_tests import IntegrationTestSuite, LauncherTestSuite  # noqa: E402
from hydra.test_utils.test_utils import verify_dir_outputs  # noqa: E402
from omegaconf import DictConfig, OmegaConf  # noqa: E402

from hydra_plugins.nonstop_sweeper import NonstopSweeper  # noqa: E402

ROOT = Path(__file__).parents[2]
TRAIN = ROOT / "examples" / "hydra" / "train.py"
NONSTOP = "hydra/sweeper=nonstop"
#: What runs a sweep of a task: (task, overrides, folder) -> what its jobs returned.
Run = Callable[..., list[JobReturn]]


@pytest.mark.parametrize("launcher_name", ["basic", "submitit_local"])
@pytest.mark.parametrize("overrides", [[NONSTOP]])
class TestHydrasOwnLauncherTests(LauncherTestSuite):
    """Hydra's tests of launchers, under this sweeper. Those that follow enumerate a grid in its order."""

    test_sweep_2_jobs = None
    test_sweep_2_optimizers = None
    test_sweep_over_unspecified_mandatory_default = None
    test_sweep_and_override = None


@pytest.mark.parametrize("task_launcher_cfg", [{}])
@pytest.mark.parametrize("extra_flags", [["-m", NONSTOP]])
class TestHydrasOwnIntegrationTests(IntegrationTestSuite):
    """Hydra's tests of names and folders, each with an application in a process of its own."""


@pytest.fixture
def run(hydra_restore_singletons: Any, hydra_sweep_runner: Any, tmp_path: Path) -> Run:
    """Runs sweeps of a task function in tmp_path/sweep."""
    assert hydra_restore_singletons is None  # it restores them afterwards

    def run(task: Callable[[DictConfig], object] | None, *overrides: str, config: str | None = None) -> list[JobReturn]:
        sweep = hydra_sweep_runner(
            calling_file=None,
            calling_module="hydra.test_utils.a_module",
            task_function=task,
            config_path="configs",
            config_name=config or "compose.yaml",
            overrides=[NONSTOP, *overrides],
            temp_dir=tmp_path / "sweep",
        )
        sweep.__enter__()  # its __exit__ deletes the folder
        GlobalHydra.instance().clear()
        [batch] = sweep.returns
        assert all(isinstance(job, JobReturn) for job in batch)
        return list(batch)

    return run


def study_of(tmp_path: Path, name: str = "sweep") -> nonstop.Study:
    return nonstop.load_study(f"sqlite:///{tmp_path}/sweep/nonstop.db", name)


def test_hydra_finds_the_sweeper() -> None:
    assert NonstopSweeper.__name__ in [plugin.__name__ for plugin in Plugins.instance().discover(Sweeper)]


def test_a_job_has_the_folder_the_config_and_the_number_that_hydra_gives(run: Run, tmp_path: Path) -> None:
    jobs = run(lambda config: config.x, "+x=interval(0.0,1.0)", "bar=7", "hydra.sweeper.n_trials=3")
    trials = study_of(tmp_path).trials
    assert [job.return_value for job in jobs] == [trial.value for trial in trials]
    for number, job in enumerate(jobs):
        assert job.overrides == [f"+x={trials[number].params['x']!r}", "bar=7"]
        assert job.cfg == {"foo": 10, "bar": 7, "x": trials[number].params["x"]}
        assert job.hydra_cfg.hydra.job.num == number
        verify_dir_outputs(job, job.overrides)
        assert (tmp_path / "sweep" / str(number) / ".hydra" / "config.yaml").exists()
    assert (tmp_path / "sweep" / "multirun.yaml").exists()


def test_the_folder_has_the_best(run: Run, tmp_path: Path) -> None:
    run(
        lambda config: {"value": config.x, "note": 3},
        "+x=interval(0.0,1.0)",
        "+db=sqlite,mysql",
        "hydra.sweeper.n_trials=4",
    )
    best = study_of(tmp_path).best_trial
    results = OmegaConf.load(tmp_path / "sweep" / "optimization_results.yaml")
    assert results == {
        "name": "nonstop",
        "best_params": best.params,
        "best_value": best.value,
        "best_job": best.number,
    }
    assert best.notes == {"note": 3}


def test_several_objectives_and_a_constraint(run: Run, tmp_path: Path) -> None:
    def task(config: DictConfig) -> dict[str, float]:
        return {"error": config.x, "latency": 1.0 - config.x, "memory": config.y, "note": 7.0}

    goals = (
        "+hydra.sweeper.objectives={error:minimize,latency:minimize}",
        "+hydra.sweeper.constraints={memory:'<= 0.5'}",
    )
    run(task, "+x=interval(0.0,1.0)", "+y=interval(0.0,1.0)", "hydra.sweeper.n_trials=4", *goals)
    study = study_of(tmp_path)
    solutions = [{"params": t.params, "values": t.outcomes, "job": t.number} for t in study.best_trials]
    assert OmegaConf.load(tmp_path / "sweep" / "optimization_results.yaml") == {
        "name": "nonstop",
        "solutions": solutions,
    }
    assert study.trials[0].outcomes.keys() == {"error", "latency", "memory"}
    assert study.trials[0].notes == {"note": 7.0}


def test_options_reach_the_study(run: Run, tmp_path: Path) -> None:
    options = ["direction=maximize", "seed=7", "rule=random", "study_name=mine", "n_trials=3", "where=['x + y <= 1']"]
    run(
        lambda config: config.x,
        "+x=interval(0.0,1.0)",
        "+y=interval(0.0,1.0)",
        *[f"hydra.sweeper.{o}" for o in options],
    )
    study = study_of(tmp_path, "mine")
    assert (study.spec.direction, study.spec.seed, study.spec.space.where) == ("maximize", 7, ("x + y <= 1",))
    assert study.best_value == max(trial.value or 0.0 for trial in study.trials)
    assert all(trial.params["x"] + trial.params["y"] <= 1.0 for trial in study.trials)


def test_config_groups_are_searched(run: Run) -> None:
    """Hydra's own test of two config groups, which expects a grid, but for its order."""
    jobs = run(lambda config: config.foo, "group1=glob(file*)", "hydra.sweeper.n_trials=6")
    assert {tuple(job.overrides or ()) for job in jobs} == {("group1=file1",), ("group1=file2",)}
    assert all(job.cfg["foo"] == {"group1=file1": 10, "group1=file2": 20}[job.overrides[0]] for job in jobs)


def test_settings_in_groups_that_only_a_sweep_chooses(run: Run) -> None:
    jobs = run(
        lambda _config: 0.0, "db=mysql,postgresql", "db.user=someone", "hydra.sweeper.n_trials=4", config="db_conf"
    )
    assert {job.cfg.db.user for job in jobs} == {"someone"}
    assert {job.cfg.db.driver for job in jobs} == {"mysql", "postgresql"}


def test_no_job_waits_for_another(run: Run, tmp_path: Path) -> None:
    """Job 0 ends when job 3 has: in batches of two, that would be never."""
    folder = tmp_path / "sweep"

    def task(config: DictConfig) -> float:
        from hydra.core.hydra_config import HydraConfig

        number = HydraConfig.get().job.num
        limit = time.monotonic() + 200.0
        while number == 0 and not (folder / "3" / "done").exists():
            if time.monotonic() > limit:
                raise TimeoutError("job 3 never came")
            time.sleep(0.05)
        Path(HydraConfig.get().runtime.output_dir, "done").touch()
        return float(config.x)

    jobs = run(task, "+x=interval(0.0,1.0)", "hydra.sweeper.n_trials=4", "hydra.sweeper.n_jobs=2")
    assert [job.status for job in jobs] == [JobStatus.COMPLETED] * 4
    study = study_of(tmp_path)
    order = [trial.order or 0 for trial in study.trials]
    assert order[0] > max(order[1:3])  # that of job 3 may come later: its file is there before its result
    # Job 2 was proposed while job 0 was busy, and with the result of job 1.
    assert study.trials[2].version == 1


@pytest.mark.parametrize("launcher", ["basic", "submitit_local"])
def test_what_fails_is_a_failed_trial(run: Run, tmp_path: Path, launcher: str) -> None:
    def task(_config: DictConfig) -> object:
        from hydra.core.hydra_config import HydraConfig

        number = HydraConfig.get().job.num
        if number == 0:
            raise ValueError("too large")
        return "many" if number == 1 else 1.0

    sizes = "hydra.sweeper.n_trials=1", "hydra.sweeper.n_jobs=3", f"hydra/launcher={launcher}"
    jobs = run(task, "+x=interval(0.0,1.0)", *sizes)
    reasons = {trial.number: trial.reason or "" for trial in study_of(tmp_path).trials}
    assert reasons[0] == "ValueError: too large"
    assert "'many', which is not a number" in reasons[1]
    assert jobs[0].status is JobStatus.FAILED
    assert jobs[2].return_value == 1.0


def test_a_job_that_ends_its_process_is_a_failed_trial(run: Run, tmp_path: Path) -> None:
    def task(_config: DictConfig) -> float:
        from hydra.core.hydra_config import HydraConfig

        number = HydraConfig.get().job.num
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 1:
            sys.exit(3)
        if number == 2:
            raise OSError(NotToBePickled())
        return 1.0

    run(task, "+x=interval(0.0,1.0)", "hydra.sweeper.n_trials=1")
    reasons = [trial.reason for trial in study_of(tmp_path).trials[:3]]
    assert reasons[0] == "the job ended without a result: killed by signal 9"
    assert reasons[1] == "the job ended without a result: exit code 3"
    assert "NotToBePickled" in (reasons[2] or "")


class NotToBePickled:
    def __repr__(self) -> str:
        return "NotToBePickled"

    def __reduce__(self) -> str:
        raise TypeError("no")


def broken(config: DictConfig) -> float:
    raise ValueError(f"broken at {config.x}")


def test_too_many_failures_end_the_sweep(run: Run, tmp_path: Path) -> None:
    with pytest.raises(
        HydraException, match=r"3 jobs failed, more than max_failure_rate=0.2 of 10; the last, #2: ValueError: broken"
    ):
        run(broken, "+x=interval(0.0,1.0)", "hydra.sweeper.n_trials=10", "hydra.sweeper.max_failure_rate=0.2")
    assert len([trial for trial in study_of(tmp_path).trials if trial.state == "failed"]) == 3


def test_a_hopeless_sweep_ends(run: Run) -> None:
    with pytest.raises(HydraException, match="stopped after 2 failed trials in a row"):
        run(broken, "+x=interval(0.0,1.0)", "hydra.sweeper.max_failures=2")


def test_one_job_without_a_search_fails_as_it_would_alone(run: Run) -> None:
    with pytest.raises(ValueError, match="broken at 1"):
        run(broken, "+x=1")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("hydra.sweeper.n_trials=0", "n_trials must be an integer from 1"),
        ("hydra.sweeper.n_jobs=0", "n_jobs must be an integer from 1"),
        ("hydra.sweeper.max_failure_rate=1.5", "max_failure_rate must be a number from 0 to 1"),
        ("hydra.sweeper.rule=best", "rule"),
        ("hydra.sweeper.params.foo=float(1)", "float"),
        ("+y=tag(log,interval(0.0,1.0))", "expected low > 0"),
    ],
)
def test_mistakes_are_told_before_anything_runs(run: Run, tmp_path: Path, wrong: str, said: str) -> None:
    with pytest.raises(Exception, match=said):
        run(broken, "+x=interval(0.0,1.0)", wrong)
    assert not (tmp_path / "sweep" / "0").exists()


def sweep(folder: Path, *overrides: str, **others: Any) -> subprocess.Popen[str]:
    command = [sys.executable, str(TRAIN), "-m", f"hydra.sweep.dir={folder}", *overrides]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **others)


def test_the_example_and_a_sweep_that_goes_on(tmp_path: Path) -> None:
    """The same folder with a larger budget is the same study."""
    for budget in (3, 5):
        process = sweep(tmp_path / "sweep", f"hydra.sweeper.n_trials={budget}")
        said = process.communicate(timeout=200)[0]
        assert process.returncode == 0, said
        assert f"{budget} completed" in said
    trials = study_of(tmp_path).trials
    assert [trial.number for trial in trials] == [0, 1, 2, 3, 4]
    assert trials[4].params.keys() == {"lr", "depth", "loss"}
    assert "loss " in (tmp_path / "sweep" / "4" / "train.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_sweep_ends_its_jobs_and_keeps_its_trials(number: signal.Signals, tmp_path: Path) -> None:
    process = sweep(tmp_path / "sweep", "seconds=100")
    logs = [tmp_path / "sweep" / str(job) / ".hydra" / "overrides.yaml" for job in (0, 1)]
    limit = time.monotonic() + 200.0
    while not all(log.exists() for log in logs):
        assert time.monotonic() < limit
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    said = process.communicate(timeout=200)[0]  # which ends when no process has its output open any more
    assert process.returncode == {signal.SIGINT: -2, signal.SIGTERM: 143}[number], said
    assert [(trial.state, trial.attempt) for trial in study_of(tmp_path).trials] == [("waiting", 2)] * 2


def test_an_installed_wheel_is_found(tmp_path: Path) -> None:
    """Not the clone, and not an editable install: what users get."""
    host("hatchling")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*install, "--target", str(tmp_path / "site"), str(ROOT)], check=True, timeout=250)
    (tmp_path / "app.py").write_text(
        "import hydra, nonstop, hydra_plugins.nonstop_sweeper as plugin\n"
        "@hydra.main(version_base=None)\n"
        "def app(config):\n"
        "    print('from', nonstop.__file__, plugin.__file__)\n"
        "    return config.x\n"
        "app()\n",  # no guard: a job does not run the script again
        encoding="utf-8",
    )
    command = [sys.executable, "app.py", "-m", NONSTOP, "+x=interval(0.0,1.0)", "hydra.sweeper.n_trials=1"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    assert f"from {site}/nonstop/__init__.py {site}/hydra_plugins/nonstop_sweeper.py" in done.stdout


def test_finding_the_plugin_imports_no_nonstop() -> None:
    code = "import sys; from hydra.core.plugins import Plugins; Plugins.instance(); print('nonstop' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
