"""Formulas of our own over conditional and constrained spaces, with minima that follow from how they are made.

branches   Three branches with 1, 2 and 3 parameters of different scales. `plain` is best on average and best at its
           centre, 0.6 at least; `pair` gets down to 0.3; `triple` is worst on average, and has the minimum, 0.
nested     Two choices beside a number: a filter (none, or one with a cutoff) and a model, one of which brings a choice
           of solvers, which bring parameters again. The minimum, 0, lies at the end of the deepest branch.
linear     Six parameters and one linear constraint that is active at the minimum: the logarithm of a weighted sum of
           squares around a point that the constraint forbids. The sum is least at the weighted projection, where it
           is (a·c - b)² / Σ a²/w.
tube       Four parameters in a curved tube, one part in 10,000 of the box. In coordinates along and across the tube the
           function is a sum of squares, so its minimum is known; in one of them it lies on the border.
knots      Four knots in order. The sum of the cubes of the steps of t² from 0 over the knots to 1 is least where all
           five steps are equal: 1/25.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nonstop_bench.spaces.declared import Choice, Declared, Number, Params, share
from nonstop_bench.spaces.task import SpaceTask

_RATE = Number(1e-4, 1.0, log=True)
_WIDTH = Number(1, 256, log=True, whole=True)
_ANGLE = Number(-10.0, 10.0)
_BRANCHES = Choice(
    {
        "plain": {"offset": Number(0.0, 100.0)},
        "pair": {"rate": _RATE, "angle": _ANGLE},
        "triple": {"decay": Number(1e-6, 1e-1, log=True), "width": _WIDTH, "mix": Number(0.0, 1.0)},
    }
)


def branches(p: Params) -> float:
    """At least 0.6, 0.3 and 0 in the three branches, and worse on average the lower that is."""
    if p["kind"] == "plain":
        return 0.6 + 0.3 * float(p["offset"] / 100.0 - 0.5) ** 2
    if p["kind"] == "pair":
        u, v = share(_RATE, p["rate"]) - 0.3, float(p["angle"]) / 20.0 - 0.1
        return 0.3 + 2.0 * (u + 0.5 * v) ** 2 + 1.5 * v**2
    decay, width = math.log10(p["decay"]) + 3.0, math.log2(p["width"]) - 6.0
    return math.log1p(0.8 * (decay - 0.25 * width) ** 2 + 0.2 * width**2 + 12.0 * (p["mix"] - 0.8) ** 2)


BRANCHES = SpaceTask(
    "branches",
    Declared({"kind": _BRANCHES}),
    branches,
    optimum=0.0,
    optimizer={"kind": "triple", "decay": 1e-3, "width": 64, "mix": 0.8},
)

_STEP = Number(1e-5, 1.0, log=True)
_PENALTY = Number(1e-4, 1e4, log=True)
_SOLVERS = Choice(
    {
        "direct": {},
        "descent": {"step": _STEP, "momentum": Number(0.0, 0.99)},
        "trust": {"radius": Number(0.1, 10.0, log=True)},
    }
)


def nested(p: Params) -> float:
    """The penalty, the filter and the branch add up; the best momentum depends on the step."""
    penalty = math.log10(p["penalty"]) - 1.0
    smoothing = 0.25 if p["filter"] == "none" else 4.0 * float(p["cutoff"] - 0.35) ** 2
    return 0.15 * penalty**2 + smoothing + _model(p)


def _model(p: Params) -> float:
    if p["model"] == "flat":
        return 0.4
    if p["model"] == "tree":
        return 0.25 + 0.05 * float(p["depth"] - 7) ** 2 / 9.0
    if p["solver"] == "direct":
        return 0.5
    if p["solver"] == "trust":
        return 0.3 + math.log10(p["radius"]) ** 2
    step = math.log10(p["step"]) + 3.0
    return 0.2 * step**2 + 3.0 * float(p["momentum"] - 0.7 + 0.1 * step) ** 2


NESTED = SpaceTask(
    "nested",
    Declared(
        {
            "penalty": _PENALTY,
            "filter": Choice({"none": {}, "smooth": {"cutoff": Number(0.0, 1.0)}}),
            "model": Choice(
                {"flat": {}, "tree": {"depth": Number(1, 20, whole=True)}, "iterative": {"solver": _SOLVERS}}
            ),
        }
    ),
    nested,
    optimum=0.0,
    optimizer={
        "penalty": 10.0,
        "filter": "smooth",
        "cutoff": 0.35,
        "model": "iterative",
        "solver": "descent",
        "step": 1e-3,
        "momentum": 0.7,
    },
)

_SLOPES = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])
_CENTRE = np.array([0.7, 0.8, 0.4, 0.7, 0.6, 0.5])
_WEIGHTS = np.array([1.0, 4.0, 2.0, 3.0, 1.0, 6.0])
_MOST = 4.5
_NAMES = tuple(f"x{j}" for j in range(1, 7))
_LEAST_SUM = float((_SLOPES @ _CENTRE - _MOST) ** 2 / (_SLOPES**2 / _WEIGHTS).sum())
_PROJECTED = _CENTRE - (_SLOPES @ _CENTRE - _MOST) / (_SLOPES**2 / _WEIGHTS).sum() * _SLOPES / _WEIGHTS


def linear(p: Params) -> float:
    """The logarithm of 1 + 10 times the weighted sum of squares."""
    x = np.array([p[name] for name in _NAMES])
    return math.log1p(10.0 * float(_WEIGHTS @ (x - _CENTRE) ** 2))


LINEAR = SpaceTask(
    "linear",
    Declared(
        dict.fromkeys(_NAMES, Number(0.0, 1.0)),
        where=(" + ".join(f"{a:g} * {name}" for a, name in zip(_SLOPES, _NAMES, strict=True)) + f" <= {_MOST:g}",),
        feasible=lambda p: sum(a * p[name] for a, name in zip(_SLOPES, _NAMES, strict=True)) <= _MOST,
    ),
    linear,
    optimum=math.log1p(10.0 * _LEAST_SUM),
    optimizer=dict(zip(_NAMES, map(float, _PROJECTED), strict=True)),
)

#: Half the width of the tube in each of the three directions across it; (2 * 0.023)³ is one part in 10,000.
_HALF = 0.023
_ALONG, _ACROSS, _ACROSS_WEIGHTS = 0.7, (0.5, -0.3, 2.0), (0.03, 0.03, 0.02)


def _deviations(p: Params) -> tuple[Any, Any, Any]:
    """Across the tube, from -1 to 1 inside."""
    x1, x2, x3, x4 = p["x1"], p["x2"], p["x3"], p["x4"]
    return (x2 - x1**2) / _HALF, (x3 - x1 * x2) / _HALF, (x4 - 0.9 + 0.6 * x1) / _HALF


def tube(p: Params) -> float:
    """Along the tube the minimum is at 0.7; across it inside, inside, and at the border towards 2."""
    terms = zip(_ACROSS_WEIGHTS, _deviations(p), _ACROSS, strict=True)
    return float((p["x1"] - _ALONG) ** 2 + sum(weight * (u - target) ** 2 for weight, u, target in terms))


def _tube_point() -> dict[str, float]:
    x1 = _ALONG
    x2 = x1**2 + _ACROSS[0] * _HALF
    x3 = x1 * x2 + _ACROSS[1] * _HALF
    return {"x1": x1, "x2": x2, "x3": x3, "x4": 0.9 - 0.6 * x1 + _HALF}


TUBE = SpaceTask(
    "tube",
    Declared(
        {f"x{j}": Number(0.0, 1.0) for j in range(1, 5)},
        where=(
            f"abs(x2 - x1 ** 2) <= {_HALF}",
            f"abs(x3 - x1 * x2) <= {_HALF}",
            f"abs(x4 - 0.9 + 0.6 * x1) <= {_HALF}",
        ),
        feasible=lambda p: np.all([np.abs(u) <= 1.0 for u in _deviations(p)], axis=0),
    ),
    tube,
    optimum=_ACROSS_WEIGHTS[2],
    optimizer=_tube_point(),
)


def knots(p: Params) -> float:
    """The sum of the cubes of the steps of t² between 0, the knots and 1."""
    steps = np.diff([0.0, *(p[name] ** 2 for name in ("t1", "t2", "t3", "t4")), 1.0])
    return float((steps**3).sum())


KNOTS = SpaceTask(
    "knots",
    Declared(
        {f"t{j}": Number(0.0, 1.0) for j in range(1, 5)},
        where=("t1 < t2", "t2 < t3", "t3 < t4"),
        feasible=lambda p: (p["t1"] < p["t2"]) & (p["t2"] < p["t3"]) & (p["t3"] < p["t4"]),
    ),
    knots,
    optimum=1.0 / 25.0,
    optimizer={f"t{j}": math.sqrt(j / 5.0) for j in range(1, 5)},
)
