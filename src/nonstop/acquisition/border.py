"""A climb that ends on the border of the region, where the maximum often is.

A climb inside the region stops where it meets the border. From there this one goes on along the border, by sequential
quadratic programming. The region is only known by which points are feasible, and perhaps by one margin for all
constraints together. So a linear constraint, a *cut*, is put where a step was seen to cross the border: with the border
point, found by bisection, and the normal there. Several cuts are there at once in a corner; where the border is curved
they are dropped when the climb has moved on.

Symbols: k free columns; in units of the reach of each column, s (k,) a step, g (k,) the gradient, B (k, k) the
curvature, downwards; cuts N (c, k), p (c, k): N_i . (x - p_i) >= 0.
    maximise g . s - s'B s / 2    subject to the cuts, the cube, and the longest step
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.rule import Acquisition
from nonstop.space.cube import Cube
from nonstop.types import Array

Rows: TypeAlias = NDArray[np.intp]

_ROUNDS = 40
_LONGEST, _SHORTEST = 0.25, 1e-8  # of a step, in units of the reach
_PARTS, _STAGES = 17, 7  # a bisection in sixteen parts at once: its error is 16^-7 of the way
_DIFFERENCE = 1e-7  # step of the finite differences of a margin
_BEYOND = 1e-5  # with a margin: how far outside the normal is taken
_PROBE = 1e-6  # without a margin: how far behind the border the lines start that find its normal
_SAME = 0.9999  # the cosine of the angle between normals of the same constraint
_INSET = 1e-9  # how far inside of a cut to stay: a rounding error would lead out of the region
_NEAR = 2.0  # longest steps, from which on a cut is too far away to be relied on


def slide(
    acquisition: Acquisition, cube: Cube, x: Array, columns: NDArray[np.bool_], reach: Array, tolerance: float
) -> tuple[Array, float]:
    """Climb from the feasible x in these columns, along the border where it is met; the end and its value."""
    climb = _Climb.begin(acquisition, cube, x, np.flatnonzero(columns), reach)
    while climb.rounds < _ROUNDS and climb.radius > _SHORTEST and climb.step(tolerance):
        pass
    return climb.x, climb.value


@dataclass(slots=True, eq=False)
class _Climb:
    acquisition: Acquisition
    cube: Cube
    free: Rows
    reach: Array
    x: Array
    value: float
    g: Array
    B: Array
    N: Array
    p: Array
    radius: float = _LONGEST
    rounds: int = 0
    fresh: bool = field(default=True)

    @classmethod
    def begin(cls, acquisition: Acquisition, cube: Cube, x: Array, free: Rows, reach: Array) -> _Climb:
        value, gradient = acquisition.value_and_gradient(x[None])
        k, own = len(free), reach[free]
        g = np.nan_to_num(gradient[0, free]) * own
        B = np.eye(k) * max(float(np.linalg.norm(g)) / _LONGEST, 1e-12)
        return cls(acquisition, cube, free, own, x, float(value[0]), g, B, np.empty((0, k)), np.empty((0, k)))

    def step(self, tolerance: float) -> bool:
        """One step; False if there is nothing to be gained any more."""
        self.rounds += 1
        s = self._best_step()
        gain = float(self.g @ s - 0.5 * s @ self.B @ s)
        if gain < tolerance:
            # A cut of a curved border is right where it was made only.
            near = np.abs(self.p - self._at(self.x)).max(axis=1) <= 1e-3
            if near.all():
                return False
            self.N, self.p = self.N[near], self.p[near]
            return True
        trial = self._inside(self._moved(s))
        if trial is None:
            self.radius *= 0.5
            return True
        value, gradient = self.acquisition.value_and_gradient(trial[None])
        if not float(value[0]) > self.value:
            self.radius = min(self.radius, float(np.abs(s).max())) * 0.3
            return True
        self._accept(trial, float(value[0]), np.nan_to_num(gradient[0, self.free]) * self.reach)
        return True

    def _accept(self, x: Array, value: float, g: Array) -> None:
        s, y = self._at(x) - self._at(self.x), self.g - g
        self._learn(s, y)
        good = value - self.value > 0.25 * float(self.g @ s)
        self.radius = min(self.radius * (2.0 if good else 0.7), _LONGEST)
        self.x, self.value, self.g = x, value, g
        near = np.abs(self.p - self._at(x)).max(axis=1, initial=0.0) <= _NEAR * self.radius
        self.N, self.p = self.N[near], self.p[near]

    def _learn(self, s: Array, y: Array) -> None:
        """The BFGS update of the curvature, damped so that it stays positive (Powell 1978)."""
        Bs = self.B @ s
        sBs, sy = float(s @ Bs), float(s @ y)
        if sBs <= 1e-300:
            return
        if self.fresh and sy > 0.0:  # the scale was a guess
            self.B *= sy / sBs
            Bs, sBs, self.fresh = self.B @ s, sy, False
        theta = 1.0 if sy >= 0.2 * sBs else 0.8 * sBs / (sBs - sy)
        r = theta * y + (1.0 - theta) * Bs
        self.B += np.outer(r, r) / float(s @ r) - np.outer(Bs, Bs) / sBs

    def _best_step(self) -> Array:
        """The maximum of the quadratic model within the cuts, the cube and the longest step."""
        at = self._at(self.x)
        low, high = np.maximum(-at, -self.radius), np.minimum(1.0 / self.reach - at, self.radius)
        eye = np.eye(len(at))
        A = np.concatenate([self.N, eye, -eye])
        b = np.concatenate([_INSET - np.einsum("ij,ij->i", self.N, at - self.p), low, -high])
        # Rounding errors can take the smallest curvatures below zero, where a Cholesky factorisation would fail.
        curvatures, axes = np.linalg.eigh(self.B)
        root = axes / np.sqrt(np.maximum(curvatures, 0.0) + 1e-12 * np.trace(self.B))  # root root' is the inverse of B
        newton = root @ (root.T @ self.g)
        z = nearest_to_zero(A @ root, b - A @ newton)
        best: Array = np.clip(newton + root @ z, low, high)
        return best

    def _inside(self, trial: Array) -> Array | None:
        """The trial point if it is feasible; else the point of the border next to it, where a cut is added."""
        if self._holds(trial[None])[0]:
            return trial
        outside, inside = self._crossing(self.x, trial)
        self._cut(*(self._linearised(self._beyond(outside, trial)) or self._probed(inside, outside)))
        # Back into the region along the normals: back to where the step began would be no progress on a curved border.
        inward = nearest_to_zero(self.N, np.ones(len(self.N)))
        length = float(np.abs(inward).max())
        if length > 0.0:
            far = self._moved_from(trial, inward * (self.radius / length))
            for share in (1e-3, 1e-2, 0.1, 1.0):
                candidate = trial + share * (far - trial)
                if self._holds(candidate[None])[0]:
                    return self._crossing(candidate, trial)[1]
        return inside if np.abs(self._at(inside) - self._at(self.x)).max() > _SHORTEST else None

    def _beyond(self, outside: Array, trial: Array) -> Array:
        """A point a little farther outside: with the constraint that is violated clearly violated, and near enough for
        its normal to be that at the border."""
        length = float(np.abs(self._at(trial) - self._at(outside)).max())
        return outside + min(1.0, _BEYOND / max(length, 1e-300)) * (trial - outside)

    def _crossing(self, inside: Array, outside: Array) -> tuple[Array, Array]:
        """Two points on the line next to each other: one outside and one inside the region."""
        shares = np.linspace(0.0, 1.0, _PARTS)[:, None]
        for _ in range(_STAGES):
            line = inside + shares * (outside - inside)
            line[-1] = outside
            holds = self._holds(line)
            last = int(np.flatnonzero(holds[:-1])[-1]) if holds[:-1].any() else 0
            inside, outside = line[last], line[last + 1]
        return outside, inside

    def _cut(self, normal: Array, point: Array) -> None:
        other = self.N @ normal < _SAME  # a cut of the same direction is replaced
        self.N = np.concatenate([self.N[other], normal[None]])
        self.p = np.concatenate([self.p[other], point[None]])

    def _linearised(self, outside: Array) -> tuple[Array, Array] | None:
        """The normal of the margin at a point outside, by finite differences, and where the margin is zero if it is
        linear; None if there is no margin. Outside of the region it is the margin of a constraint that is violated, so
        that in a corner the constraints come one after the other."""
        k, at = len(self.free), self._at(outside)
        ends = self._points(at + _DIFFERENCE * np.concatenate([np.eye(k), -np.eye(k), np.zeros((1, k))]))
        margin = None if self.cube.region is None else self.cube.region.margin(self._rest(ends))
        if margin is None:
            return None
        apart = (ends[:k] - ends[k:-1])[np.arange(k), self.free] / self.reach  # shorter at the ends of the cube
        slope = (margin[:k] - margin[k:-1]) / apart
        size = float(slope @ slope)
        if not 0.0 < size < np.inf or not margin[-1] < 0.0:
            return None
        return slope / np.sqrt(size), at - float(margin[-1]) * slope / size

    def _probed(self, inside: Array, outside: Array) -> tuple[Array, Array]:
        """The normal at a point of the border, without a margin. From a point a little behind the border, how far it is
        to the border along each column: for a plane, the normal's components are the inverses."""
        back = self._at(inside) - self._at(outside)
        back = self._at(self.x) - self._at(outside) if not back.any() else back
        base = self._at(inside) + _PROBE * back / max(float(np.linalg.norm(back)), 1e-300)
        k = len(self.free)
        rays = np.concatenate([np.eye(k), -np.eye(k)])
        near, far = np.zeros(2 * k), np.full(2 * k, _PROBE * 256.0)  # the border is between them
        shares = np.concatenate([[0.0], np.geomspace(1.0 / 1024.0, 1.0, 21)])
        never = np.ones(2 * k, dtype=bool)
        for _ in range(4):
            lengths = near[:, None] + shares * (far - near)[:, None]
            ends = base + lengths[:, :, None] * rays[:, None, :]
            out = ~self._holds(self._points(ends.reshape(-1, k))).reshape(2 * k, -1)
            never &= ~out.any(axis=1)
            first = np.maximum(out.argmax(axis=1), 1)
            near, far = (np.take_along_axis(lengths, at[:, None], axis=1)[:, 0] for at in (first - 1, first))
            shares = np.linspace(0.0, 1.0, 9)
        slopes = np.where(never, 0.0, 1.0 / far)
        normal = slopes[k:] - slopes[:k] if not never.all() else back
        return normal / max(float(np.linalg.norm(normal)), 1e-300), self._at(inside)

    def _at(self, x: Array) -> Array:
        """The free columns in units of the reach."""
        at: Array = x[self.free] / self.reach
        return at

    def _points(self, at: Array) -> Array:
        """Points that differ from x in the free columns."""
        points = np.tile(self.x, (len(at), 1))
        points[:, self.free] = np.clip(at * self.reach, 0.0, 1.0)
        return points

    def _moved(self, s: Array) -> Array:
        return self._moved_from(self.x, s)

    def _moved_from(self, x: Array, s: Array) -> Array:
        moved: Array = self._points((self._at(x) + s)[None])[0]
        return moved

    def _rest(self, X: Array) -> Array:
        return self.cube.rest(np.clip(X, 0.0, 1.0))

    def _holds(self, X: Array) -> NDArray[np.bool_]:
        return self.cube.holds(self._rest(X))


def nearest_to_zero(A: Array, b: Array) -> Array:
    """The shortest z with A z >= b (Lawson and Hanson 1974, least distance programming); zero if there is none."""
    sizes = np.linalg.norm(A, axis=1)
    A, b, sizes = A[sizes > 0.0], b[sizes > 0.0], sizes[sizes > 0.0]
    distance = float((b / sizes).max(initial=0.0))  # of the farthest plane: the unit of length below
    if distance == 0.0:
        return np.zeros(A.shape[1])
    r = _residual(np.concatenate([A.T, b[None] / distance]) / np.hypot(sizes, b / distance))
    return -distance * r[:-1] / r[-1] if abs(r[-1]) > 1e-12 else np.zeros(A.shape[1])


def _residual(E: Array) -> Array:
    """E u - e for the u >= 0 that makes it shortest, where e is the last unit vector: non-negative least squares by
    active sets. SciPy's function raises an error where columns depend on each other, as in a corner with two cuts in
    nearly the same direction, and in some versions only; a least-squares solution of smallest norm is right there."""
    e = np.zeros(len(E))
    e[-1] = 1.0
    u = np.zeros(E.shape[1])
    active = np.zeros(len(u), dtype=bool)
    for _ in range(3 * len(u)):
        slopes = np.where(active, 0.0, E.T @ (e - E @ u))
        if slopes.max() <= 1e-14:
            break
        active[slopes.argmax()] = True
        while True:
            s = np.zeros(len(u))
            s[active] = np.linalg.lstsq(E[:, active], e)[0]
            falls = active & (s <= 0.0)
            if not falls.any():
                break
            u += (u[falls] / np.maximum(u[falls] - s[falls], 1e-300)).min() * (s - u)
            active &= ~falls | (u > 1e-15)
            u[~active] = 0.0
        u = s
    return E @ u - e
