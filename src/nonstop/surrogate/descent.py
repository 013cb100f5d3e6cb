"""Many bounded minimisations at once: projected BFGS in which every start keeps its own step and its own metric.

Each round evaluates one trial point of every start that is still under way in a single call of the function, so the
cost of Python is shared. Joining the starts into one long vector for L-BFGS-B would share it too, but then they share
the step and the curvature, and all of them walk as slowly as the worst.

Symbols: s starts, p variables; x, g (s, p); H (s, p, p) the inverse Hessian of each start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.linalg import Array

#: points (m, p) -> values (m,), gradients (m, p)
Function: TypeAlias = Callable[[Array], tuple[Array, Array]]
Rows: TypeAlias = NDArray[np.intp]

_ARMIJO = 1e-4
_REJECTIONS = 12  # in a row end a start; half of them reset its metric
_MERGE_EVERY = 3  # rounds: looking costs, and starts do not meet that fast
_HOPE = 3.0  # times its predicted decrease a start may fall short of the best one
_SETTLING = 5  # accepted steps before the predicted decrease is worth a comparison between starts


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: at a predicted decrease below `tolerance` or after `rounds` calls; no step is longer than `longest`
    in any variable. A start that comes within `merge` of a better one in every variable ends: it is the same valley."""

    tolerance: float
    longest: float
    merge: float | Array
    rounds: int = 200


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Where every start ended, and how many calls it took."""

    x: Array
    value: Array
    rounds: int


def minimize(
    function: Function, starts: Array, lower: Array, upper: Array, limits: Limits, metric: Array | None = None
) -> Descent:
    """Minimise from every row of `starts` inside the box, which may be one for all (p,) or one for each (s, p).

    `metric` (s, p, p) is the first inverse Hessian of each start, where it is known. Besides by its limits, a start
    ends when three times its predicted decrease would not bring it below the best one. Values that are not finite count
    as a step too far.
    """
    walk = _Walk.begin(function, starts, lower, upper, limits, metric)
    while walk.rounds < limits.rounds and len(rows := walk.under_way()):
        walk.step(function, rows)
    return Descent(walk.x, walk.f, walk.rounds)


@dataclass(slots=True, eq=False)
class _Walk:
    """The state of all starts."""

    limits: Limits
    lower: Array
    upper: Array
    metric: Array  # to begin with and to fall back to
    scaled: bool  # does that metric have a scale, or only a shape?
    x: Array
    f: Array
    g: Array
    H: Array
    direction: Array
    predicted: Array
    length: Array
    unscaled: NDArray[np.bool_]
    rejected: NDArray[np.int_]
    accepted: NDArray[np.int_]
    merged: NDArray[np.bool_]
    rounds: int = 1

    @classmethod
    def begin(
        cls, function: Function, starts: Array, lower: Array, upper: Array, limits: Limits, metric: Array | None
    ) -> _Walk:
        s, p = starts.shape
        lower, upper = np.broadcast_to(lower, (s, p)), np.broadcast_to(upper, (s, p))
        x = np.minimum(np.maximum(starts, lower), upper)
        f, g = function(x)
        first = np.broadcast_to(np.eye(p), (s, p, p)) if metric is None else metric
        walk = cls(
            limits, lower, upper, first, metric is not None, x,
            np.where(np.isfinite(f), f, np.inf), np.where(np.isfinite(g), g, 0.0), first.copy(),
            np.zeros((s, p)), np.zeros(s), np.ones(s), np.full(s, metric is None),
            np.zeros(s, dtype=int), np.zeros(s, dtype=int), np.zeros(s, dtype=bool),
        )  # fmt: skip
        walk.aim(np.arange(s))
        return walk

    def under_way(self) -> Rows:
        alive = (self.predicted > self.limits.tolerance) & (self.rejected < _REJECTIONS) & ~self.merged
        if len(alive) > 1:
            alive &= (self.f - _HOPE * self.predicted <= self.f.min()) | (self.accepted < _SETTLING)
        return np.flatnonzero(alive)

    def step(self, function: Function, rows: Rows) -> None:
        """One call of the function: every start moves, or learns that its step was too long."""
        x, f, g = self.x[rows], self.f[rows], self.g[rows]
        trial = x + self.length[rows, None] * self.direction[rows]
        trial = np.minimum(np.maximum(trial, self.lower[rows]), self.upper[rows])
        f_new, g_new = function(trial)
        self.rounds += 1
        move = trial - x
        slope = _dots(g, move)
        finite = np.isfinite(f_new) & np.isfinite(g_new).all(axis=1)
        good = finite & (np.where(finite, f_new, np.inf) <= f + _ARMIJO * slope)
        ok, bad = rows[good], rows[~good]
        if len(ok):
            self.learn(ok, move[good], g_new[good] - g[good])
            self.x[ok], self.f[ok], self.g[ok] = trial[good], f_new[good], g_new[good]
            self.length[ok], self.rejected[ok] = 1.0, 0
            self.accepted[ok] += 1
            self.aim(ok)
            if self.rounds % _MERGE_EVERY == 0:
                self.merge()
        if len(bad):
            self.length[bad] *= _shrink(f[~good], slope[~good], np.where(finite, f_new, np.inf)[~good])
            self.rejected[bad] += 1
            self.reset(bad[self.rejected[bad] == _REJECTIONS // 2])

    def reset(self, rows: Rows) -> None:
        """Forget what these starts have learnt of the curvature: it leads nowhere."""
        if len(rows):
            self.H[rows], self.unscaled[rows], self.length[rows] = self.metric[rows], not self.scaled, 1.0
            self.aim(rows)

    def aim(self, rows: Rows) -> None:
        """The quasi-Newton step in the free variables, those not pressed against their bound."""
        x, g = self.x[rows], self.g[rows]
        pressed = ((x <= self.lower[rows]) & (g > 0.0)) | ((x >= self.upper[rows]) & (g < 0.0))
        g = np.where(pressed, 0.0, g)
        direction = np.where(pressed, 0.0, -(self.H[rows] @ g[:, :, None])[:, :, 0])
        self.predicted[rows] = -0.5 * _dots(direction, g)
        longest = np.abs(direction).max(axis=1, initial=0.0)
        self.direction[rows] = direction * np.minimum(1.0, self.limits.longest / np.maximum(longest, 1e-300))[:, None]

    def learn(self, rows: Rows, move: Array, change: Array) -> None:
        """The BFGS update, where the curvature along the move is positive."""
        curvature = _dots(move, change)
        positive = curvature > 1e-10 * np.sqrt(_dots(move, move) * _dots(change, change))
        rows, move, change, curvature = rows[positive], move[positive], change[positive], curvature[positive]
        if not len(rows):
            return
        H = self.H[rows]
        Hy = (H @ change[:, :, None])[:, :, 0]
        new = self.unscaled[rows]
        if new.any():  # the identity has no scale of its own: take that of the curvature just seen
            factor = np.where(new, curvature / np.maximum(_dots(change, Hy), 1e-300), 1.0).clip(1e-3, 1e3)
            H *= factor[:, None, None]
            Hy *= factor[:, None]
            self.unscaled[rows] = False
        rho = 1.0 / curvature
        weight = rho * (1.0 + rho * _dots(change, Hy))
        cross = (rho[:, None] * Hy)[:, :, None] * move[:, None, :]
        H += (weight[:, None] * move)[:, :, None] * move[:, None, :] - cross - cross.transpose(0, 2, 1)
        self.H[rows] = H

    def merge(self) -> None:
        """End every start that has come next to a better one."""
        if np.count_nonzero(~self.merged) < 2:
            return
        order = np.argsort(self.f, kind="stable")
        x = self.x[order]
        close = (np.abs(x[:, None] - x[None]) < self.limits.merge).all(axis=2)
        self.merged[order] |= np.tril(close, -1).any(axis=1)


def _dots(a: Array, b: Array) -> Array:
    """The scalar products of the rows."""
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _shrink(f: Array, slope: Array, f_new: Array) -> Array:
    """How much shorter the next step should be: to the minimum of the parabola through what is known."""
    excess = f_new - f - slope
    usable = np.isfinite(excess) & (excess > 0.0)
    best = np.where(usable, -0.5 * slope / np.where(usable, excess, 1.0), 0.1)
    return np.minimum(np.maximum(best, 0.1), 0.5)
