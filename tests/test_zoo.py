"""The zoo: two thousand data sets that nobody would show to a Gaussian process on purpose.

Every one must give a finite, feasible point, without an exception and without a warning (pytest makes them errors).
A case is a pure function of its number, so `animal(1234)` shows what a failure looked like.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nonstop import Hyperparameters, Proposal, Surrogate, propose
from nonstop.acquisition.taken import APART
from nonstop.space.axes import Axis, Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.types import Array
from tests.helpers.rules import RULES

CASES = 2400
GROUPS = 48
STANDARD = ["ucb", "logei", "mean", "random"]

RNG = np.random.Generator


# Where the points lie: (rng, n, axes) -> U (n, axes), uniform coordinates before they are made feasible

PLACES: dict[str, Callable[[RNG, int, int], Array]] = {
    "random": lambda rng, n, d: rng.random((n, d)),
    "identical": lambda rng, n, d: np.tile(rng.random(d), (n, 1)),
    "corners": lambda rng, n, d: rng.integers(2, size=(n, d)).astype(float),
    "one corner": lambda rng, n, d: np.zeros((n, d)),  # noqa: ARG005
    "line": lambda rng, n, d: np.tile(rng.random((n, 1)), (1, d)),
    "plane": lambda rng, n, d: np.where(np.arange(d) < 2, rng.random((n, d)), 0.5),
    "doubled": lambda rng, n, d: np.repeat(rng.random((n // 2 + 1, d)), 2, axis=0)[:n],
    "nearly doubled": lambda rng, n, d: np.clip(
        np.repeat(rng.random((n // 2 + 1, d)), 2, axis=0)[:n] + 10.0 ** rng.uniform(-16, -4) * rng.normal(size=(n, d)),
        0,
        1,
    ),
    "cluster": lambda rng, n, d: np.clip(rng.random(d) + 10.0 ** rng.uniform(-12, -1) * rng.normal(size=(n, d)), 0, 1),
    "edges": lambda rng, n, d: np.round(rng.random((n, d)) * 2.0) / 2.0,
    "tiny": lambda rng, n, d: rng.random((n, d)) * 1e-300,
}


# What was measured there: (rng, X) -> y (n,)


def _outlier(rng: RNG, X: Array) -> Array:
    y: Array = X.sum(axis=1)
    y[rng.integers(len(y), size=min(len(y), 1))] = rng.choice([1e6, -1e6, 1e30, -1e300])
    return y


VALUES: dict[str, Callable[[RNG, Array], NDArray[np.floating]]] = {
    "hill": lambda rng, X: -np.square(X - rng.random(X.shape[1])).sum(axis=1),
    "linear": lambda rng, X: X @ rng.normal(size=X.shape[1]),
    "noise": lambda rng, X: rng.normal(size=len(X)),
    "constant": lambda rng, X: np.full(len(X), rng.choice([0.0, -0.0, 1.0, -3.3, 1e300, 1e-300, 5e-324, 1e16])),
    "almost constant": lambda rng, X: 1.0 + 1e-16 * rng.integers(4, size=len(X)),
    "steps": lambda rng, X: (X[:, 0] > rng.random()).astype(float),
    "spike": lambda rng, X: (np.arange(len(X)) == 0).astype(float) * rng.choice([1.0, -1.0]),
    "outlier": _outlier,
    "waves": lambda rng, X: np.sin(60.0 * X).sum(axis=1) + 0.01 * rng.normal(size=len(X)),
    "heavy": lambda rng, X: rng.standard_cauchy(size=len(X)) ** 3,
    "both signs of huge": lambda rng, X: rng.choice([-1.7e308, 1.7e308, 0.0], size=len(X)),
    "subnormal": lambda rng, X: rng.integers(-3, 4, size=len(X)) * 5e-324,
}


@dataclass(frozen=True)
class Animal:
    """The arguments of one call."""

    kind: str
    cube: Cube
    arguments: dict[str, Any]

    def propose(self) -> Proposal:
        return propose(**self.arguments)


def animal(number: int, n: int | None = None, d: int | None = None) -> Animal:
    rng = np.random.default_rng([2024, number])
    cube = _cube(rng, d)
    count = (
        int(rng.choice([0, 1, 2, 3, 5, 10, 30, 60], p=[0.03, 0.1, 0.1, 0.12, 0.2, 0.25, 0.15, 0.05]))
        if n is None
        else n
    )
    place, value = str(rng.choice(list(PLACES))), str(rng.choice(list(VALUES)))
    X = cube.spread(PLACES[place](rng, count, cube.axes))
    y = _rescaled(rng, VALUES[value](rng, X)) if count else np.empty(0)
    y, holes = _with_holes(rng, y)
    rule = str(rng.choice(STANDARD, p=[0.4, 0.4, 0.1, 0.1]))
    arguments: dict[str, Any] = {"X": X, "y": y, "rule": rule, "seed": int(rng.integers(2**62))}
    for name in ("busy", "believed", "avoid"):
        if rng.random() < 0.4:
            arguments[name] = _others(rng, cube, X)
    if not cube.is_continuous or rng.random() < 0.5:
        arguments["cube"] = cube
    arguments["noisy"] = bool(rng.random() < 0.2)
    arguments["surrogate"] = _surrogate(rng)
    if rng.random() < 0.3:
        lengthscales = np.exp(rng.normal(size=cube.dim) * 3.0)
        arguments["warm"] = Hyperparameters(tuple(lengthscales.tolist()), math.exp(rng.normal() * 4.0))
    return Animal(f"{place}/{value}/{holes}/n={count}/{cube.parts[:6]}", cube, arguments)


def _cube(rng: RNG, d: int | None) -> Cube:
    if d is not None or rng.random() < 0.6:
        chosen = rng.choice([1, 2, 3, 6, 10, 25, 50, 100], p=[0.2, 0.25, 0.2, 0.15, 0.12, 0.05, 0.02, 0.01])
        return Cube.continuous(int(chosen) if d is None else d)
    kinds: list[Axis] = [
        Continuous(),
        Levels(2),
        Levels(5),
        Levels(50, first=1),
        Levels(2**40),
        OneHot(2),
        OneHot(4),
        OneHot(1),
    ]
    if rng.random() < 0.5:  # discrete
        kinds = kinds[1:]
    return Cube(tuple(kinds[i] for i in rng.integers(len(kinds), size=int(rng.integers(1, 6)))))


def _rescaled(rng: RNG, y: NDArray[np.floating]) -> NDArray[np.floating]:
    """Another unit or another zero, where that stays finite."""
    what, largest = rng.random(), float(np.abs(y).max(initial=0.0))
    if largest > 1e10:
        return y
    if what < 0.3:
        return np.asarray(y * 10.0 ** rng.uniform(-300.0, 290.0))
    if what < 0.5:
        return np.asarray(y + rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(0.0, 16.0))
    return y


def _with_holes(rng: RNG, y: NDArray[np.floating]) -> tuple[NDArray[np.floating], str]:
    what = rng.random()
    if what < 0.03:
        return np.full(len(y), rng.choice([math.nan, math.inf, -math.inf])), "all missing"
    if what < 0.2:
        return np.where(rng.random(len(y)) < 0.3, rng.choice([math.nan, math.inf, -math.inf], size=len(y)), y), "holes"
    return y, "whole"


def _others(rng: RNG, cube: Cube, X: Array) -> Array:
    """Points that lie anywhere, on the data, next to them, or on top of each other."""
    anywhere = cube.spread(rng.random((int(rng.integers(1, 5)), cube.axes)))
    if not len(X) or rng.random() < 0.4:
        return np.repeat(anywhere, int(rng.integers(1, 3)), axis=0)
    on_data = X[rng.integers(len(X), size=3)]
    return np.concatenate([anywhere, on_data, cube.snap(on_data + 1e-9 * rng.normal(size=on_data.shape))])


def _surrogate(rng: RNG) -> Surrogate:
    """Mostly the paper's; sometimes Matérn, sometimes almost without noise."""
    what = rng.random()
    if what < 0.6:
        return Surrogate()
    return Surrogate(
        kernel="matern52" if what < 0.8 else "rbf",
        noise_bounds=(1e-4 if what < 0.7 else 10.0 ** rng.uniform(-12, -5), 1e1),
    )


def check(case: Animal) -> None:
    before = {name: value.copy() for name, value in case.arguments.items() if isinstance(value, np.ndarray)}
    proposal = case.propose()
    x = proposal.x
    assert x.shape == (case.cube.dim,), case
    assert np.isfinite(x).all(), case
    assert ((x >= 0.0) & (x <= 1.0)).all(), case
    assert np.array_equal(case.cube.snap(x[None])[0], x), case
    assert math.isfinite(proposal.mean), case
    assert math.isfinite(proposal.sd), case
    assert proposal.sd >= 0.0, case
    for name, value in before.items():
        assert np.array_equal(case.arguments[name], value, equal_nan=True), case


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_zoo(group: int) -> None:
    for number in range(group, CASES, GROUPS):
        case = animal(number)
        try:
            check(case)
        except Exception as error:
            error.add_note(f"animal({number}): {case.kind}")
            raise


@pytest.mark.parametrize("name", ["busy", "avoid"])
def test_in_the_whole_zoo_reserved_points_of_continuous_cubes_stay_reserved(name: str) -> None:
    for number in range(400):
        case = animal(number)
        if not case.cube.is_continuous or name not in case.arguments:
            continue
        x = case.propose().x
        assert np.abs(case.arguments[name] - x).max(axis=1).min() >= APART, f"animal({number}): {case.kind}"


@pytest.mark.parametrize("rule", sorted(set(RULES) - set(STANDARD)))
def test_every_other_rule_survives(rule: str) -> None:
    for number in range(CASES, CASES + 40):
        case = animal(number)
        if case.cube.dim <= 10:
            case.arguments["rule"] = rule
            try:
                check(case)
            except Exception as error:
                error.add_note(f"animal({number}) with {rule}: {case.kind}")
                raise


def test_the_same_animal_twice() -> None:
    for number in range(60):
        assert animal(number).propose().x.tobytes() == animal(number).propose().x.tobytes(), number


def test_the_zoo_has_every_kind() -> None:
    """The generator itself: nothing that it promises is missing."""
    kinds = [animal(number) for number in range(CASES)]
    text = "\n".join(case.kind for case in kinds)
    assert all(f"{place}/" in text for place in PLACES)
    assert all(f"/{value}/" in text for value in VALUES)
    assert all(f"/n={n}/" in text for n in (0, 1, 2, 3, 5, 10, 30, 60))
    assert "/holes/" in text
    assert "/all missing/" in text
    assert {case.arguments["rule"] for case in kinds} == set(STANDARD)
    assert max(case.cube.dim for case in kinds) == 100
    scales = [np.abs(case.arguments["y"]).max(initial=0.0, where=np.isfinite(case.arguments["y"])) for case in kinds]
    assert min(scale for scale in scales if scale > 0.0) < 1e-290
    assert max(scales) > 1e290
    for attribute in ("is_continuous", "is_discrete"):
        assert 200 < sum(getattr(case.cube, attribute) for case in kinds) < CASES - 200


LARGE = [(2000, 10, "ucb"), (500, 100, "logei"), (2500, 4, "ucb"), (300, 50, "mean")]


@pytest.mark.parametrize(("n", "d", "rule"), LARGE)
def test_large_ones(n: int, d: int, rule: str) -> None:
    rng = np.random.default_rng(n)
    X = rng.random((n, d))
    y = -np.square(X - 0.3).sum(axis=1) + 0.01 * rng.normal(size=n)
    arguments = {"X": X, "y": y, "rule": rule, "seed": 1, "busy": X[:3], "believed": rng.random((2, d))}
    check(Animal("large", Cube.continuous(d), arguments))


@pytest.mark.parametrize("place", ["identical", "doubled", "nearly doubled", "cluster", "corners", "line"])
def test_larger_degenerate_ones(place: str) -> None:
    """More than one level of the fit, all of it nearly singular."""
    rng = np.random.default_rng(7)
    X = PLACES[place](rng, 250, 4)
    for value in ("hill", "noise", "outlier"):
        arguments = {"X": X, "y": VALUES[value](rng, X), "rule": "logei"}
        check(Animal(f"{place}/{value}", Cube.continuous(4), arguments))
