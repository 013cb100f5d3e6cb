"""Every difference between the paper's text and its code is a switch that does what it says, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import nonstop
from nonstop import UCB, Surrogate
from nonstop.acquisition.expected import ExpectedLogEI
from nonstop.acquisition.rules import rule_of
from nonstop.surrogate.fit import fit, log_posterior
from nonstop.surrogate.fitted import fitted
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import PAPER
from nonstop.types import Array
from nonstop_bench.case import Case
from nonstop_bench.presets import PRESETS, TEN
from nonstop_bench.records import Record
from nonstop_bench.released import JointLogEI, RawUCB, ReleasedAegis, ReleasedPenalized, log_fat_softplus
from nonstop_bench.run import run
from nonstop_bench.settings import rule_in, settings_of, surrogate_in
from nonstop_bench.switches import AS_PUBLISHED, CHANGES, FLAT, SWITCHES, checked, surrogate_with
from nonstop_bench.walk import STEPS, TASKS, WALKERS, at_step
from tests.bench.made import there

RNG = np.random.default_rng(0)
X = RNG.random((25, 3))
BUSY = RNG.random((4, 3))


def bowl(points: Array) -> Array:
    """Never positive, as most objectives that are minimised."""
    return np.asarray(-5.0 - np.square(points - 0.4).sum(axis=1))


@pytest.mark.parametrize("rule", TEN)
@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_changes_the_rules_that_it_names_and_no_other(name: str, rule: str) -> None:
    """Looked at in the settings, which are all that a run depends on."""
    plain, switched = (settings_of(Case("branin", rule=rule, switches=text)) for text in ("", name))
    changed = {key for key in plain if plain[key] != switched[key]}
    assert changed <= ({"rule"} if name in CHANGES else {"warm"} if name == "cold" else {"surrogate"})
    assert changed or (name in CHANGES and rule not in CHANGES[name])
    assert (plain["rule"] != switched["rule"]) == (rule in CHANGES.get(name, ()))


def test_without_switches_everything_is_as_it_was() -> None:
    case = Case("branin")
    assert (rule_in(case), surrogate_in(case)) == ("ucb", PAPER)
    assert checked("") == ()
    for wrong in ("flt", "constant+flat", "flat+", "flat+flat"):
        with pytest.raises(ValueError, match="switches are some of clamp, steep"):
            checked(wrong)


def test_the_path_turns_one_switch_at_a_time() -> None:
    assert STEPS[0].switches == ()
    assert STEPS[-1].switches == AS_PUBLISHED == tuple(SWITCHES)
    for before, after in pairwise(STEPS[:-1]):
        assert after.switches == (*before.switches, after.name)
    assert (STEPS[-2].switches, STEPS[-2].overhead) == (AS_PUBLISHED, 0.0)
    assert STEPS[-1].overhead == "measured"
    for task in TASKS:
        for step in STEPS:
            for rule in WALKERS:
                found = PRESETS[at_step(task, step.name, rule)]
                assert rule in found.rules
                here, runs_of = step.of(PRESETS[f"paper/{task}"].base.by(rule)), found.base.by(rule)
                assert here.overhead == runs_of.overhead
                same = settings_of(here) == settings_of(runs_of)
                assert same or rule == "random", "random has no model that a switch could change"
                assert not runs_of.guard
    with pytest.raises(ValueError, match="steps are as-text, clamp"):
        at_step(TASKS[0], "as-txt", "ucb")


def test_a_cold_fit_knows_nothing_of_the_last() -> None:
    """Both are maxima of the same posterior; where there is one only, they agree to the tolerance of the fit."""
    warm, cold = (run(Case("branin", q=2, horizon=5.0, switches=text)) for text in ("", "cold"))
    first = warm.initial + 2
    assert np.array_equal(there(warm.points)[: first + 1], there(cold.points)[: first + 1]), "the first has no other"
    assert not np.array_equal(there(warm.points)[first + 1], there(cold.points)[first + 1])


def test_the_flat_prior_is_flat() -> None:
    lengthscales = np.log(np.array([1e-3, 0.1, 1.0, 30.0, 1e3]))
    density = FLAT.log_density(lengthscales)
    assert np.ptp(density) < 1e-3
    assert math.log(1e3) ** 2 / (2 * FLAT.sigma**2) < 1e-3
    flat = surrogate_with(PAPER, ("flat",))
    found = fit(X, bowl(X) - bowl(X).mean(), flat).hyperparameters
    moved = [replace(found, lengthscales=(found.lengthscales[0] * by, *found.lengthscales[1:])) for by in (0.9, 1.1)]
    z = bowl(X) - bowl(X).mean()
    assert log_posterior(X, z, found, flat) >= max(log_posterior(X, z, other, flat) for other in moved)


def test_the_constant_mean_is_the_likeliest() -> None:
    y = np.exp(4.0 * X[:, 0]) + X[:, 1]
    model = replace(PAPER, mean="constant")
    zero, constant = fitted(PAPER, X, y), fitted(model, X, y)
    z = zero.output.forward(y)
    level = float((z - constant.gp.y)[0])
    assert abs(level) > 0.05
    assert np.allclose(z - constant.gp.y, level)
    assert np.allclose(constant.output.backward(constant.output.forward(y)), y)
    hyper = constant.hyperparameters

    def likelihood(at: float) -> float:
        return log_posterior(X, z - at, hyper, model)

    assert likelihood(level) > max(likelihood(level - 0.02), likelihood(level + 0.02))
    assert likelihood(level) > log_posterior(X, z, zero.hyperparameters, PAPER), "and likelier than none"
    far = np.full((1, 3), 0.5) + 1e3
    assert float(constant.output.backward(constant.gp.moments(far)[0])[0]) == pytest.approx(
        float(zero.output.backward(np.array([level]))[0]), rel=1e-6
    ), "far from all data the mean is the constant"


def test_a_later_field_of_the_surrogate_does_not_change_how_studies_are_stored() -> None:
    assert repr(Surrogate()).endswith("candidates=1000, refit=0.0)")
    assert repr(Surrogate(starts=10)).endswith("refit=0.0, starts=10)")


def test_the_raw_ucb_ignores_the_model_where_it_is_negative() -> None:
    y = bowl(X)
    center, spread = float(y.mean()), float(y.std(ddof=1))
    rule = RawUCB(2.0, center / spread, spread)
    mean, sd = np.array([-1.0, 0.5, 60.0]), np.array([0.3, 0.2, 0.1])
    value, by_mean, by_sd = rule.score(mean, sd, 0.0)
    raw = spread * (mean + math.sqrt(2.0) * sd) + center
    assert (raw[:2] < 0.0).all()
    assert value.tolist() == [math.log(1e-8)] * 2 + [pytest.approx(math.log(raw[2]))]
    assert by_mean[:2].tolist() == by_sd[:2].tolist() == [0.0, 0.0]
    assert by_mean[2] == pytest.approx(spread / raw[2])
    assert by_sd[2] == pytest.approx(math.sqrt(2.0) * spread / raw[2])


def test_penalized_with_no_switch_but_its_class_is_the_core_rule() -> None:
    for local, name in ((False, "lp-ucb"), (True, "llp-ucb")):
        rule = ReleasedPenalized(local).seeing(bowl(X))
        ours = nonstop.propose(X, bowl(X), BUSY, name, 3, surrogate="paper")
        same = nonstop.propose(X, bowl(X), BUSY, rule, 3, surrogate="paper")
        assert np.array_equal(ours.x, same.x)
        for switch in ("clamp", "steep", *(["wide"] if local else [])):
            other = nonstop.propose(X, bowl(X), BUSY, replace(rule, **{switch: True}), 3, surrogate="paper")
            assert not np.array_equal(ours.x, other.x), switch


def test_where_no_ucb_is_positive_the_clamp_leaves_only_the_penalty() -> None:
    """The same values, above and below zero: above, the model counts."""
    below, above = (
        nonstop.propose(X, y, BUSY, ReleasedPenalized(clamp=True).seeing(y), 1, surrogate="paper")
        for y in (bowl(X), bowl(X) + 5.5)
    )
    assert below.value == pytest.approx(math.log(1e-8), abs=0.05), "no busy point near, and that is all"
    assert above.value > math.log(0.1)
    assert not np.allclose(above.x, below.x, atol=1e-2)


def test_twice_scaled_points_are_believed_in_elsewhere() -> None:
    inside = 0.2 + 0.6 * X
    hyper = Hyperparameters((0.3, 0.3, 0.3), 1e-4)
    gp = GP.of(inside, inside[:, 0], hyper)
    low, high = inside.min(axis=0), inside.max(axis=0)
    moved = (BUSY - low) / (high - low)
    assert np.abs(moved - BUSY).max() > 0.05
    released = rule_in(Case("branin", rule="kb-ucb", switches="twice"))
    y = bowl(inside)
    one = nonstop.propose(inside, y, BUSY, released, 0, surrogate="paper")
    other = nonstop.propose(inside, y, BUSY, "kb-ucb", 0, surrogate="paper")
    assert not np.array_equal(one.x, other.x)
    corners = np.concatenate([X, [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]])
    values = bowl(corners)
    same = [nonstop.propose(corners, values, BUSY, rule, 0, surrogate="paper").x for rule in (released, "kb-ucb")]
    assert np.allclose(same[0], same[1], atol=1e-6), "data that span the cube leave no difference"
    assert gp.moments(moved)[0].shape == (4,)


def test_the_released_aegis_looks_for_small_means() -> None:
    """In one dimension it is never greedy, so half of its choices are of the front."""
    line = np.linspace(0.0, 1.0, 12)[:, None]
    y = 3.0 * line[:, 0]
    choices = [nonstop.propose(line, y, None, ReleasedAegis(), seed, surrogate="paper") for seed in range(12)]
    front = [choice.x[0] for choice in choices if math.isnan(choice.value)]
    assert front
    assert min(front) < 0.3, "values are maximised, but its front has their minimum"


def test_the_joint_improvement_is_the_logarithm_of_its_average() -> None:
    gp = fitted(PAPER, X, bowl(X)).gp
    best = float(gp.y.max())
    draws = np.random.default_rng(1).standard_normal((4000, 5))
    joint = JointLogEI(ExpectedLogEI.of(gp, best, BUSY, draws[:, 1:]), best, draws[:, 0])
    P = np.random.default_rng(2).random((5, 3))
    value, slope = joint.value_and_gradient(P)
    assert np.allclose(value, joint.value(P), atol=1e-9)
    expected = [_brute(gp, best, point) for point in P]
    assert np.allclose(np.exp(value), expected, rtol=0.2, atol=2e-3)
    for j in range(3):
        step = np.zeros(3)
        step[j] = 1e-6
        difference = (joint.value(P + step) - joint.value(P - step)) / 2e-6
        assert np.allclose(slope[:, j], difference, rtol=2e-2, atol=2e-2)


def _brute(gp: GP, best: float, x: Array) -> float:
    mean, covariance = gp.joint(np.concatenate([x[None], BUSY]))
    drawn = np.random.default_rng(3).multivariate_normal(mean, covariance + 1e-12 * np.eye(5), 40_000)
    return float(np.maximum(drawn.max(axis=1) - best, 0.0).mean())


def test_the_fat_softplus() -> None:
    t = np.array([-1e6, -50.0, -1.0, 0.0, 3.0, 800.0])
    value, slope = log_fat_softplus(t)
    assert np.isfinite(value).all()
    assert value[3] == pytest.approx(math.log(math.log(2.0) + 0.1))
    assert value[5] == pytest.approx(math.log(800.0))
    step = 1e-4
    difference = (log_fat_softplus(t + step)[0] - log_fat_softplus(t - step)[0]) / (2 * step)
    assert np.allclose(slope[1:], difference[1:], rtol=1e-5)


@pytest.mark.parametrize("rule", TEN)
def test_every_rule_runs_as_published(rule: str) -> None:
    case = Case("ackley-2", rule=rule, q=3, horizon=2.0, guard=False, switches="+".join(AS_PUBLISHED))
    record = run(case)
    assert len(there(Record.from_json(record.to_json()).points)) > 9
    assert rule_of(rule_in(case)) is not None
    assert isinstance(surrogate_in(case), Surrogate)
    assert UCB() == rule_of("ucb")
