"""Every run replays to the last bit, however many workers made it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

import nonstop
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.messages import HandOn, Report, Request
from nonstop.trials.mirror import Mirror
from nonstop.trials.replay import recomputed, replay
from nonstop.trials.suggest import Basis, suggest
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Value
from tests.engines.objectives import bowl
from tests.helpers.trials import a_start, said

MIXED = nonstop.Space(
    {"x": nonstop.Float(1e-3, 1.0, log=True), "n": nonstop.Int(1, 40), "k": nonstop.Categorical(["a", "b", None])}
)
DISCRETE = nonstop.Space({"n": nonstop.Int(0, 5), "k": nonstop.Categorical(["a", "b", True])})
CONTINUOUS = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


class Bumpy:
    """Takes a little while, and fails now and then."""

    def __init__(self) -> None:
        self.calls = count()

    def __call__(self, params: dict[str, Value]) -> float:
        time.sleep(0.005)
        if next(self.calls) % 6 == 5:
            raise ValueError("now and then")
        return sum(float(value) for value in params.values() if isinstance(value, int | float))


@pytest.mark.parametrize("space", [MIXED, DISCRETE, CONTINUOUS], ids=["mixed", "discrete", "continuous"])
@pytest.mark.parametrize("rule", ["ucb", "logei"])
def test_a_run_of_many_threads_replays(space: nonstop.Space, rule: str) -> None:
    study = nonstop.create_study(space=space, rule=rule, seed=3, noisy=space is DISCRETE)
    study.enqueue(study.tell(study.ask(), 1.0).params or {})
    with ThreadPoolExecutor(4) as pool:
        study.optimize(Bumpy(), n_trials=30, workers=pool, lease=20.0)
    report = replay(study.spec, study.trials)
    assert report.differences == ()
    assert report.identical
    assert report.model_based > 5
    assert report.outside == 1
    assert report.model_based + report.quasi_random + report.outside == len(
        [trial for trial in study.trials if trial.params is not None]
    )


def test_a_run_of_processes_replays_from_its_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    nonstop.create_study(url, "demo", space=CONTINUOUS, seed=1).optimize(bowl, n_trials=25, workers=3, lease=20.0)
    heard: list[int] = []
    study = nonstop.load_study(url, "demo")
    report = replay(study.spec, study.trials, lambda trial: heard.append(trial.number))
    assert report.identical
    assert report.model_based > 10
    assert heard == list(range(25))


def test_workers_use_each_others_estimates() -> None:
    """Hyperparameters are estimated again only when there are a tenth more results, by whichever worker comes then."""
    study = nonstop.create_study(space=CONTINUOUS, seed=1)
    for number in range(60):
        trial = study.ask("ab"[number % 2])
        study.tell(trial, bowl(dict(trial.params or {})))
    modelled = [trial for trial in study.trials if trial.diagnostics and trial.diagnostics.proposed]
    fits = [said(trial).hyperparameters for trial in modelled]
    fitted = [fit.results for fit in fits if fit is not None and fit.results is not None]
    assert all(now < 1.1 * then or now == then for now, then in zip((t.version for t in modelled), fitted, strict=True))
    assert len(set(fitted)) < 0.7 * len(modelled)
    by_estimate: dict[int, set[str | None]] = {}
    for trial, then in zip(modelled, fitted, strict=True):
        by_estimate.setdefault(then, set()).add(trial.worker)
    assert max(map(len, by_estimate.values())) > 1
    assert replay(study.spec, study.trials).identical


def test_a_difference_is_found() -> None:
    study = nonstop.create_study(space=CONTINUOUS, seed=1)
    study.optimize(bowl, n_trials=12)
    study.spec = replace(study.spec, seed=2)
    report = replay(study.spec, study.trials)
    assert not report.identical
    assert [difference.number for difference in report.differences] == list(range(12))


def test_a_sibling_that_is_completed_meanwhile_is_still_believed() -> None:
    """Two trials from one version; the first one is done before the second is proposed. Without belief, the second
    would be the first again: its result is not among the data of that version."""
    study = nonstop.create_study(space=CONTINUOUS, seed=1)
    study.optimize(bowl, n_trials=10)
    storage, mirror = study.storage, Mirror(study.spec.space)
    granted = [storage.exchange(study.id, 0, request=Request(f"r{i}", "w")).trial for i in range(2)]
    mirror.apply(storage.exchange(study.id, 0).changes)
    first, second = granted
    assert first is not None
    assert second is not None
    made = suggest(study.spec, mirror, first, Basis.of(mirror, first))
    storage.start(study.id, a_start(first.number, made.params, made.seed, made.diagnostics), mirror.cursor)
    storage.exchange(study.id, 0, Report("done", first.number, 1, TrialState.COMPLETED, 0.5))
    mirror.apply(storage.exchange(study.id, mirror.cursor).changes)
    basis = Basis.of(mirror, second)
    assert list(basis.believed) == [first.number]
    again = suggest(study.spec, mirror, second, basis)
    assert max(abs(float(str(again.params[name])) - float(str(made.params[name]))) for name in CONTINUOUS) > 1e-3
    start = a_start(second.number, again.params, again.seed, again.diagnostics)
    started = storage.start(study.id, start, mirror.cursor)
    mirror.apply(started.changes)
    trial = mirror.trials[second.number]
    assert recomputed(study.spec, mirror, trial, said(trial)) == again.params


def test_a_trial_that_was_revived_is_still_avoided_by_what_was_proposed_before() -> None:
    """Its point was failed when the next trials were proposed, and is a result when they are replayed."""
    space = nonstop.Space({"n": nonstop.Int(0, 11)})  # where the next best point is often one that failed
    study = nonstop.create_study(space=space, seed=1, initial=3)
    study.optimize(lambda params: (float(str(params["n"])) - 7.0) ** 2, n_trials=5)
    lost = study.ask("lost")
    study.storage.hand_on(study.id, HandOn(lost.number, 1, "no heartbeat", max_attempts=1))
    for _ in range(4):
        study.tell(study.ask("other"), 60.0)
    study.storage.exchange(study.id, 0, Report("late", lost.number, 1, TrialState.COMPLETED, 0.5))
    revived = study.trials[lost.number]
    assert (revived.state, revived.order) == (TrialState.COMPLETED, 10)
    assert replay(study.spec, study.trials).identical
    unaware = [replace(trial, undone=None) for trial in study.trials]
    assert replay(study.spec, unaware).differences, "the point that failed would have been the next"


def crashing(params: dict[str, Value]) -> float:
    """Better to the right, where it crashes."""
    if float(str(params["x"])) > 0.6:
        raise ValueError("too far")
    return -float(str(params["x"])) + (float(str(params["y"])) - 0.3) ** 2


def test_a_run_that_learns_from_failures_replays() -> None:
    study = nonstop.create_study(space=CONTINUOUS, seed=4)
    with ThreadPoolExecutor(4) as pool:
        study.optimize(crashing, n_trials=25, workers=pool, lease=20.0)
    report = replay(study.spec, study.trials)
    assert report.differences == ()
    failed = [trial for trial in study.trials if trial.state is TrialState.FAILED]
    assert 0 < len(failed) < 20
    proposed = [said(trial).success for trial in study.trials if said(trial).proposed]
    assert all(success is not None for success in proposed)
    assert min(success for success in proposed if success is not None) < 1.0


def asked_after_failures() -> tuple[nonstop.Study, Mirror, Trial]:
    """A study some of whose trials failed, a mirror of it, and the next trial, without params yet."""
    study = nonstop.create_study(space=CONTINUOUS, seed=4)
    study.optimize(crashing, n_trials=12)
    mirror = Mirror(study.spec.space)
    mirror.apply(study.storage.exchange(study.id, 0).changes)
    trial = study.storage.exchange(study.id, 0, request=Request("r", "w")).trial
    assert trial is not None
    return study, mirror, trial


def test_a_failure_counts_at_once() -> None:
    """Without any new result: only the failure differs between these two proposals."""
    study, mirror, trial = asked_after_failures()
    basis = Basis.of(mirror, trial)
    assert basis.failed
    known = suggest(study.spec, mirror, trial, basis)
    unknown = suggest(study.spec, mirror, trial, replace(basis, failed=[]))
    assert known.params != unknown.params


def test_trials_that_only_avoided_failures_replay_as_they_were_made() -> None:
    """As in studies of nonstop 0.1.0, whose trials recorded no success."""
    study, mirror, trial = asked_after_failures()
    old = suggest(study.spec, mirror, trial, replace(Basis.of(mirror, trial), learning=False))
    record = {key: value for key, value in old.diagnostics.to_json().items() if key != "success"}
    recorded = Diagnostics.from_json(record)
    assert recorded is not None
    assert recorded.success is None
    assert recomputed(study.spec, mirror, trial, recorded) == old.params
    assert recomputed(study.spec, mirror, trial, old.diagnostics) != old.params


def test_as_long_as_all_fail_points_lie_far_from_the_failures() -> None:
    study = nonstop.create_study(space=CONTINUOUS, seed=4, initial=3)
    for _ in range(8):
        study.tell(study.ask(), state="failed", reason="no luck")
    assert [said(trial).proposed for trial in study.trials] == [False] * 3 + [True] * 5
    points = [tuple(float(str(value)) for value in (trial.params or {}).values()) for trial in study.trials]
    apart = min(abs(a - x) + abs(b - y) for i, (a, b) in enumerate(points) for x, y in points[:i])
    assert apart > 0.2
    assert replay(study.spec, study.trials).identical
