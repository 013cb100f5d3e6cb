"""Which part of an axis is shown."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.history.window import Beyond, Window, decades, everything, window

rng = np.random.default_rng(0)


def test_a_few_bad_values_do_not_flatten_the_others() -> None:
    values = np.concatenate([0.04 + 0.2 * rng.random(57), [1.8e4, 9.3e4, 2.0e3]])
    found = window(values, -1.0)
    assert (found.kind, found.low) == ("linear", values.min())
    assert found.high == np.sort(values)[56]  # the worst of the usual ones
    assert found.beyond(values) == Beyond(3, 9.3e4)
    flipped = window(-values, 1.0)
    assert (flipped.low, flipped.high) == (-found.high, -found.low)
    assert flipped.beyond(-values) == Beyond(3, -9.3e4)


@pytest.mark.parametrize("values", [rng.normal(size=300), rng.exponential(size=300), rng.random(30), np.arange(9.0)])
def test_ordinary_values_are_all_shown(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    for sign in (-1.0, 1.0):
        found = window(values, sign)
        assert (found.low, found.high) == (values.min(), values.max())
        assert found.beyond(values) == Beyond()


def test_the_best_is_always_shown() -> None:
    """Even if it is far from all others: it is what the user wants to see."""
    values = np.append(rng.random(50), -1e6)
    assert window(values, -1.0).low == -1e6
    assert window(values, -1.0).beyond(values) == Beyond()


def test_what_must_be_kept_is_shown() -> None:
    values = np.concatenate([[1e5, 50.0, 40.0], np.full(60, 0.1) + 0.01 * rng.random(60)])
    assert window(values, -1.0).high < 1.0
    assert window(values, -1.0, keep=np.array([50.0, 0.1])).high == 50.0


def test_values_that_span_decades_are_on_a_log_axis() -> None:
    values = 10.0 ** rng.uniform(-10.0, 6.0, 60)
    found = window(values, -1.0)
    assert found.kind == "log"
    assert (found.low, found.high) == (values.min(), values.max())  # no rounding leaves out the ends
    # One outlier does not make a log axis of the others, nor does a best value of zero.
    assert window(np.append(rng.uniform(1.0, 2.0, 50), 1e9), -1.0).kind == "linear"
    assert window(np.append(values, 0.0), -1.0).kind == "linear"
    assert not decades(np.array([1.0]), -1.0)
    # Nor do many bad ones.
    assert window(np.append(rng.uniform(1.0, 2.0, 50), np.full(9, 1e9)), -1.0).kind == "linear"
    assert window(1.0 / np.append(rng.uniform(1.0, 2.0, 50), np.full(9, 1e9)), 1.0).kind == "linear"
    # Progress over decades is progress over decades, even if most results are at its end.
    late = np.concatenate([[3e4, 2e3, 40.0, 1.0], np.full(200, 1e-3)])
    assert window(late, -1.0, keep=late).kind == "log"


def test_what_is_zero_but_for_rounding_makes_no_log_axis() -> None:
    values = np.concatenate([rng.uniform(0.1, 1.0, 40), 6e-17 * rng.random(20) + 1e-33])
    assert window(values, -1.0, keep=values).kind == everything(values).kind == "linear"
    assert window(values, -1.0).beyond(values) == Beyond()
    # Progress by steps of less than nine decades is progress, and so is what most results have reached.
    steps = np.concatenate([rng.uniform(0.1, 1.0, 40), [1e-5, 3e-11], np.full(4, 1e-17)])
    assert window(steps, -1.0, keep=steps).kind == "log"
    reached = np.concatenate([rng.uniform(0.1, 1.0, 20), np.full(40, 1e-17)])
    assert window(reached, -1.0, keep=reached).kind == "log"


def test_a_log_window_leaves_out_what_is_bad_by_many_decades() -> None:
    values = np.append(10.0 ** rng.uniform(0.0, 4.0, 60), 1e120)
    found = window(values, -1.0)
    assert found.kind == "log"
    assert found.high < 1.1e4
    assert found.beyond(values) == Beyond(1, 1e120)


@pytest.mark.parametrize(
    "values", [[3.0], [3.0, 3.0], [-1.7e308, 1.7e308, 0.0], [1e-300, 5e-300], [0.0, 0.0, 0.0, 9.0]]
)
def test_extreme_and_equal_values(values: list[float]) -> None:
    for sign in (-1.0, 1.0):
        found = window(np.array(values), sign)
        assert np.isfinite([found.low, found.high]).all()
        assert min(values) * (1.0 - 1e-9) <= found.high
        assert found.low <= found.high
        assert (min(values) if sign < 0.0 else max(values)) in (pytest.approx(found.low), pytest.approx(found.high))


def test_a_window_grows_towards_predictions_by_half_of_its_length() -> None:
    found = Window("linear", 0.0, 2.0)
    assert found.wider(np.array([0.5, 18_000.0])) == Window("linear", 0.0, 3.0)
    assert found.wider(np.array([-0.25, 2.5])) == Window("linear", -0.25, 2.5)
    assert found.wider(np.array([np.nan])) == found
    log = Window("log", 1.0, 100.0).wider(np.array([1e-9, 1e9]))
    assert (log.low, log.high) == pytest.approx((0.1, 1000.0))
    below = Window("log", 1.0, 100.0).wider(np.array([-5.0, 50.0]))  # no log axis has room for it
    assert (below.low, below.high) == pytest.approx((1.0, 100.0))


def test_clipped_values_are_at_the_ends() -> None:
    found = Window("log", 1.0, 10.0)
    assert found.clip(np.array([-3.0, 5.0, 11.0])).tolist() == [1.0, 5.0, 10.0]
    assert found.beyond(np.array([-3.0, 5.0, 11.0, np.inf])) == Beyond(2, -3.0)


def test_everything_is_everything() -> None:
    assert everything(np.array([1e-3, 5.0, 2e4])) == Window("log", 1e-3, 2e4)
    assert everything(np.array([-1.0, 5.0, 2e4])) == Window("linear", -1.0, 2e4)
