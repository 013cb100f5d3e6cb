"""The arguments of a proposal, checked.

Symbols: n results with m outcomes each, d columns of the unit cube; X (n, d), Y (m, n), larger being better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from types import NoneType

import numpy as np
from numpy.typing import ArrayLike

from nonstop.acquisition.aim import Aim
from nonstop.acquisition.branches import neglected_branch
from nonstop.acquisition.rule import Choice
from nonstop.acquisition.taken import Taken, without
from nonstop.arguments import plain, whole_of
from nonstop.errors import DataError
from nonstop.space.cube import Cube
from nonstop.space.holding import held
from nonstop.types import Array
from nonstop.wording import shown

_ENTRIES = (Real, Decimal, NoneType)  # what an array of objects may hold; None is NaN


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """X and Y hold the results only whose outcomes are all finite; `ground` is the part of the cube to search, that of
    the fixed values; `taken` are the points that may not be proposed, unless `repeats`. A close-up (closeup.py) has
    some of the results, and the number of those `elsewhere`."""

    aim: Aim
    X: Array
    Y: Array
    busy: Array
    believed: Array
    avoid: Array
    failed: Array
    cube: Cube
    ground: Cube
    taken: Taken
    repeats: bool = False
    elsewhere: int = 0

    @classmethod
    def of(
        cls,
        aim: Aim | None,
        X: ArrayLike,
        y: ArrayLike,
        busy: ArrayLike | None,
        believed: ArrayLike | None,
        avoid: ArrayLike | None,
        failed: ArrayLike | None,
        cube: Cube | None,
        fixed: ArrayLike | None,
        noisy: bool,
    ) -> Data:
        points, values = _results(X, y, cube, aim)
        d = points.shape[1]
        cube = cube if cube is not None else Cube.continuous(d)
        ground = cube if fixed is None else held(cube, _partial(fixed, d))
        running, trusted = _points("busy", busy, d), _points("believed", believed, d)
        avoided, lost = _points("avoid", avoid, d), _points("failed", failed, d)
        usable = np.isfinite(values).all(axis=1)
        if not usable.all():
            lost = np.concatenate([lost, points[~usable]])
            points, values = points[usable], values[usable]
        taken = [running, avoided, lost, trusted]
        lost = without(lost, points)  # evaluated again there, and with a value: it is no point that fails
        if ground.is_discrete:  # a noisy objective is worth a second evaluation at the same point, a failure is not
            taken = taken[1:3] if noisy else [*taken, points]
        aim = aim or Aim.of(None)
        return cls(
            aim, points, aim.oriented(values), running, trusted, avoided, lost, cube, ground, Taken.of(taken, ground)
        )

    @property
    def results(self) -> int:
        """How many results there are."""
        return len(self.X) + self.elsewhere

    @property
    def known(self) -> Array:
        """All points, whatever became of them."""
        return np.concatenate([self.X, self.busy, self.believed, self.avoid, self.failed])

    def free(self, choice: Choice, rng: np.random.Generator) -> Choice:
        """The choice, or another one if its point is taken and may not be repeated."""
        return choice if self.repeats else self.taken.free(choice, rng)

    def exploring(self) -> Data:
        """The same, or only with a branch of the space that was neglected so far."""
        branch = neglected_branch(self.ground, self.known) if self.ground.is_conditional else None
        return self if branch is None else replace(self, ground=branch, taken=Taken.of([self.taken.points], branch))


def _results(X: ArrayLike, y: ArrayLike, cube: Cube | None, aim: Aim | None) -> tuple[Array, Array]:
    """X (n, d) and Y (n, m), which may hold values that are not finite. Without an aim, y is (n,) and m is 1."""
    values, given = _numbers("y", y), _numbers("X", X)
    if cube is not None and not isinstance(cube, Cube):
        raise DataError(f"cube must be a Cube, not {shown(cube)}")
    if aim is None and values.ndim != 1:
        raise DataError(f"y must be one-dimensional, not of shape {values.shape}; for several outcomes, give goals")
    m = 1 if aim is None else len(aim.goals)
    if aim is not None and values.size and (values.ndim != 2 or values.shape[1] != m):
        raise DataError(f"Y must be of shape (n, {m}), a column for each of the goals, not {values.shape}")
    values = values.reshape(-1, m)
    d = cube.dim if cube is not None else (given.shape[1] if given.ndim == 2 else 0)
    if d == 0 and cube is None:
        raise DataError(f"X must be of shape (n, d) with d >= 1, not {given.shape}")
    points = _points("X", given, d)
    if len(points) != len(values):
        raise DataError(f"X has {len(points)} rows but y has {len(values)} values")
    return points, values


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        array = np.asarray(given)
        # NumPy would take texts and dates for numbers.
        of_objects = array.dtype.kind == "O" and all(isinstance(plain(it), _ENTRIES) for it in array.flat)
        if array.dtype.kind not in "fiub" and not of_objects:
            raise DataError(f"{name} must be an array of numbers, not of {array.dtype}")
        with np.errstate(all="ignore"):  # a long double may be beyond the range of a double
            return np.asarray(array, dtype=np.float64, order="C")
    except DataError:
        raise
    except Exception as error:  # what the objects in it do
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{name} must be an array of numbers: {why}") from None


def _points(name: str, given: ArrayLike | None, d: int) -> Array:
    """An (n, d) array inside the unit cube; None is an empty one."""
    points = np.empty((0, d)) if given is None else _numbers(name, given)
    if points.size == 0:
        return np.empty((0 if d else len(points), d))
    if points.ndim != 2 or points.shape[1] != d:
        raise DataError(f"{name} must be of shape (n, {d}), not {points.shape}")
    if not (points.min() >= 0.0 and points.max() <= 1.0):  # true for NaN as well
        row = int(np.flatnonzero(~((points >= 0.0) & (points <= 1.0)).all(axis=1))[0])
        raise DataError(f"{name} must lie in [0, 1]: row {row} is {points[row].tolist()}")
    return points


def _partial(fixed: ArrayLike, d: int) -> Array:
    """A (d,) array of numbers in [0, 1], or NaN where nothing is fixed."""
    values = _numbers("fixed", fixed)
    if values.shape != (d,) or not ((values >= 0.0) & (values <= 1.0) | np.isnan(values)).all():
        raise DataError(f"fixed must be {d} numbers in [0, 1], or NaN where nothing is fixed, not {shown(fixed)}")
    return values


def checked_seed(seed: int) -> int:
    """The seed, an integer that is not negative."""
    number = whole_of(seed)
    if number is None or number < 0:
        raise DataError(f"seed must be an integer >= 0, not {shown(seed)}")
    return number
