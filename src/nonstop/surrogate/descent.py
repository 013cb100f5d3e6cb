"""Many bounded minimisations at once: projected BFGS in which every start keeps its own step and its own metric.

Each round evaluates one trial point of every start that is still under way in a single call of the function, so the
cost of Python is shared. Joining the starts into one long vector for L-BFGS-B would share it too, but then they share
the step and the curvature, and all of them walk as slowly as the worst.

Symbols: s starts, p variables; x, g (s, p); H (s, p, p) the inverse Hessian of each start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nonstop.surrogate.linalg import Array

#: (points (m, p)) -> values (m,), gradients (m, p)
Function = Callable[[Array], tuple[Array, Array]]

_ARMIJO = 1e-4
_REJECTIONS = 12  # in a row: the model of this start is worthless, and the metric was reset half-way


@dataclass(frozen=True, slots=True)
class Descent:
    """Where every start ended. `metric` is its last inverse Hessian, to begin a similar problem with."""

    x: Array
    value: Array
    metric: Array
    rounds: int


def minimize(
    function: Function,
    starts: Array,
    lower: Array,
    upper: Array,
    metric: Array | None,
    tolerance: float,
    longest: float,
    max_rounds: int = 200,
    race: bool = True,
) -> Descent:
    """Minimise from every row of `starts` inside the box (one for all starts, or one each). `metric` (s, p, p) is the first inverse Hessian of each, if
    known; no step is longer than `longest` in any variable.

    A start ends when its predicted decrease falls below `tolerance`; with `race`, also when a multiple of that decrease
    could not bring it below the best start. Values that are not finite count as a step too far.
    """
    s, p = starts.shape
    lower, upper = np.broadcast_to(lower, (s, p)), np.broadcast_to(upper, (s, p))
    x = np.clip(starts, lower, upper)
    first = np.broadcast_to(np.eye(p), (s, p, p)) if metric is None else metric
    H = first.copy()
    f, g = function(x)
    f = np.where(np.isfinite(f), f, np.inf)
    g = np.where(np.isfinite(g), g, 0.0)
    direction, predicted = _direction(x, g, H, lower, upper, longest)
    step, rejected, accepted = np.ones(s), np.zeros(s, int), np.zeros(s, int)
    fresh = np.full(s, metric is None)
    alive = predicted > tolerance
    rounds = 1
    while rounds < max_rounds and alive.any():
        rows = np.flatnonzero(alive)
        trial = np.clip(x[rows] + step[rows, None] * direction[rows], lower[rows], upper[rows])
        f_new, g_new = function(trial)
        rounds += 1
        move = trial - x[rows]
        slope = np.einsum("ij,ij->i", g[rows], move)
        with np.errstate(invalid="ignore"):
            good = (f_new <= f[rows] + _ARMIJO * slope) & np.isfinite(g_new).all(axis=1)
        good &= np.isfinite(f_new)

        ok = rows[good]
        if len(ok):
            _update(H, fresh, ok, move[good], g_new[good] - g[ok])
            x[ok], f[ok], g[ok] = trial[good], f_new[good], g_new[good]
            step[ok], rejected[ok] = 1.0, 0
            accepted[ok] += 1
        bad = rows[~good]
        if len(bad):
            step[bad] *= _shrink(f[bad], slope[~good], f_new[~good])
            rejected[bad] += 1
            reset = bad[rejected[bad] == _REJECTIONS // 2]
            H[reset], fresh[reset], step[reset] = first[reset], metric is None, 1.0
            ok = np.concatenate([ok, reset])
        direction[ok], predicted[ok] = _direction(x[ok], g[ok], H[ok], lower[ok], upper[ok], longest)
        alive = (predicted > tolerance) & (rejected < _REJECTIONS)
        if race:
            alive &= (f - 10.0 * predicted <= f.min()) | (accepted < 5)
    return Descent(x, f, H, rounds)


def _direction(x: Array, g: Array, H: Array, lower: Array, upper: Array, longest: float) -> tuple[Array, Array]:
    """The quasi-Newton step in the free variables (those not pressed against their bound) and its predicted decrease."""
    free = ~(((x <= lower) & (g > 0.0)) | ((x >= upper) & (g < 0.0)))
    g_free = np.where(free, g, 0.0)
    direction = np.where(free, -np.einsum("ijk,ik->ij", H, g_free), 0.0)
    predicted = -0.5 * np.einsum("ij,ij->i", direction, g_free)
    return direction * np.minimum(1.0, longest / np.maximum(np.abs(direction).max(axis=1), 1e-300))[:, None], predicted


def _update(H: Array, fresh: Array, rows: Array, move: Array, change: Array) -> None:
    """The BFGS update of the given starts, where the curvature along the move is positive."""
    curvature = np.einsum("ij,ij->i", move, change)
    size = np.sqrt(np.einsum("ij,ij->i", move, move) * np.einsum("ij,ij->i", change, change))
    usable = curvature > 1e-10 * size
    rows, move, change, curvature = rows[usable], move[usable], change[usable], curvature[usable]
    if not len(rows):
        return
    new = fresh[rows]
    if new.any():  # the identity has no scale of its own: take the curvature just seen
        Hy = np.einsum("ijk,ik->ij", H[rows], change)
        ratio = curvature / np.maximum(np.einsum("ij,ij->i", change, Hy), 1e-300)
        H[rows[new]] *= np.clip(ratio[new], 1e-3, 1e3)[:, None, None]
        fresh[rows] = False
    Hy = np.einsum("ijk,ik->ij", H[rows], change)
    rho = 1.0 / curvature
    outer = np.einsum("ij,ik->ijk", Hy, move) * rho[:, None, None]
    weight = rho * (1.0 + rho * np.einsum("ij,ij->i", change, Hy))
    H[rows] += weight[:, None, None] * np.einsum("ij,ik->ijk", move, move) - outer - outer.transpose(0, 2, 1)


def _shrink(f: Array, slope: Array, f_new: Array) -> Array:
    """How much shorter the next step should be: the minimum of the parabola through what is known."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        best = -0.5 * slope / (f_new - f - slope)
    return np.clip(np.where(np.isfinite(best), best, 0.1), 0.1, 0.5)
