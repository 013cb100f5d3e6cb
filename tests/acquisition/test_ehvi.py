"""Expected growth of the dominated area or volume, as an acquisition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nonstop import EHVI, RuleError
from nonstop.acquisition.ehvi import LogEHVI, reference_of
from nonstop.acquisition.rule import Acquisition, Choice, View
from nonstop.numerics.cells import Cells
from nonstop.numerics.ehvi import log_ehvi
from nonstop.numerics.hypervolume import nondominated
from nonstop.space.cube import Cube
from nonstop.surrogate.gp import GP
from nonstop.surrogate.scalarized import Scalarized, frame
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes


def acquisition(gps: tuple[GP, ...], below: float = 0.1, ends: Array | None = None) -> LogEHVI:
    values = np.stack([gp.y for gp in gps], axis=1)
    return LogEHVI.of(gps, Cells.of(values, reference_of(values, below), ends), gps[0].X[nondominated(values)])


@pytest.mark.parametrize("below", [0.01, 10.0])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("closed", [False, True])
def test_gradients(k: int, below: float, closed: bool) -> None:
    gps = tuple(random_gp(seed, 15, 2, noise=1e-2) for seed in range(k))
    log = acquisition(gps, below, np.array([gp.y.max() for gp in gps]) if closed else None)
    P = np.random.default_rng(1).random((5, 2))
    value, gradient = log.value_and_gradient(P)
    np.testing.assert_allclose(value, log.value(P))
    for p, found in zip(P, gradient, strict=True):
        numeric = slopes(lambda x: float(log.value(x[None])[0]), p, 1e-4)
        np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(numeric).max())))
    many = np.random.default_rng(2).random((200, 2))
    assert np.corrcoef(log.screen(many), log.value(many))[0, 1] > 0.9


@pytest.mark.parametrize("k", [2, 3])
def test_it_does_not_depend_on_the_order_of_the_objectives(k: int) -> None:
    gps = tuple(random_gp(seed, 15, 2) for seed in range(k))
    P = np.random.default_rng(1).random((5, 2))
    one, other = acquisition(gps), acquisition(gps[::-1])
    np.testing.assert_allclose(one.value(P), other.value(P), rtol=1e-9)


# The reference point


def test_the_reference_lies_below_the_front() -> None:
    values = np.array([[0.0, 2.0], [1.0, 1.0], [3.0, -1.0], [-7.0, -9.0]])
    np.testing.assert_allclose(reference_of(values, 0.01), [-0.03, -1.03])
    np.testing.assert_allclose(reference_of(values, 10.0), [-30.0, -31.0])


def test_a_front_of_one_point_can_grow() -> None:
    values = np.array([[1.0, 1.0], [0.0, 0.9]])
    assert (reference_of(values, 0.01) < [1.0, 1.0]).all()
    assert (reference_of(np.ones((2, 2)), 0.01) < 1.0).all()


def test_how_far_below_is_drawn_for_every_query() -> None:
    lowest = []
    for seed in range(200):
        cells = chosen(replace(view_of(np.empty((0, 2))), rng=np.random.default_rng(seed))).cells
        lowest.append([levels[0] for levels in cells.levels])
    view = view_of(np.empty((0, 2)))
    values = np.stack([gp.at_data() for gp in view.gp.gps], axis=1)  # type: ignore[union-attr]
    least, extent = frame(values)
    below = (least - np.array(lowest)) / extent
    np.testing.assert_allclose(below[:, 0], below[:, 1])
    assert 0.001 < below.min() < 0.002
    assert 5.0 < below.max() < 10.0
    assert 0.05 < np.median(below) < 0.25


# What the rule looks at


def chosen(view: View) -> LogEHVI:
    """What the rule maximises."""
    found: list[Acquisition] = []

    def keep(given: Acquisition) -> Choice:
        found.append(given)
        return Choice(np.zeros(2), 0.0, np.empty((0, 2)))

    EHVI().choose(replace(view, maximize=keep))
    assert isinstance(found[0], LogEHVI)
    return found[0]


def view_of(busy: Array, k: int = 2) -> View:
    gps = tuple(random_gp(seed, 15, 2, noise=1e-8) for seed in range(k))
    values = np.stack([gp.y for gp in gps], axis=1)
    posterior = Scalarized.of(gps, values, values, np.ones(k))
    rng, none = np.random.default_rng(0), np.empty((0, 2))

    def nothing(_: Acquisition) -> Choice:
        raise AssertionError

    return View(posterior, 0.0, 15, busy, none, Cube.continuous(2), rng, nothing)


@pytest.mark.parametrize("k", [2, 3])
def test_busy_points_are_believed_in_every_objective(k: int) -> None:
    """Where one is being evaluated, little is left to grow."""
    alone = chosen(view_of(np.empty((0, 2)), k))
    many = np.random.default_rng(2).random((2000, 2))
    best = many[np.argmax(alone.value(many))][None]
    beside = chosen(view_of(best, k))
    assert beside.value(best)[0] < alone.value(best)[0] - 1.0
    assert all(len(gp.X) == 16 for gp in beside.gps)
    assert (beside.centers == best).all(axis=1).any()  # it is on the front


def test_what_is_outside_of_the_bounds_is_not_of_the_front() -> None:
    busy = np.array([[0.3, 0.6]])
    plain = view_of(busy)
    gps = plain.gp.gps  # type: ignore[union-attr]
    kept = np.ones(15, dtype=bool)
    kept[np.argmax(gps[0].y)] = False
    found = chosen(replace(plain, kept=kept, expected=lambda P: np.zeros(len(P), dtype=bool)))
    values = np.stack([gp.at_data() for gp in found.gps], axis=1)[:15][kept]
    rng = np.random.default_rng(0)
    rng.random()
    below = 10.0 ** rng.uniform(-3.0, 1.0)
    P = np.random.default_rng(3).random((20, 2))
    mean, variance = (np.stack(column, axis=1) for column in zip(*(gp.moments(P) for gp in found.gps), strict=True))
    expected = log_ehvi(mean, np.sqrt(variance), Cells.of(values, reference_of(values, below)))[0]
    np.testing.assert_allclose(found.value(P), expected)
    none = chosen(replace(plain, kept=np.zeros(15, dtype=bool), expected=lambda P: np.zeros(len(P), dtype=bool)))
    assert len(none.centers)  # if nothing keeps the bounds, all results count


# The ends of the front


def with_values(view: View, values: Array) -> View:
    """The view with other values (n, k) of the same objectives at the same points."""
    gps = tuple(gp.of_values(column) for gp, column in zip(view.gp.gps, values.T, strict=True))  # type: ignore[union-attr]
    return replace(view, gp=Scalarized.of(gps, values, values, np.ones(len(gps))))


def open_ends(view: View, runs: int = 300) -> Array:
    """The share of queries (k,) that count on a better value than the best, for each objective."""
    found = [chosen(replace(view, rng=np.random.default_rng(seed))).cells for seed in range(runs)]
    best = [float(gp.y.max()) for gp in view.gp.gps]  # type: ignore[union-attr]
    ends = [
        [upper is None or levels[upper].max() > top for levels, upper, top in zip(c.levels, c.upper, best, strict=True)]
        for c in found
    ]
    return np.asarray(np.mean(ends, axis=0))


@pytest.mark.parametrize("k", [2, 3])
def test_the_more_results_have_reached_an_end_the_less_often_a_query_looks_beyond(k: int) -> None:
    plain = view_of(np.empty((0, 2)), k)
    values = np.stack([gp.y for gp in plain.gp.gps], axis=1)  # type: ignore[union-attr]
    assert (open_ends(plain) == 1.0).all()
    values[5:10, 0] = values[:, 0].max() + 1.0  # no one knows whether that is a bound
    values[9, 0] -= 1e-4  # close enough
    share = open_ends(with_values(plain, values))
    assert 0.12 < share[0] < 0.28
    assert (share[1:] == 1.0).all()
    same = values.copy()
    same[5:10] = same[5]
    assert open_ends(with_values(plain, same))[0] == 1.0, "one result, five times"
    kept = np.ones(15, dtype=bool)
    kept[6:10] = False
    assert open_ends(replace(with_values(plain, values), kept=kept))[0] == 1.0, "only one of those keeps the bounds"


def test_one_point_that_is_best_in_everything_does_not_end_the_search() -> None:
    """Others have reached the best value of one objective each: both ends may be closed, hardly anything is left."""
    plain = view_of(np.empty((0, 2)))
    values = np.stack([gp.y for gp in plain.gp.gps], axis=1)  # type: ignore[union-attr]
    top = values.max(axis=0) + 1.0
    values[:5, 0], values[4:9, 1] = top
    P = np.random.default_rng(4).random((50, 2))
    for seed in range(20):
        found = chosen(replace(with_values(plain, values), rng=np.random.default_rng(seed)))
        assert np.isfinite(found.value(P)).all()


@pytest.mark.parametrize("k", [1, 4])
def test_it_is_for_two_or_three_objectives(k: int) -> None:
    view = view_of(np.empty((0, 2)), k) if k > 1 else replace(view_of(np.empty((0, 2))), gp=random_gp(0, 15, 2))
    with pytest.raises(RuleError, match="two or three objectives"):
        EHVI().choose(view)
