"""What is sought of several outcomes: bounds, the value to beat, the order of results."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from nonstop.acquisition.aim import Aim
from nonstop.acquisition.feasible import Conditions, Feasible, LogKept, bound_term
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.sought import Sought, modelled
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.numerics.normal import log_ei
from nonstop.space.embedding import PLAIN
from nonstop.surrogate.gp import GP
from nonstop.surrogate.model import NONSTOP, PAPER, Surrogate
from nonstop.surrogate.output import Shifted
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes

AIM = Aim.of(["minimize", "<= 0.6", "maximize", ">= 0.2"])


def sought(n: int = 20, surrogate: Surrogate = NONSTOP, aim: Aim = AIM, seed: int = 0) -> tuple[Sought, Array]:
    X = np.random.default_rng(seed).random((n, 2))
    Y = aim.oriented(np.column_stack([X[:, 0], X[:, 1], np.square(X).sum(axis=1), X[:, 0]])[:, : len(aim.goals)])
    models = modelled(surrogate, aim, X, Y, (None,) * len(Y), PLAIN)
    return Sought.of(aim, models, aim.kept(Y), surrogate.incumbent, np.random.default_rng(seed)), Y


# The aim


def test_every_outcome_is_turned_so_that_larger_is_better() -> None:
    Y = np.array([[1.0, 0.5, 2.0, 0.1], [3.0, 0.7, 4.0, 0.3]])
    np.testing.assert_allclose(AIM.oriented(Y), [[-1.0, -3.0], [0.1, -0.1], [2.0, 4.0], [-0.1, 0.1]])
    assert (AIM.objectives, AIM.constraints) == ((0, 2), (1, 3))
    assert AIM.kept(AIM.oriented(Y)).tolist() == [False, False]


def test_a_slack_beyond_the_largest_float_is_the_largest_float() -> None:
    aim = Aim.of(["minimize", "<= 1e308"])
    assert np.isfinite(aim.oriented(np.array([[1.0, -1e308]]))).all()


def test_on_the_bound_is_within_it() -> None:
    aim = Aim.of(["minimize", "<= 0.1", ">= 0.1"])
    assert aim.kept(aim.oriented(np.array([[1.0, 0.1, 0.1]]))).all()


# What is sought


def test_the_value_to_beat_is_that_of_the_best_feasible_result() -> None:
    aim = Aim.of(["maximize", "<= 0.5"])
    for surrogate in (NONSTOP, PAPER):
        found, Y = sought(surrogate=surrogate, aim=aim)
        gp, kept = found.models[0].gp, Y[1] >= 0.0
        values = gp.at_data() if surrogate is NONSTOP else gp.y
        assert 0 < kept.sum() < len(kept)
        assert found.best == values[kept].max() < values.max()
        assert found.found


def test_feasible_results_come_first_then_the_least_violating() -> None:
    aim = Aim.of(["maximize", "<= 0.5"])
    found, Y = sought(aim=aim)
    kept = Y[1] >= 0.0
    order = found.ranking
    count = int(kept.sum())
    assert kept[order[:count]].all()
    assert (np.diff(Y[0][order[:count]]) <= 0.0).all()
    assert (np.diff(Y[1][order[count:]]) <= 0.0).all()


def test_without_a_feasible_result() -> None:
    found, Y = sought(aim=Aim.of(["maximize", "<= -1.0"]))
    assert not found.found
    assert found.ranking[0] == Y[1].argmax()
    assert math.isfinite(found.best)


def test_a_scalarisation_is_standardised_and_its_direction_is_the_seeds() -> None:
    one, _ = sought(surrogate=PAPER)
    assert one.posterior.y.mean() == pytest.approx(0.0, abs=1e-9)
    assert one.posterior.y.std(ddof=1) == pytest.approx(1.0)
    again, _ = sought(surrogate=PAPER)
    assert again.posterior.y.tobytes() == one.posterior.y.tobytes()
    other = Sought.of(one.aim, one.models, np.ones(20, dtype=bool), "observed", np.random.default_rng(1))
    assert np.abs(other.posterior.y - one.posterior.y).max() > 1e-3


def test_models_with_the_same_hyperparameters_share_their_matrix() -> None:
    """A column twice: the second fit ends where the first did."""
    aim = Aim.of(["maximize", "maximize"])
    X = np.random.default_rng(0).random((20, 2))
    Y = np.stack([np.sin(5.0 * X[:, 0])] * 2)
    one, other = modelled(NONSTOP, aim, X, Y, (None, None), PLAIN)
    assert one.gp.R is other.gp.R
    np.testing.assert_allclose(other.gp.alpha, GP.of(X, other.gp.y, other.hyperparameters, "matern52").alpha)


@pytest.mark.parametrize("goals", [["minimize", "<= 0.6"], ["minimize", "<= 0.6", "maximize"]])
def test_with_several_outcomes_every_process_has_mean_zero(goals: list[str]) -> None:
    """Whatever the surrogate says; the model of an only outcome has the mean that it says."""
    found, _ = sought(aim=Aim.of(goals))
    assert not any(isinstance(model.output, Shifted) for model in found.models)
    alone, _ = sought(aim=Aim.of(goals[:1]))
    assert isinstance(alone.models[0].output, Shifted)


def test_the_probability_of_feasibility_is_that_of_draws() -> None:
    found, _ = sought()
    x, rng = np.array([0.35, 0.55]), np.random.default_rng(0)
    kept = np.ones(100_000, dtype=bool)
    for model, bound in ((found.models[1], 1), (found.models[3], 3)):
        mean, variance = model.gp.moments(x[None])
        drawn = model.output.backward(mean + np.sqrt(variance) * rng.standard_normal(len(kept)))
        kept &= drawn >= 0.0  # slacks, in the units of the outcome
        assert bound in AIM.constraints
    assert found.feasible(found.predictions(x)) == pytest.approx(kept.mean(), abs=0.01)
    joint = sum(term.value(x[None])[0] for term in found.terms(np.empty((0, 2))))
    assert math.exp(joint) == pytest.approx(found.feasible(found.predictions(x)), rel=1e-9)


# Log-probabilities


def test_the_log_probability_of_a_bound() -> None:
    mean, sd = (grid.ravel() for grid in np.meshgrid(np.linspace(-40.0, 40.0, 33), [1e-3, 0.1, 1.0]))
    value, by_mean, by_sd = LogKept(0.3).score(mean, sd, 0.0)
    np.testing.assert_allclose(value, norm.logcdf((mean - 0.3) / sd), rtol=1e-12)
    step = 1e-6 * sd
    numeric = (LogKept(0.3).score(mean + step, sd, 0.0)[0] - LogKept(0.3).score(mean - step, sd, 0.0)[0]) / (2.0 * step)
    np.testing.assert_allclose(by_mean, numeric, rtol=1e-4, atol=1e-8)
    numeric = (LogKept(0.3).score(mean, sd + step, 0.0)[0] - LogKept(0.3).score(mean, sd - step, 0.0)[0]) / (2.0 * step)
    np.testing.assert_allclose(by_sd, numeric, rtol=1e-4, atol=1e-8)


def test_far_in_the_tail_it_is_finite_and_steep() -> None:
    value, by_mean, by_sd = LogKept(0.0).score(np.array([-1.0, 1.0]), np.array([1e-10, 1e-10]), 0.0)
    assert np.isfinite([value, by_mean, by_sd]).all()
    assert value[0] == pytest.approx(-5e19, rel=1e-6)
    assert by_mean[0] == pytest.approx(1e20, rel=1e-6)
    assert (value[1], by_mean[1]) == pytest.approx((0.0, 0.0), abs=1e-100)


@pytest.mark.parametrize("logarithmic", [True, False])
def test_gradients_with_bounds(logarithmic: bool) -> None:
    rng = np.random.default_rng(3)
    gps = [random_gp(seed, 15, 2, noise=1e-2) for seed in range(3)]
    busy = rng.random((2, 2))
    terms = [bound_term(gp, bound, 15, busy) for gp, bound in zip(gps[1:], (0.5, -0.5), strict=True)]
    inner = Scored(LogEI() if logarithmic else UCB(), gps[0], 0.3, 15)
    P = rng.random((5, 2))
    for acquisition in (Feasible(inner, terms), Conditions(terms)):
        value, gradient = acquisition.value_and_gradient(P)
        np.testing.assert_allclose(value, acquisition.value(P))
        for p, found in zip(P, gradient, strict=True):
            numeric = slopes(lambda x, a=acquisition: float(a.value(x[None])[0]), p, 1e-4)  # type: ignore[misc]
            np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(numeric).max())))


def test_log_ei_with_a_bound_is_ei_times_probability() -> None:
    gps = [random_gp(seed, 15, 2) for seed in range(2)]
    P = np.random.default_rng(0).random((6, 2))
    both = Feasible(Scored(LogEI(), gps[0], 0.3, 15), [bound_term(gps[1], 0.1, 15, P[:0])]).value(P)
    mean, variance = gps[0].moments(P)
    slack, spread = gps[1].moments(P)
    expected = log_ei(mean, np.sqrt(variance), 0.3)[0] + norm.logsf(0.1, slack, np.sqrt(spread))
    np.testing.assert_allclose(both, expected)
