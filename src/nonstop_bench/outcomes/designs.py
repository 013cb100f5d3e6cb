"""Constrained designs of the engineering literature, with one objective and constraints in their own units.

Welded beam (Ragsdell and Phillips 1976, in the form with seven constraints of Coello 2000): the cost of a beam and its
weld by their sizes in inches, with limits on stresses (psi), deflection (inches), buckling load (pounds) and shape.
Best known: 1.724852.

Speed reducer (Golinski 1973): the weight of a gear box, see nonstop_bench.spaces.engineering, where its constraints are
known formulas. Here they are measured, as ratios that must not exceed 1, and all seven parameters are continuous. Best
known: 2994.4711.

Pressure vessel (Kannan and Kramer 1994), all four parameters continuous. Best known: 5885.3328.

`worst`: the largest objective of two million uniform points that are feasible, rounded up.
"""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.records import Array

_LOAD, _LENGTH, _YOUNG, _SHEAR = 6000.0, 14.0, 30e6, 12e6


def welded_beam(X: Array) -> Array:
    """Cost, shear and bending stress, shape, cost of the weld's bar, size of the weld, deflection, buckling load."""
    weld, length, depth, width = X.T
    bar = 0.04811 * depth * width * (_LENGTH + length)
    buckling = 4.013 * _YOUNG * depth * width**3 / 6.0 / _LENGTH**2
    buckling *= 1.0 - depth / (2.0 * _LENGTH) * math.sqrt(_YOUNG / (4.0 * _SHEAR))
    return np.column_stack(
        [
            1.10471 * weld**2 * length + bar,
            shear_stress(weld, length, depth),
            6.0 * _LOAD * _LENGTH / (width * depth**2),
            weld - width,
            0.10471 * weld**2 + bar,
            weld,
            4.0 * _LOAD * _LENGTH**3 / (_YOUNG * depth**3 * width),
            buckling,
        ]
    )


def shear_stress(weld: Array, length: Array, depth: Array) -> Array:
    """Of the weld, in psi."""
    half = (weld + depth) / 2.0
    area = math.sqrt(2.0) * weld * length
    radius = np.sqrt(length**2 / 4.0 + half**2)
    first = _LOAD / area
    second = _LOAD * (_LENGTH + length / 2.0) * radius / (2.0 * area * (length**2 / 12.0 + half**2))
    return np.asarray(np.sqrt(first**2 + first * second * length / radius + second**2))


WELDED_BEAM = Problem(
    "welded-beam",
    {"weld": (0.1, 2.0), "length": (0.1, 10.0), "depth": (0.1, 10.0), "width": (0.1, 2.0)},
    ("cost",),
    {
        "shear": "<= 13600.0",
        "bending": "<= 30000.0",
        "shape": "<= 0.0",
        "bar": "<= 5.0",
        "size": ">= 0.125",
        "deflection": "<= 0.25",
        "buckling": ">= 6000.0",
    },
    welded_beam,
    best=1.724852308597,
    worst=20.0,
    optimizer=(0.205729639786, 3.470488665628, 9.036623910358, 0.205729639786),
)


def speed_reducer(X: Array) -> Array:
    """Weight, and eleven ratios."""
    width, module, teeth, l1, l2, d1, d2 = X.T
    weight = (
        0.7854 * width * module**2 * (3.3333 * teeth**2 + 14.9334 * teeth - 43.0934)
        - 1.508 * width * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    )
    ratios = [
        27.0 / (width * module**2 * teeth),
        397.5 / (width * module**2 * teeth**2),
        1.93 * l1**3 / (module * teeth * d1**4),
        1.93 * l2**3 / (module * teeth * d2**4),
        np.sqrt((745.0 * l1 / (module * teeth)) ** 2 + 16.9e6) / (110.0 * d1**3),
        np.sqrt((745.0 * l2 / (module * teeth)) ** 2 + 157.5e6) / (85.0 * d2**3),
        module * teeth / 40.0,
        5.0 * module / width,
        width / (12.0 * module),
        (1.5 * d1 + 1.9) / l1,
        (1.1 * d2 + 1.9) / l2,
    ]
    return np.column_stack([weight, *ratios])


SPEED_REDUCER = Problem(
    "speed-reducer",
    {
        "width": (2.6, 3.6),
        "module": (0.7, 0.8),
        "teeth": (17.0, 28.0),
        "length1": (7.3, 8.3),
        "length2": (7.3, 8.3),
        "shaft1": (2.9, 3.9),
        "shaft2": (5.0, 5.5),
    },
    ("weight",),
    dict.fromkeys(
        (
            "bending",
            "contact",
            "deflection1",
            "deflection2",
            "stress1",
            "stress2",
            "pitch",
            "narrow",
            "wide",
            "bearing1",
            "bearing2",
        ),
        "<= 1.0",
    ),
    speed_reducer,
    best=2994.471066147,
    worst=6000.0,
    optimizer=(3.5, 0.7, 17.0, 7.3, 7.715319911478, 3.350214666096, 5.286654464980),
)


def pressure_vessel(X: Array) -> Array:
    """Cost, thickness of shell and head beyond what the radius needs, volume in cubic inches."""
    shell, head, radius, length = X.T
    cost = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    cost += 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    volume = math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    return np.column_stack([cost, shell - 0.0193 * radius, head - 0.00954 * radius, volume])


PRESSURE_VESSEL = Problem(
    "pressure-vessel",
    {"shell": (0.0625, 6.1875), "head": (0.0625, 6.1875), "radius": (10.0, 200.0), "length": (10.0, 200.0)},
    ("cost",),
    {"shell_holds": ">= 0.0", "head_holds": ">= 0.0", "volume": ">= 1296000.0"},
    pressure_vessel,
    best=5885.332773616,
    worst=800000.0,
    optimizer=(0.778168641375, 0.384649162628, 40.319618724099, 200.0),
)
