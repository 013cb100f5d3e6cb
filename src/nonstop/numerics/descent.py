"""Many bounded minimisations at once: projected BFGS in which every start keeps its own step and its own metric.

Each round evaluates one trial point of every active start in a single call of the function, so that all starts share
the overhead of Python. Joining the starts into one long vector for L-BFGS-B would share it too, but then they would
also share the step length and the curvature, and all would be as slow as the slowest.

Symbols: s starts, p variables; x, g (s, p); H (s, p, p) the inverse Hessian of each start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.linalg import row_dots
from nonstop.types import Array

#: points (m, p) -> values (m,), gradients (m, p)
Function: TypeAlias = Callable[[Array], tuple[Array, Array]]
Rows: TypeAlias = NDArray[np.intp]

_ARMIJO = 1e-4
_REJECTIONS = 12  # rejected steps in a row that end a start; half as many reset its metric
_MERGE_EVERY = 3  # rounds between searches for starts that have met: each search takes time
_HOPE = 3.0  # a start ends if so many times its predicted decrease would not make it the best
_SETTLING = 5  # accepted steps before the predicted decrease is reliable enough for that


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop, and how long a step may be."""

    #: A start ends when its predicted decrease is below this.
    tolerance: float
    #: The longest step in any variable.
    longest: float
    #: A start ends when it is closer than this to a better one in every variable: both are in the same valley.
    merge: float | Array
    #: Calls of the function, at most.
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

    `metric` (p, p) is the first guess at the inverse Hessian of every start. A start also ends when three times its
    predicted decrease would not bring it below the best one. Where the function is not finite, the step was too long.
    """
    metric = np.eye(starts.shape[1]) if metric is None else metric
    walk = _Walk.begin(function, starts, lower, upper, limits, metric)
    while walk.rounds < limits.rounds and walk.goes_on():
        walk.step(function)
    return Descent(walk.ends, walk.values, walk.rounds)


@dataclass(slots=True, eq=False)
class _Walk:
    """The active starts, m of s. A start that ends is removed from all arrays, so that a round is plain arithmetic on
    whole arrays, without masks. `ends` and `values` are the positions and values of all s starts, and `rows` the
    indices of the active ones among them.

    A round is some fifty calls of NumPy on a few rows, whose overhead is larger than the arithmetic. So for what is
    rare, such as a step that was too long, one check decides whether any further work is done.
    """

    limits: Limits
    metric: Array  # the first inverse Hessian, and the one after a reset
    ends: Array
    values: Array
    rows: Rows
    lower: Array
    upper: Array
    x: Array
    f: Array
    g: Array
    H: Array
    fresh: NDArray[np.bool_]  # is the scale of H still a guess?
    accepted: NDArray[np.int_]
    rejected: NDArray[np.int_]  # in a row
    length: Array  # of the next step, in quasi-Newton steps
    stride: Array = field(init=False)
    predicted: Array = field(init=False)
    rounds: int = 1

    @classmethod
    def begin(
        cls, function: Function, starts: Array, lower: Array, upper: Array, limits: Limits, metric: Array
    ) -> _Walk:
        s, p = starts.shape
        lower, upper = np.full((s, p), lower), np.full((s, p), upper)
        x = np.minimum(np.maximum(starts, lower), upper)
        f, g = function(x)
        f, g = np.where(np.isfinite(f), f, np.inf), np.where(np.isfinite(g), g, 0.0)
        none = np.zeros(s, dtype=int)
        walk = cls(
            limits, metric, x.copy(), f.copy(), np.arange(s), lower, upper, x, f, g, np.full((s, p, p), metric),
            np.ones(s, dtype=bool), none, none.copy(), np.ones(s),
        )  # fmt: skip
        walk.aim()
        return walk

    def goes_on(self) -> bool:
        """Remove the starts that end here; are any left?"""
        alive = (self.predicted > self.limits.tolerance) & (self.rejected < _REJECTIONS)
        if len(self.values) > 1:
            if self.rounds > _SETTLING:
                alive &= (self.f - _HOPE * self.predicted <= self.values.min()) | (self.accepted < _SETTLING)
            if self.rounds % _MERGE_EVERY == 0:
                alive &= ~self.merged()
        if np.count_nonzero(alive) < len(alive):
            left = np.flatnonzero(alive)
            for name in _PER_START:
                setattr(self, name, getattr(self, name).take(left, axis=0))
        return len(self.rows) > 0

    def merged(self) -> NDArray[np.bool_]:
        """Which active starts are close to a better one."""
        rank = self.values.argsort(kind="stable").argsort()
        close = (np.abs(self.x[:, None] - self.ends) < self.limits.merge).all(axis=2)
        better = rank < rank[self.rows, None]
        return np.asarray((close & better).any(axis=1))

    def step(self, function: Function) -> None:
        """One call of the function: every start moves, or learns that its step was too long."""
        x, f, g = self.x, self.f, self.g
        trial = np.minimum(np.maximum(x + self.stride, self.lower), self.upper)
        f_new, g_new = function(trial)
        self.rounds += 1
        move, change = trial - x, g_new - g
        slope, bend = row_dots(g, move), row_dots(change, change)
        good = (f_new <= f + _ARMIJO * slope) & np.isfinite(f_new + bend)
        if np.count_nonzero(good) == len(good):
            self.rejected[:], self.length[:] = 0, 1.0
        else:  # where the step was too long, the start stays: a move of zero, which does not change H
            self.length = np.where(good, 1.0, self.length * _shrink(f, slope, f_new))
            self.rejected = np.where(good, 0, self.rejected + 1)
            f_new, still = np.where(good, f_new, f), ~good
            trial[still], g_new[still], move[still], change[still], bend[still] = x[still], g[still], 0.0, 0.0, 0.0
        self.learn(move, change, bend)
        self.x, self.f, self.g = trial, f_new, g_new
        self.accepted += good
        self.ends[self.rows], self.values[self.rows] = trial, f_new
        self.reset(self.rejected == _REJECTIONS // 2)
        self.aim()

    def learn(self, move: Array, change: Array, bend: Array) -> None:
        """The BFGS update, where the curvature along the move is positive; `bend` is |change|^2."""
        curvature = row_dots(move, change)
        positive = curvature > 1e-10 * np.sqrt(row_dots(move, move) * bend)
        rho = positive / np.where(positive, curvature, 1.0)
        Hy = (self.H @ change[:, :, None])[:, :, 0]
        if np.count_nonzero(self.fresh):
            self.scale(self.fresh & positive, curvature, change, Hy)
        # H + (1 + rho y'Hy) rho s s' - rho (Hy s' + s y'H), as u s' + s u'
        half = 0.5 * rho * (1.0 + rho * row_dots(change, Hy))
        u = half[:, None] * move - rho[:, None] * Hy
        product = u[:, :, None] * move[:, None, :]
        self.H += product
        self.H += product.transpose(0, 2, 1)

    def scale(self, now: NDArray[np.bool_], curvature: Array, change: Array, Hy: Array) -> None:
        """Rescale H by the first curvature that was measured. With a scale that is wrong by a factor of ten, the
        descent would take about twice as many rounds."""
        factor = np.where(now, curvature / np.maximum(row_dots(change, Hy), 1e-300), 1.0).clip(1e-3, 1e3)
        self.H *= factor[:, None, None]
        Hy *= factor[:, None]
        self.fresh &= ~now

    def reset(self, stuck: NDArray[np.bool_]) -> None:
        """Back to the first metric, for starts whose steps keep being rejected."""
        if np.count_nonzero(stuck):
            self.H[stuck], self.fresh[stuck], self.length[stuck] = self.metric, True, 1.0

    def aim(self) -> None:
        """The quasi-Newton step in the free variables, those not pressed against their bound."""
        x, g = self.x, self.g
        pressed = np.minimum(np.maximum(x - g, self.lower), self.upper) == x
        if np.count_nonzero(pressed):
            g = np.where(pressed, 0.0, g)
        newton = (self.H @ g[:, :, None])[:, :, 0]
        if g is not self.g:
            newton[pressed] = 0.0
        self.predicted = 0.5 * row_dots(newton, g)
        over = np.maximum(np.abs(newton).max(axis=1, initial=0.0) / self.limits.longest, 1.0)
        self.stride = newton * (-self.length / over)[:, None]


_PER_START = (
    "rows", "lower", "upper", "x", "f", "g", "H", "fresh", "accepted", "rejected", "length", "stride", "predicted",
)  # fmt: skip


def _shrink(f: Array, slope: Array, f_new: Array) -> Array:
    """How much shorter the next step should be: its end is the minimum of the parabola through values and slope."""
    excess = f_new - f - slope
    usable = np.isfinite(excess) & (excess > 0.0)
    best = np.where(usable, -0.5 * slope / np.where(usable, excess, 1.0), 0.1)
    return np.minimum(np.maximum(best, 0.1), 0.5)
