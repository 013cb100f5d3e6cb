"""Hydra sweeps that never wait: `hydra/sweeper: nonstop`. The moment a job ends, the next one starts.

`hydra_plugins/nonstop_sweeper.py` is what Hydra finds; this is what it does. A sweep is a study with a worker in a
thread for each job that may run at once, so it has all that a study has: results on the disk, trials that are handed on
when a worker was lost, a run that goes on where it was stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn
from hydra.errors import HydraException
from hydra.types import HydraContext
from omegaconf import DictConfig, OmegaConf

from nonstop.errors import NonstopError, StudyError
from nonstop.integrations.hydra_jobs import Jobs, Launched, Processes
from nonstop.integrations.hydra_options import Options
from nonstop.integrations.hydra_space import Search, search_of, space_of
from nonstop.studies import create_study
from nonstop.study import Study
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.stopping import StopRequested, stop_on_signals

_LOG = logging.getLogger(__name__)


def sweep(
    options: Mapping[str, Any], launcher: Any, context: HydraContext, config: DictConfig, arguments: Sequence[str]
) -> list[list[JobReturn]]:
    """Run a sweep; what its jobs returned, as one batch in the order of their numbers. HydraException if it cannot."""
    try:
        chosen = Options(**options)
        search = search_of(chosen.params, arguments, context.config_loader)
        # By its name: Hydra runs the modules of plugins again when it looks for them again, and has another class then.
        is_basic = type(launcher).__name__ == "BasicLauncher"
        jobs = Jobs(Processes(launcher, chosen.n_jobs) if is_basic else Launched(launcher), search.overrides)
        folder = _folder(config)
        if search.parameters:
            _stoppable(jobs, chosen.n_jobs, lambda pool: _search(chosen, search, jobs, folder, pool))
        else:  # nothing to search, one job to run: whatever it returns
            _stoppable(jobs, 1, lambda _pool: jobs.run(search.overrides({}), 0).return_value)
    except NonstopError as error:
        raise HydraException(f"nonstop: {error}") from error
    return [[jobs.returned[job] for job in sorted(jobs.returned)]]


def _folder(config: DictConfig) -> Path:
    """The folder of the sweep, with the file that Hydra's sweepers leave there."""
    folder = Path(str(config.hydra.sweep.dir))
    folder.mkdir(parents=True, exist_ok=True)
    OmegaConf.save(config, folder / "multirun.yaml")
    return folder


def _stoppable(jobs: Jobs, workers: int, run: Callable[[ThreadPoolExecutor], object]) -> None:
    """Run in threads: this one is to notice Ctrl-C and SIGTERM, and to end the jobs then."""
    with ThreadPoolExecutor(1) as beside, ThreadPoolExecutor(workers) as pool, stop_on_signals() as stop:
        running: Future[object] = beside.submit(run, pool)
        try:
            with stop.interruptible():
                running.result()
        except StopRequested:
            _LOG.info("stopped: the jobs that run are ended, and come first when the sweep goes on")
        finally:
            jobs.stop()
            wait([running])
    if stop.signal is not None:
        stop.end_process()


def _search(options: Options, search: Search, jobs: Jobs, folder: Path, pool: ThreadPoolExecutor) -> None:
    study = _study(options, search)
    watch = _Watch(options, jobs)
    try:
        study.optimize(
            jobs,
            n_trials=options.n_trials,
            timeout=options.timeout,
            workers=pool,
            until=options.until,
            max_failures=options.max_failures,
            on_result=watch,
            progress=False,
            folder=folder / "nonstop-runs",
        )
    finally:
        jobs.stop()
    _write(study, folder)


def _study(options: Options, search: Search) -> Study:
    given: dict[str, Any] = {"rule": options.rule, "seed": options.seed, "constraints": options.constraints or None}
    given |= {"objectives": options.objectives} if options.objectives else {"direction": options.direction}
    space = space_of(search, options.where)
    return create_study(options.storage, options.study_name, space=space, load_if_exists=True, **given)


@dataclass(slots=True)
class _Watch:
    """Logs each result, and ends the sweep when too many jobs failed."""

    options: Options
    jobs: Jobs
    failed: int = 0

    def __call__(self, _study: Study, trial: Trial) -> None:
        if trial.state is TrialState.COMPLETED:
            _LOG.info("#%d: %s", trial.number, trial.outcomes or trial.value)
            return
        _LOG.warning("#%d failed: %s", trial.number, trial.reason)
        self.failed += 1
        rate = self.options.max_failure_rate
        if rate is not None and self.failed > rate * self.options.n_trials:
            self.jobs.stop()
            limit = f"max_failure_rate={rate:g} of {self.options.n_trials}"
            raise StudyError(f"{self.failed} jobs failed, more than {limit}; the last, #{trial.number}: {trial.reason}")


def _write(study: Study, folder: Path) -> None:
    """optimization_results.yaml, as Hydra's other sweepers write it: the best, or with several objectives all that are
    worse than none."""
    best = study.best_trials
    if not best:
        raise StudyError("the sweep ended without a result")
    for trial in best:
        _LOG.info("best is #%d: %s with %s", trial.number, trial.outcomes or trial.value, trial.params)
    if study.spec.goals.several:
        found = [{"params": trial.params, "values": dict(trial.outcomes), "job": trial.number} for trial in best]
        results: dict[str, object] = {"solutions": found}
    else:
        results = {"best_params": best[0].params, "best_value": best[0].value, "best_job": best[0].number}
    OmegaConf.save(OmegaConf.create({"name": "nonstop", **results}), folder / "optimization_results.yaml")
