"""What records say about the model: posterior, slices, contours, leave-one-out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

import nonstop
from nonstop import history
from nonstop.acquisition.schedule import theoretical_beta
from nonstop.history.calibration import coverages, leave_one_out
from nonstop.history.posterior import posterior
from nonstop.space.encoding import encode
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.surrogate.output import Standardize
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Direction
from tests.helpers.studies import MIXED, ONE, THIRTY, study
from tests.helpers.trials import said


@pytest.mark.parametrize("kernel", KERNELS)
def test_leave_one_out_is_what_brute_force_says(kernel: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((17, 3)), rng.normal(size=17)
    hyper = Hyperparameters((0.3, 0.6, 1.2), 0.02)
    mean, variance = leave_one_out(GP.of(X, y, hyper, kernel))
    for i in range(17):
        rest = np.arange(17) != i
        m, v = GP.of(X[rest], y[rest], hyper, kernel).moments(X[i : i + 1])
        assert mean[i] == pytest.approx(m[0], rel=1e-8)
        assert variance[i] == pytest.approx(v[0] + hyper.noise, rel=1e-8)  # of the observation, not of f


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_check_is_in_the_units_of_the_values(direction: Direction) -> None:
    _, trials = study(ONE, 12, value=lambda x: 1000.0 + 5.0 * math.sin(7.0 * x[0]))
    spec = Spec(ONE, direction, surrogate="paper")
    record = history.check(spec, trials)
    assert record.observed.tolist() == [t.value for t in record.trials]
    last = max(trials, key=lambda t: t.number)
    hyper = said(last).hyperparameters
    assert hyper is not None
    X = np.array([encode(ONE, t.params or {}) for t in record.trials])
    output = Standardize.of(record.observed)
    mean, variance = leave_one_out(GP.of(X, output.forward(record.observed), hyper))
    assert record.predicted == pytest.approx(output.backward(mean))
    half = 1.96 * np.sqrt(variance) * output.spread * output.unit
    assert record.high - record.predicted == pytest.approx(half)
    assert record.predicted - record.low == pytest.approx(half)
    inside = np.abs(record.observed - record.predicted) <= ndtri(0.975) / 1.96 * half
    assert {c.level: c.observed for c in record.coverage}[0.95] == pytest.approx(inside.mean())


def test_a_good_model_is_calibrated() -> None:
    """Values drawn from the very process that predicts them: intervals hold what they promise."""
    rng = np.random.default_rng(1)
    X, hyper = rng.random((400, 1)), Hyperparameters((0.2,), 0.3)
    K = np.exp(-0.5 * ((X - X.T) / 0.2) ** 2) + 0.3 * np.eye(400)
    y = np.linalg.cholesky(K) @ rng.normal(size=400)
    mean, variance = leave_one_out(GP.of(X, y, hyper))
    for coverage in coverages(y - mean, np.sqrt(variance)):
        assert coverage.observed == pytest.approx(coverage.level, abs=0.06)


def test_the_check_needs_two_results() -> None:
    assert history.check(*study(ONE, 1)).trials == ()
    assert len(history.check(*study(ONE, 2)).trials) == 2
    constant = history.check(*study(ONE, 10, value=lambda _: 3.0))
    assert constant.explained is None
    assert constant.predicted == pytest.approx(np.full(10, 3.0))


def test_a_prediction_far_beyond_all_results_is_not_on_the_axis() -> None:
    """Bad values are compressed by a logarithm, so a model that errs a little there errs by orders of magnitude."""
    _, trials = study(ONE, 25, value=lambda x: 1.0 + x[0] ** 2 + (500.0 if x[0] > 0.9 else 0.0), seed=0)
    record = history.check(Spec(ONE), trials)
    assert record.compressed
    assert record.window is not None
    assert record.reach is not None
    assert record.window.beyond(record.observed).furthest == record.observed.max() > 500.0
    assert record.reach.high <= 3.0 * record.window.high
    hidden = record.reach.beyond(record.predicted)
    assert hidden.count == 3
    assert hidden.furthest == record.predicted.max() > 50.0 * record.observed.max()
    assert not history.check(Spec(ONE, surrogate="paper"), trials).compressed


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_intervals_of_compressed_values_hold_what_is_counted(direction: Direction) -> None:
    """Ends of intervals in the units of the values hold the very results that the compressed ones do."""
    sign = 1.0 if direction == "minimize" else -1.0
    _, trials = study(ONE, 40, value=lambda x: sign * math.exp(9.0 * abs(x[0] - 0.3)))
    record = history.check(Spec(ONE, direction), trials)
    assert record.compressed
    assert (record.low <= record.predicted).all()
    assert (record.predicted <= record.high).all()
    inside = (record.low <= record.observed) & (record.observed <= record.high)
    assert inside.mean() == pytest.approx({c.level: c.observed for c in record.coverage}[0.95])


def test_the_newest_recorded_hyperparameters_are_used() -> None:
    spec, trials = study(MIXED, 30)
    model = posterior(spec, trials)
    assert model is not None
    assert model.source is trials[-1]
    assert model.gp.hyperparameters == said(trials[-1]).hyperparameters


def test_without_any_recorded_they_are_fitted() -> None:
    spec, trials = study(ONE, 3)
    model = posterior(spec, trials)
    assert model is not None
    assert model.source is None


def test_many_results_are_thinned_but_the_best_stays() -> None:
    spec, trials = study(MIXED, 1500)
    model = posterior(spec, trials)
    assert model is not None
    assert len(model.trials) == 500
    assert model.values[model.incumbent] == min(t.value for t in trials if t.value is not None)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_slices_go_through_the_incumbent(direction: Direction) -> None:
    _, trials = study(MIXED, 40)
    spec = Spec(MIXED, direction)
    record = history.slices(spec, trials)
    model = posterior(spec, trials)
    assert model is not None
    assert record.incumbent is not None
    assert [cut.scale.name for cut in record.slices] == list(MIXED)
    pick = min if direction == "minimize" else max
    assert record.incumbent.value == pick(t.value for t in trials if t.value is not None)
    for cut in record.slices:
        name = cut.scale.name
        for place, mean, low, high in list(zip(cut.at, cut.mean, cut.low, cut.high, strict=True))[::7]:
            whole = int(place) if name in ("depth", "width") else place
            value = cut.scale.choices[int(place)] if cut.scale.kind == "choices" else whole
            params = {**(record.incumbent.params or {}), name: value}
            m, variance = model.gp.moments(encode(MIXED, params)[None])
            ends = [m + side * 1.96 * np.sqrt(variance) for side in (-1.0, 0.0, 1.0)]
            values = sorted(float(model.sign * model.output.backward(end)[0]) for end in ends)
            assert [low, mean, high] == pytest.approx(values)
        best = next(i for i, t in enumerate(record.results) if t is record.incumbent)
        assert cut.closeness[best] == pytest.approx(1.0)
        assert ((cut.closeness >= 0.0) & (cut.closeness <= 1.0 + 1e-12)).all()


def test_a_band_reaches_further_to_the_bad_side() -> None:
    """Values that span decades, compressed from below: nobody believes that something is far better than the best."""
    _, trials = study(ONE, 15, value=lambda x: math.exp(12.0 * abs(x[0] - 0.3)))
    record = history.slices(Spec(ONE), trials)
    (cut,) = record.slices
    assert (cut.low <= cut.mean).all()
    assert (cut.mean <= cut.high).all()
    assert (cut.high - cut.mean > cut.mean - cut.low - 1e-9).all()
    assert cut.low.min() > record.values.min() - 0.02 * np.ptp(record.values)
    assert cut.high.max() > record.values.max()


def test_the_acquisition_of_the_slices_is_the_rules() -> None:
    _, trials = study(ONE, 20)
    spec = Spec(ONE, surrogate="paper")
    record = history.slices(spec, trials)
    model = posterior(spec, trials)
    assert model is not None
    (cut,) = record.slices
    assert record.rule == "ucb"
    mean, sd = -(cut.mean), (cut.high - cut.low) / (2.0 * 1.96)  # the study minimises
    score = mean + math.sqrt(2.0) * sd
    assert cut.acquisition == pytest.approx((score - score.min()) / (score.max() - score.min()), abs=1e-9)
    assert history.slices(Spec(ONE, rule="random"), trials).slices[0].acquisition is None
    assert history.slices(Spec(ONE, rule="kb-logei"), trials).rule == "ucb"
    own = history.slices(Spec(ONE, rule=nonstop.LogEI()), trials)
    assert own.rule == "LogEI"
    assert own.slices[0].acquisition is not None
    assert own.slices[0].acquisition.max() == 1.0


def test_the_acquisition_of_a_schedule_counts_all_results() -> None:
    """Of 600 results the model holds 500; the schedule knows of all."""
    _, trials = study(ONE, 600)
    scheduled = history.slices(Spec(ONE, rule=nonstop.UCB(nonstop.Schedule())), trials).slices[0]
    fixed = history.slices(Spec(ONE, rule=nonstop.UCB(theoretical_beta(601, 1))), trials).slices[0]
    assert scheduled.acquisition == pytest.approx(fixed.acquisition, abs=0.0)


def test_busy_points_are_in_the_slices() -> None:
    spec, trials = study(ONE, 8)
    busy = Trial(8, TrialState.RUNNING, params={"x": 0.75})
    (cut,) = history.slices(spec, [*trials, busy, Trial(9, TrialState.PROPOSING)]).slices
    assert cut.busy.tolist() == [0.75]


def test_of_many_parameters_the_most_relevant_are_sliced() -> None:
    record = history.slices(*study(THIRTY, 40))
    assert (len(record.slices), record.of) == (12, 30)
    assert [cut.scale.name for cut in record.slices] == list(THIRTY)[:12]  # whose lengthscales are the shortest


def test_a_contour_is_the_model_on_a_grid() -> None:
    spec, trials = study(MIXED, 40)
    record = history.contour(spec, trials, x="width", y="loss")
    model = posterior(spec, trials)
    assert record is not None
    assert model is not None
    assert record.mean.shape == record.sd.shape == (3, len(record.at_x))
    params = {**(record.incumbent.params or {}), "width": int(record.at_x[5]), "loss": "l2"}
    mean, sd = model.predict(encode(MIXED, params)[None])
    assert record.mean[1, 5] == pytest.approx(mean[0])
    assert record.sd[1, 5] == pytest.approx(sd[0])


def test_a_contour_takes_the_two_most_relevant_unless_told() -> None:
    spec, trials = study(MIXED, 40)
    chosen = history.contour(spec, trials)
    assert chosen is not None
    assert (chosen.x.name, chosen.y.name) == ("lr", "depth")
    other = history.contour(spec, trials, y="lr")
    assert other is not None
    assert (other.x.name, other.y.name) == ("depth", "lr")
    assert history.contour(*study(ONE, 10)) is None
    assert history.contour(*study(MIXED, 0)) is None
    with pytest.raises(nonstop.StudyError, match="no parameter 'no': use one of lr, depth"):
        history.contour(spec, trials, x="no")
