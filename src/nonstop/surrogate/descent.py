"""Many bounded minimisations at once: projected BFGS in which every start keeps its own step and its own metric.

Each round evaluates one trial point of every start that is still under way in a single call of the function, so the
cost of Python is shared. Joining the starts into one long vector for L-BFGS-B would share it too, but then they share
the step and the curvature, and all of them walk as slowly as the worst.

Symbols: s starts, p variables; x, g (s, p); H (s, p, p) the inverse Hessian of each start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.linalg import Array, row_dots

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
    while walk.rounds < limits.rounds and walk.goes_on():
        walk.step(function)
    return Descent(walk.ends, walk.values, walk.rounds)


@dataclass(slots=True, eq=False)
class _Walk:
    """The starts that are under way, m of s: whoever ends is taken out, so that a round is plain arithmetic on all its
    rows, without gathering and scattering. `ends` and `values` are where all s stand, `rows` which of those move."""

    limits: Limits
    ends: Array
    values: Array
    rows: Rows
    lower: Array
    upper: Array
    metric: Array  # to begin with and to fall back to
    scaled: bool  # does that metric have a scale, or only a shape?
    x: Array
    f: Array
    g: Array
    H: Array
    unscaled: NDArray[np.bool_]
    length: Array
    rejected: NDArray[np.int_]
    accepted: NDArray[np.int_]
    merged: NDArray[np.bool_]
    direction: Array = field(init=False)
    predicted: Array = field(init=False)
    rounds: int = 1

    @classmethod
    def begin(
        cls, function: Function, starts: Array, lower: Array, upper: Array, limits: Limits, metric: Array | None
    ) -> _Walk:
        s, p = starts.shape
        lower, upper = np.broadcast_to(lower, (s, p)), np.broadcast_to(upper, (s, p))
        x = np.minimum(np.maximum(starts, lower), upper)
        f, g = function(x)
        f, g = np.where(np.isfinite(f), f, np.inf), np.where(np.isfinite(g), g, 0.0)
        first = np.broadcast_to(np.eye(p), (s, p, p)) if metric is None else metric
        walk = cls(
            limits, x.copy(), f.copy(), np.arange(s), lower, upper, first, metric is not None, x, f, g, first.copy(),
            np.full(s, metric is None), np.ones(s), np.zeros(s, dtype=int), np.zeros(s, dtype=int),
            np.zeros(s, dtype=bool),
        )  # fmt: skip
        walk.aim()
        return walk

    def goes_on(self) -> bool:
        """Take out the starts that end here; is any left?"""
        alive = (self.predicted > self.limits.tolerance) & (self.rejected < _REJECTIONS) & ~self.merged
        if len(self.values) > 1:
            alive &= (self.f - _HOPE * self.predicted <= self.values.min()) | (self.accepted < _SETTLING)
        if not alive.all():
            left = np.flatnonzero(alive)
            for name in _PER_START:
                setattr(self, name, getattr(self, name).take(left, axis=0))
        return len(self.rows) > 0

    def step(self, function: Function) -> None:
        """One call of the function: every start moves, or learns that its step was too long."""
        x, f, g = self.x, self.f, self.g
        trial = np.minimum(np.maximum(x + self.length[:, None] * self.direction, self.lower), self.upper)
        f_new, g_new = function(trial)
        self.rounds += 1
        move = trial - x
        slope = row_dots(g, move)
        finite = np.isfinite(f_new) & np.isfinite(g_new).all(axis=1)
        good = finite & (f_new <= f + _ARMIJO * slope)
        if good.all():
            self.length, self.rejected = np.ones(len(x)), np.zeros(len(x), dtype=int)
        else:  # those whose step was too long stay where they are: a move of nothing, which teaches nothing
            shorter = self.length * _shrink(f, slope, np.where(finite, f_new, np.inf))
            self.length = np.where(good, 1.0, shorter)
            self.rejected = np.where(good, 0, self.rejected + 1)
            f_new, still = np.where(good, f_new, f), ~good[:, None]
            trial, g_new, move = np.where(still, x, trial), np.where(still, g, g_new), np.where(still, 0.0, move)
        self.learn(move, g_new - g)
        self.x, self.f, self.g = trial, f_new, g_new
        self.accepted += good
        self.ends[self.rows], self.values[self.rows] = trial, f_new
        self.reset(self.rejected == _REJECTIONS // 2)
        self.aim()
        if self.rounds % _MERGE_EVERY == 0 and good.any():
            self.merge()

    def reset(self, stuck: NDArray[np.bool_]) -> None:
        """Forget what these starts have learnt of the curvature: it leads nowhere."""
        if stuck.any():
            self.H[stuck], self.unscaled[stuck], self.length[stuck] = self.metric[stuck], not self.scaled, 1.0

    def aim(self) -> None:
        """The quasi-Newton step in the free variables, those not pressed against their bound."""
        g = self.g
        pressed = ((self.x <= self.lower) & (g > 0.0)) | ((self.x >= self.upper) & (g < 0.0))
        any_pressed = pressed.any()
        if any_pressed:
            g = np.where(pressed, 0.0, g)
        direction = -(self.H @ g[:, :, None])[:, :, 0]
        if any_pressed:
            direction[pressed] = 0.0
        self.predicted = -0.5 * row_dots(direction, g)
        longest = np.abs(direction).max(axis=1, initial=1e-300)
        self.direction = direction * np.minimum(1.0, self.limits.longest / longest)[:, None]

    def learn(self, move: Array, change: Array) -> None:
        """The BFGS update, where the curvature along the move is positive."""
        curvature = row_dots(move, change)
        positive = curvature > 1e-10 * np.sqrt(row_dots(move, move) * row_dots(change, change))
        if not positive.any():
            return
        rho = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=positive)
        Hy = (self.H @ change[:, :, None])[:, :, 0]
        if self.unscaled.any():  # the identity has no scale of its own: take that of the curvature just seen
            new = self.unscaled & positive
            factor = np.where(new, curvature / np.maximum(row_dots(change, Hy), 1e-300), 1.0).clip(1e-3, 1e3)
            self.H *= factor[:, None, None]
            Hy *= factor[:, None]
            self.unscaled &= ~positive
        weight = rho * (1.0 + rho * row_dots(change, Hy))
        cross = (rho[:, None] * Hy)[:, :, None] * move[:, None, :]
        self.H += (weight[:, None] * move)[:, :, None] * move[:, None, :] - cross - cross.transpose(0, 2, 1)

    def merge(self) -> None:
        """End every start that has come next to a better one."""
        if len(self.values) < 2:
            return
        order = np.argsort(self.values, kind="stable")
        x = self.ends[order]
        close = (np.abs(x[:, None] - x[None]) < self.limits.merge).all(axis=2)
        merged = np.empty(len(order), dtype=bool)
        merged[order] = np.tril(close, -1).any(axis=1)
        self.merged = merged[self.rows]


_PER_START = (
    "rows", "lower", "upper", "metric", "x", "f", "g", "H", "unscaled", "length", "rejected", "accepted", "merged",
    "direction", "predicted",
)  # fmt: skip


def _shrink(f: Array, slope: Array, f_new: Array) -> Array:
    """How much shorter the next step should be: to the minimum of the parabola through what is known."""
    excess = f_new - f - slope
    usable = np.isfinite(excess) & (excess > 0.0)
    best = np.where(usable, -0.5 * slope / np.where(usable, excess, 1.0), 0.1)
    return np.minimum(np.maximum(best, 0.1), 0.5)
