"""Other optimisers in the simulator: they see what ours would see, and each of them works where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import nonstop
from nonstop.space.encoding import encode
from nonstop_bench.peers.optimizers.codes import coded, codes_of, decoded
from nonstop_bench.peers.optimizers.pending import Pending
from nonstop_bench.peers.optimizers.uniform import Uniform
from nonstop_bench.peers.registry import NAMES, PeerError, make
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.task import BlackBox, Task
from nonstop_bench.simulate import Setup, simulate

#: What each peer imports; the first part of its name says which one it is.
PACKAGES = {
    "botorch": "botorch",
    "optuna": "optuna",
    "smac": "smac",
    "ax": "ax",
    "bayesopt": "bayes_opt",
    "deephyper": "deephyper",
    "skopt": "skopt",
}
#: HEBO has tests of its own: it needs no package here, but an environment.
OTHERS = [name for name in NAMES if name != "random" and not name.startswith("hebo")]
MIXED = nonstop.Space(
    {
        "rate": nonstop.Float(1e-5, 1e-1, log=True),
        "angle": nonstop.Float(-np.pi, np.pi),
        "depth": nonstop.Int(1, 12),
        "width": nonstop.Int(1, 1000, log=True),
        "loss": nonstop.Categorical(["l1", "l2", None]),
        "flag": nonstop.Categorical([True, False]),
    }
)


def bowl(params: Mapping[str, object]) -> float:
    point = encode(MIXED, MIXED.validate(params))
    return float(((point - 0.4) ** 2).sum())


TASKS: list[Task] = [BRANIN, BlackBox("mixed", MIXED, bowl, optimum=0.0)]


def package_of(name: str) -> str:
    return PACKAGES[name.split("-")[0]]


@dataclass
class Fake:
    """A peer that walks up a diagonal and writes down what it hears."""

    space: nonstop.Space
    asked: list[dict[str, object]] = field(default_factory=list)
    busy: list[list[dict[str, object]]] = field(default_factory=list)
    told: list[tuple[dict[str, object], float | None]] = field(default_factory=list)

    def ask(self, busy: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
        self.busy.append([dict(params) for params in busy])
        share = (len(self.asked) + 1) / 1000
        params: dict[str, object] = {}
        for name, parameter in self.space.items():
            assert isinstance(parameter, nonstop.Float)
            params[name] = parameter.low + share * (parameter.high - parameter.low)
        self.asked.append(params)
        return params

    def tell(self, params: Mapping[str, object], value: float | None) -> None:
        self.told.append((dict(params), value))


def faked(failure_rate: float = 0.0) -> tuple[Fake, list[nonstop.Trial]]:
    fake = Fake(BRANIN.space)
    setup = Setup(BRANIN, q=4, seed=3, horizon=6.0, failure_rate=failure_rate, optimizer=fake)
    return fake, list(simulate(setup).study.trials)


def lasted(trial: nonstop.Trial) -> float:
    assert trial.finished_at is not None
    return trial.finished_at - (trial.started_at or 0.0)


def test_a_peer_starts_where_ours_does() -> None:
    """The same initial data, the same first q points, and the same durations whatever it proposes."""
    fake, theirs = faked()
    ours = list(simulate(Setup(BRANIN, q=4, seed=3, horizon=6.0)).study.trials)
    first = 6 + 4
    assert [t.params for t in theirs[:first]] == [t.params for t in ours[:first]]
    assert [t.value for t in theirs[:6]] == [t.value for t in ours[:6]]
    assert [t.params for t in theirs[first:]] == fake.asked
    both = [(a, b) for a, b in zip(ours, theirs, strict=False) if a.finished_at and b.finished_at]
    assert len(both) > first
    for a, b in both:
        assert lasted(a) == pytest.approx(lasted(b))


def test_a_peer_is_shown_the_busy_points() -> None:
    fake, trials = faked()
    assert len(fake.busy) == len(trials) - 10 > 8
    for shown, trial in zip(fake.busy, trials[10:], strict=True):
        now = trial.started_at or 0.0
        running = [t.params for t in trials[6 : trial.number] if t.finished_at is None or t.finished_at > now]
        assert len(shown) == 3
        assert sorted(map(str, shown)) == sorted(map(str, running))


def test_every_result_is_told_once() -> None:
    """Also those of the initial data and of the first points; a failure is told as None."""
    fake, trials = faked(failure_rate=0.3)
    finished = [trial for trial in trials if trial.state.finished]
    assert sorted(map(str, fake.told)) == sorted(str((trial.params, trial.value)) for trial in finished)
    failures = [trial for trial in finished if trial.state is nonstop.TrialState.FAILED]
    assert [value for _, value in fake.told].count(None) == len(failures) > 3


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(PeerError, match="'gradient', expected one of random, botorch-ucb"):
        make("gradient", BRANIN.space, 0)


@pytest.mark.parametrize("name", OTHERS)
def test_a_missing_package_is_answered_with_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here nothing is installed: every package of a peer is hidden."""
    for module in list(sys.modules):
        if module.startswith("nonstop_bench.peers.optimizers."):
            monkeypatch.delitem(sys.modules, module)
    for package in ("torch", "ConfigSpace", *PACKAGES.values()):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(PeerError, match=rf"{name} needs \w+: pip install 'nonstop-bench\[peers\]'"):
        make(name, BRANIN.space, 0)


def test_random_params_fill_the_space() -> None:
    one, same, other = (Uniform(MIXED, seed) for seed in (0, 0, 1))
    params = [MIXED.validate(one.ask([])) for _ in range(400)]
    assert params == [same.ask([]) for _ in range(400)]
    assert params[0] != other.ask([])
    points = np.array([encode(MIXED, each) for each in params])
    assert points[:, :4].mean(axis=0) == pytest.approx([0.5] * 4, abs=0.06)
    assert points[:, 4:].mean(axis=0) == pytest.approx([1 / 3] * 3 + [1 / 2] * 2, abs=0.08)


def test_results_find_their_suggestion_even_if_two_are_equal() -> None:
    space = nonstop.Space({"n": nonstop.Int(0, 1)})
    pending = Pending[str](space)
    assert pending.put({"n": np.int64(1)}, "first") == {"n": 1}
    pending.put({"n": 1}, "second")
    assert list(pending.strangers([{"n": 1}, {"n": 0}, {"n": 1}, {"n": 1}])) == [{"n": 0}, {"n": 1}]
    assert [pending.take({"n": 1}) for _ in range(3)] == ["first", "second", None]
    assert pending.take({"n": 0}) is None


def test_codes_lead_back_to_params() -> None:
    for params in (Uniform(MIXED, seed).ask([]) for seed in range(20)):
        codes = coded(MIXED, params)
        loss = MIXED["loss"]
        assert isinstance(loss, nonstop.Categorical)
        assert codes["loss"] in codes_of(loss) == ["0", "1", "2"]
        assert decoded(MIXED, codes) == params
    rounded = codes | {"angle": 3.1415927}
    assert decoded(MIXED, rounded)["angle"] == np.pi


# From here on each peer itself, where it is installed: in the environment of `make oracle`, not in the ordinary one.


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("name", OTHERS)
def test_a_peer_runs(name: str, task: Task) -> None:
    """Eight suggestions on params of every kind, with failures among the results."""
    pytest.importorskip(package_of(name))
    setup = Setup(task, q=2, seed=0, horizon=1e9, max_trials=10, failure_rate=0.2)
    trials = simulate(replace(setup, optimizer=make(name, task.space, 0))).study.trials
    proposed = [str(trial.params) for trial in trials[-8:]]
    assert len(set(proposed)) > 4
    assert {trial.state for trial in trials} == {nonstop.TrialState.COMPLETED, nonstop.TrialState.FAILED}


@pytest.mark.parametrize("name", OTHERS)
def test_a_peer_is_deterministic(name: str) -> None:
    pytest.importorskip(package_of(name))
    setup = Setup(BRANIN, q=2, seed=5, horizon=1e9, max_trials=5)
    runs = [simulate(replace(setup, optimizer=make(name, BRANIN.space, seed))).study.trials for seed in (5, 5, 6)]
    first, second, other = ([trial.params for trial in trials] for trials in runs)
    assert first == second
    assert first != other


@pytest.mark.parametrize(
    ("name", "keeps_away"),
    [
        ("botorch-ucb", False),
        ("botorch-logei", False),
        ("botorch-qlogei", True),
        ("botorch-qlognei", True),
        ("optuna-gp", True),
        ("ax", True),
        ("bayesopt", True),
        ("skopt", True),
    ],
)
def test_who_keeps_away_from_busy_points(name: str, keeps_away: bool) -> None:
    """The same data, and what it would do next is already being done."""
    pytest.importorskip(package_of(name))
    peer, uniform = make(name, BRANIN.space, 0), Uniform(BRANIN.space, 0)
    for _ in range(12):
        params = uniform.ask([])
        peer.tell(params, BRANIN.objective(params))
    first = BRANIN.space.validate(peer.ask([]))
    second = BRANIN.space.validate(peer.ask([first]))
    apart = float(np.linalg.norm(encode(BRANIN.space, first) - encode(BRANIN.space, second)))
    assert (apart > 0.02) is keeps_away, apart
