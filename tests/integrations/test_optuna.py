"""NonstopSampler in studies of Optuna: what it proposes from, and what it leaves to others."""

from __future__ import annotations

import itertools
import json
import logging
import math
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.numerics.quasirandom import halton
from tests.integrations.hosts import host

optuna = host("optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.samplers import RandomSampler  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402

from nonstop.integrations import optuna as ours  # noqa: E402
from nonstop.integrations.optuna import NonstopSampler  # noqa: E402
from nonstop.integrations.optuna_trials import Frame, Known, record  # noqa: E402

SPACE = {"x": FloatDistribution(-1.0, 1.0), "y": FloatDistribution(-1.0, 1.0)}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(before)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments of every proposal."""
    made: list[dict[str, Any]] = []

    def spy(X: Any, y: Any, **others: Any) -> nonstop.Proposal:
        made.append({"X": X, "y": y, **others})
        return nonstop.propose(X, y, **others)

    monkeypatch.setattr(ours, "propose", spy)
    return made


def objective(trial: Any) -> float:
    return float(trial.suggest_float("x", -1.0, 1.0) ** 2 + trial.suggest_float("y", -1.0, 1.0) ** 2)


def study_of(n: int = 12, storage: str | None = None, **options: Any) -> Any:
    study = optuna.create_study(storage=storage, sampler=NonstopSampler(seed=1, **options))
    study.optimize(objective, n_trials=n)
    return study


def unit(trial: Any) -> list[float]:
    return [(trial.params["x"] + 1.0) / 2.0, (trial.params["y"] + 1.0) / 2.0]


def apart(study: Any) -> float:
    """How far the points of trials that were evaluated at the same time were from each other, at least."""
    spans = {t.number: (t.user_attrs["since"], t.datetime_complete.timestamp()) for t in study.trials}
    points = {t.number: unit(t) for t in study.trials}
    together = [
        np.abs(np.subtract(points[one], points[other])).max()
        for one, other in itertools.combinations(spans, 2)
        if max(spans[one][0], spans[other][0]) < min(spans[one][1], spans[other][1])
    ]
    assert len(together) > 5
    return float(min(together))


def test_it_proposes_what_nonstop_proposes(calls: list[dict[str, Any]]) -> None:
    study = study_of(12)
    first, second = study.ask(SPACE), study.ask(SPACE)
    done = study.trials[:12]
    assert calls[-1]["X"] == pytest.approx(np.array([unit(trial) for trial in done]))
    assert calls[-1]["y"] == pytest.approx(np.array([[trial.value] for trial in done]))
    assert calls[-1]["goals"] == ("minimize",)
    assert calls[-1]["busy"] == pytest.approx(np.array([unit(first)]))
    assert unit(second) == pytest.approx(nonstop.propose(**calls[-1]).x)
    assert np.abs(np.subtract(unit(first), unit(second))).max() > 1e-3


def test_it_finds_the_minimum_and_the_maximum() -> None:
    assert study_of(30).best_value < 1e-4
    study = optuna.create_study(direction="maximize", sampler=NonstopSampler(seed=1))
    study.optimize(lambda trial: -objective(trial), n_trials=30)
    assert study.best_value > -1e-4


def test_a_running_trial_is_busy_before_its_objective_asks_for_anything(tmp_path: Path) -> None:
    """Another process knows what was proposed, though Optuna has stored no param yet."""
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    study = study_of(12, url)
    running = study.ask()
    proposed = running.relative_params
    elsewhere = optuna.load_study(study_name=study.study_name, storage=url, sampler=NonstopSampler(seed=1))
    assert elsewhere.trials[-1].params == {}
    frame = Frame.of(SPACE)
    known = Known.of(elsewhere, number=13, frame=frame)
    assert known.busy == pytest.approx((np.array([[proposed["x"], proposed["y"]]]) + 1.0) / 2.0)
    assert math.dist(elsewhere.ask(SPACE).params.values(), proposed.values()) > 1e-3


def test_long_records_are_stored_in_chunks(tmp_path: Path) -> None:
    space = {f'"parameter" number {i} with a long näme': FloatDistribution(0.0, 1.0) for i in range(120)}
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    study = optuna.create_study(storage=url, sampler=NonstopSampler(seed=1, n_startup_trials=1))
    study.add_trial(create_trial(params=dict.fromkeys(space, 0.5), distributions=space, value=1.0))
    proposed = study.ask().relative_params
    stored = study.trials[-1]
    texts = [json.dumps(value) for value in stored.system_attrs.values()]
    assert len(texts) > 5
    assert max(map(len, texts)) <= 2045
    assert Frame.of(space).values(stored) == pytest.approx(proposed)


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch, calls: list[dict[str, Any]]) -> Callable[..., None]:
    """Does something else after the next proposal, or after it was recorded."""

    def once(name: str, what: Callable[[Any], None]) -> None:
        original = getattr(ours, name)
        done: list[bool] = []

        def wrapped(*arguments: Any, **others: Any) -> Any:
            result = original(*arguments, **others)
            if not done:
                done.append(True)
                what(result)
            return result

        calls.clear()
        monkeypatch.setattr(ours, name, wrapped)

    return once


def test_a_trial_that_was_quicker_is_taken_into_account(
    interrupted: Callable[..., None], calls: list[dict[str, Any]]
) -> None:
    """Two processes propose at the same time, and the other one records its params first."""
    study = study_of(12)

    def other(proposal: nonstop.Proposal) -> None:
        study.ask()
        record(study, study.trials[-1], Frame.of(SPACE).internal(proposal.x))

    interrupted("propose", other)
    trial = study.ask(SPACE)
    assert [len(call["busy"]) for call in calls] == [0, 1]
    assert math.dist(unit(trial), calls[-1]["busy"][0]) > 1e-3


@pytest.mark.parametrize("first", [True, False])
def test_of_two_that_record_at_the_same_time_one_gives_way(
    interrupted: Callable[..., None], calls: list[dict[str, Any]], first: bool
) -> None:
    study = study_of(12)
    trials = [study.ask(), study.ask()]
    me, other = (trials[0], trials[1]) if first else (trials[1], trials[0])

    def at_the_same_time(_: None) -> None:
        x = nonstop.propose(**calls[0]).x
        record(study, study.trials[other.number], Frame.of(SPACE).internal(x))

    interrupted("record", at_the_same_time)
    assert me.relative_params
    assert [len(call["busy"]) for call in calls] == [0, 1]  # the other one will not move any more


def test_the_later_of_two_gives_way_to_the_earlier_one(
    interrupted: Callable[..., None], calls: list[dict[str, Any]]
) -> None:
    """Both have recorded the same, and the other one moves on when it sees that."""
    study = study_of(12)
    me, other = study.ask(), study.ask()
    frame = Frame.of(SPACE)

    def at_the_same_time(_: None) -> None:
        record(study, study.trials[other.number], frame.internal(nonstop.propose(**calls[0]).x))
        threading.Timer(0.001, record, (study, study.trials[other.number], {"x": 0.99, "y": 0.99})).start()

    interrupted("record", at_the_same_time)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ours, "_PATIENCE", 50.0)
        assert me.relative_params
    assert [len(call["busy"]) for call in calls] == [0]


def test_every_trial_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads change what Optuna's storage in memory gives out: a second look could see params that the first did
    not, and a trial would count as known that is not among the busy points."""
    study = study_of(3)
    study.ask(SPACE)
    looked: list[int] = []
    values = Frame.values

    def spy(frame: Frame, trial: Any) -> Any:
        looked.append(trial.number)
        return values(frame, trial)

    monkeypatch.setattr(Frame, "values", spy)
    assert Known.of(study, number=9, frame=Frame.of(SPACE)).running.keys() == {3}
    assert looked == [0, 1, 2, 3]


def test_the_sampler_keeps_nothing_between_trials() -> None:
    """A run that was interrupted goes on as if it had not been."""
    study = optuna.create_study()
    for _ in range(20):
        study.sampler = NonstopSampler(seed=1)
        study.optimize(objective, n_trials=1)
    assert [trial.params for trial in study.trials] == [trial.params for trial in study_of(20).trials]


def test_fits_start_from_what_earlier_trials_recorded(calls: list[dict[str, Any]]) -> None:
    study_of(30)
    assert calls[0]["warm"] is None
    fitted = [call["warm"][0].results for call in calls[1:]]
    assert fitted == sorted(fitted)
    assert len(set(fitted)) < len(fitted)  # most proposals use the hyperparameters as they are


def test_the_start_is_one_sequence_for_all_processes() -> None:
    """Trial by trial the same points, whoever asks; and evenly spread, though no search space is known yet."""
    study = optuna.create_study()
    points = []
    for _ in range(8):
        study.sampler = NonstopSampler(seed=3)
        points.append(unit(study.ask(SPACE)))
    one = optuna.create_study(sampler=NonstopSampler(seed=3))
    assert [unit(one.ask(SPACE)) for _ in range(8)] == points
    assert points == pytest.approx(halton(8, 2, 3))


def test_the_start_of_a_discrete_space_repeats_nothing() -> None:
    space = {"a": IntDistribution(1, 3), "b": CategoricalDistribution(["p", "q", "r"])}
    study = optuna.create_study(sampler=NonstopSampler(seed=2, n_startup_trials=9))
    study.tell(study.ask(space), 0.0)
    asked = [study.ask() for _ in range(8)]
    tried = [tuple(trial.relative_params.values()) for trial in asked] + [tuple(study.trials[0].params.values())]
    assert len(set(tried)) == 9


def test_threads_of_one_sampler_get_different_points() -> None:
    """Four at a time, which begin and end together: that is when proposals are made at the same time."""
    study = optuna.create_study(sampler=NonstopSampler(seed=1, n_startup_trials=4))
    together = threading.Barrier(4)

    def busy(trial: Any) -> float:
        value = objective(trial)
        trial.set_user_attr("since", time.time())
        together.wait(20)
        return value

    study.optimize(busy, n_trials=20, n_jobs=4)
    assert len(study.trials) == 20
    assert apart(study) > 4e-4


WORKER = """
import pathlib, sys, time, optuna
from optuna.storages.journal import JournalFileBackend
from nonstop.integrations.optuna import NonstopSampler
optuna.logging.set_verbosity(optuna.logging.WARNING)
storage = optuna.storages.JournalStorage(JournalFileBackend(sys.argv[1]))
study = optuna.load_study(study_name="shared", storage=storage, sampler=NonstopSampler(seed=7))
def objective(trial):
    x, y = trial.suggest_float("x", -1.0, 1.0), trial.suggest_float("y", -1.0, 1.0)
    trial.set_user_attr("since", time.time())
    time.sleep(0.05)
    return x**2 + y**2
pathlib.Path(f"{sys.argv[1]}.{sys.argv[2]}").touch()
while not pathlib.Path(f"{sys.argv[1]}.go").exists():
    time.sleep(0.01)
study.optimize(objective, n_trials=8)
"""


def test_processes_on_one_storage_get_different_points(tmp_path: Path) -> None:
    file = str(tmp_path / "optuna.log")
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(file))
    study = optuna.create_study(study_name="shared", storage=storage)
    commands = [[sys.executable, "-c", WORKER, file, number] for number in "012"]
    workers = [subprocess.Popen(command, stderr=subprocess.PIPE) for command in commands]
    while len(list(tmp_path.glob("optuna.log.[012]"))) < 3 and not any(worker.poll() for worker in workers):
        time.sleep(0.01)
    Path(f"{file}.go").touch()
    errors = [worker.communicate(timeout=120)[1].decode() for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0], errors
    assert len(study.trials) == 24
    assert apart(study) > 4e-4
    assert study.best_value < 0.05


def test_failed_trials_inform_the_model(calls: list[dict[str, Any]]) -> None:
    def crashes(trial: Any) -> float:
        value = objective(trial)
        if trial.params["x"] < -0.3:
            raise RuntimeError
        return value

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=NonstopSampler(seed=1))
    study.optimize(crashes, n_trials=30, catch=RuntimeError)
    failed = [trial.number for trial in study.trials if trial.state == TrialState.FAIL]
    assert len(failed) >= 2
    assert calls[-1]["failed"] == pytest.approx(np.array([unit(study.trials[n]) for n in failed if n < 29]))
    assert study.best_value < 0.01


def test_a_trial_that_failed_before_it_asked_is_known_by_what_was_proposed(calls: list[dict[str, Any]]) -> None:
    study = study_of(12)
    trial = study.ask()
    assert trial.relative_params
    study.tell(trial, state=TrialState.FAIL)
    study.ask(SPACE)
    assert len(calls[-1]["failed"]) == 1


def test_pruned_trials_are_no_data_but_believed(calls: list[dict[str, Any]]) -> None:
    study = study_of(12)
    trial = study.ask(SPACE)
    trial.report(123.0, step=1)
    study.tell(trial, state=TrialState.PRUNED)
    again = study.ask(SPACE)
    assert len(calls[-1]["X"]) == 12
    assert calls[-1]["believed"] == pytest.approx(np.array([unit(trial)]))
    assert math.dist(unit(trial), unit(again)) > 1e-3


def test_a_value_that_is_not_finite_is_a_failure() -> None:
    study = study_of(12)
    study.add_trial(create_trial(params={"x": 0.9, "y": 0.9}, distributions=SPACE, value=math.inf))
    study.optimize(objective, n_trials=3)
    assert study.best_value < 0.1


def test_what_was_enqueued_is_kept_and_the_rest_is_proposed_for_it(calls: list[dict[str, Any]]) -> None:
    study = study_of(12)
    study.enqueue_trial({"x": 0.5})
    trial = study.ask(SPACE)
    assert trial.params["x"] == 0.5
    assert calls[-1]["fixed"] == pytest.approx([0.75, math.nan], nan_ok=True)
    busy = Known.of(study, number=13, frame=Frame.of(SPACE)).busy
    assert busy == pytest.approx(np.array([unit(trial)]))
    study.enqueue_trial({"x": 0.25, "y": 0.125})
    assert study.ask(SPACE).params == {"x": 0.25, "y": 0.125}


def test_a_value_out_of_range_is_no_data(calls: list[dict[str, Any]]) -> None:
    study = study_of(12)
    study.enqueue_trial({"x": 5.0, "y": 0.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(objective, n_trials=1)
    study.ask(SPACE)
    assert len(calls[-1]["X"]) == 12


def test_conditional_params_fall_back_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def conditional(trial: Any) -> float:
        trial.suggest_categorical("kind", ["a", "b"])
        if trial.number % 2:
            return float(trial.suggest_float("x", 0.0, 1.0))
        return float(trial.suggest_int("n", 0, 9))

    assert sampled_independently(caplog, conditional) == {"x", "n"}
    assert sampled_independently(caplog, conditional, warn_independent_sampling=False) == set()


def test_changing_ranges_fall_back_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def changing(trial: Any) -> float:
        return float(trial.suggest_float("x", 0.0, 1.0 + trial.number) + trial.suggest_float("y", 0.0, 1.0))

    assert sampled_independently(caplog, changing) == {"x"}


def test_ranges_beyond_our_cube_fall_back_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def huge(trial: Any) -> float:
        trial.suggest_int("n", 0, 2**50)
        return float(trial.suggest_float("y", 0.0, 1.0))

    assert sampled_independently(caplog, huge) == {"n"}
    assert "2**40" not in caplog.text


def sampled_independently(
    caplog: pytest.LogCaptureFixture, objective: Callable[[Any], float], **options: Any
) -> set[str]:
    """The params that a warning names."""
    caplog.clear()
    optuna.logging.enable_propagation()
    try:
        study = optuna.create_study(sampler=NonstopSampler(seed=1, n_startup_trials=2, **options))
        study.optimize(objective, n_trials=8)
    finally:
        optuna.logging.disable_propagation()
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert all("sampled independently" in message for message in said)
    return {message.split("`")[1] for message in said}


def test_another_sampler_may_draw_what_the_model_does_not() -> None:
    class Drawn(RandomSampler):
        def __init__(self) -> None:
            super().__init__(seed=1)
            self.heard: list[str] = []

        def sample_independent(self, *_: Any) -> float:
            self.heard.append("sample")
            return 0.5

        def before_trial(self, *_: Any) -> None:
            self.heard.append("before")

        def after_trial(self, *_: Any) -> None:
            self.heard.append("after")

    drawn = Drawn()
    study = optuna.create_study(sampler=NonstopSampler(independent_sampler=drawn))
    study.optimize(objective, n_trials=1)
    assert study.trials[0].params == {"x": 0.5, "y": 0.5}
    assert drawn.heard == ["before", "sample", "sample", "after"]


@pytest.mark.parametrize("startup", [0, 99])
def test_plain_python_values_of_every_distribution_and_name(startup: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna would rather have choices that are JSON
        choice = CategoricalDistribution((None, True, 1.5, "text", object))
    space = {
        "": FloatDistribution(-1.0, 1.0),
        "näme with blanks": FloatDistribution(1e-300, 1e300, log=True),
        "step": FloatDistribution(-10.2, 10.2, step=0.1),
        "int": IntDistribution(-3, 3),
        "int log": IntDistribution(1, 10**9, log=True),
        "int step": IntDistribution(3, 27, step=4),
        "choice": choice,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna would rather have choices that are JSON
        study = optuna.create_study(sampler=NonstopSampler(seed=1, n_startup_trials=startup))
        for value in range(12):
            trial = study.ask(space)
            for (name, distribution), given in zip(space.items(), trial.params.values(), strict=True):
                assert distribution._contains(distribution.to_internal_repr(given)), name
                if name != "choice":
                    assert type(given) is (int if name.startswith("int") else float), name
            study.tell(trial, float(value))
    if startup == 0:
        assert all("nonstop:0" in trial.system_attrs for trial in study.trials[1:])


def test_brackets_of_hyperband_have_their_own_trials() -> None:
    """Optuna gives samplers a study that has the trials of one bracket only."""
    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9)
    study = optuna.create_study(sampler=NonstopSampler(seed=1, n_startup_trials=4), pruner=pruner)

    def trained(trial: Any) -> float:
        value = objective(trial)
        for step in range(9):
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study.optimize(trained, n_trials=30)
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE, TrialState.PRUNED}
    assert study.best_value < 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be an integer"),
        ({"n_startup_trials": 1.5}, "n_startup_trials must be an integer"),
        ({"rule": "nonsense"}, "nonsense"),
    ],
)
def test_nonsense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(nonstop.NonstopError, match=message):
        NonstopSampler(**options)
