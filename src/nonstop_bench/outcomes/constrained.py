"""Constrained problems of the literature on optimisation, with one objective.

gramacy   Gramacy et al. 2016: a linear objective, a wavy and a round constraint. With noise it is `gramacy-noisy`.
g4        Himmelblau's problem, of the suite of Michalewicz and Schoenauer 1996 (G4): half of the box is feasible. Its
          constraint u >= 0 holds everywhere in the box and is left out.
g6        G6 of that suite: a cubic objective in a sickle, one part in 15,000 of the box.
g24       G24 of CEC 2006: two quartic constraints leave two parts, and the better one ends in a cusp.

`worst`: the largest objective in the feasible region (gramacy: its largest on the round border; g4, g6 and g24: the
largest of millions of uniform points of the box or of a smaller one around the region, rounded up).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.records import Array


def gramacy(X: Array) -> Array:
    """Sum, and the two constraints."""
    a, b = X.T
    wavy = 1.5 - a - 2.0 * b - 0.5 * np.sin(2.0 * np.pi * (a**2 - 2.0 * b))
    return np.column_stack([a + b, wavy, a**2 + b**2 - 1.5])


GRAMACY = Problem(
    "gramacy",
    {"a": (0.0, 1.0), "b": (0.0, 1.0)},
    ("sum",),
    {"wavy": "<= 0.0", "round": "<= 0.0"},
    gramacy,
    best=0.599788052010,
    worst=3.0**0.5,
    optimizer=(0.195122688625, 0.404665363385),
)
#: Lagrange's multiplier of the active constraint is below 1, so no violation gains more than three times its size.
GRAMACY_NOISY = replace(GRAMACY, name="gramacy-noisy", noise=0.03, price=3.0)


def g4(X: Array) -> Array:
    """Himmelblau's formulas."""
    x1, x2, x3, x4, x5 = X.T
    cost = 5.3578547 * x3**2 + 0.8356891 * x1 * x5 + 37.293239 * x1 - 40792.141
    u = 85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5
    v = 80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3**2
    w = 9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4
    return np.column_stack([cost, u, v, v, w, w])


G4 = Problem(
    "g4",
    {"x1": (78.0, 102.0), "x2": (33.0, 45.0), "x3": (27.0, 45.0), "x4": (27.0, 45.0), "x5": (27.0, 45.0)},
    ("cost",),
    {"u": "<= 92.0", "v_low": ">= 90.0", "v_high": "<= 110.0", "w_low": ">= 20.0", "w_high": "<= 25.0"},
    g4,
    best=-30665.538671784,
    worst=-23000.0,
    optimizer=(78.0, 33.0, 29.995256025682, 45.0, 36.775812905788),
)


def g6(X: Array) -> Array:
    """Two cubes between two circles."""
    x1, x2 = X.T
    outside = 100.0 - (x1 - 5.0) ** 2 - (x2 - 5.0) ** 2
    inside = (x1 - 6.0) ** 2 + (x2 - 5.0) ** 2 - 82.81
    return np.column_stack([(x1 - 10.0) ** 3 + (x2 - 20.0) ** 3, outside, inside])


G6 = Problem(
    "g6",
    {"x1": (13.0, 100.0), "x2": (0.0, 100.0)},
    ("cost",),
    {"outside": "<= 0.0", "inside": "<= 0.0"},
    g6,
    best=-6961.813875580,
    worst=-1200.0,
    optimizer=(14.095, 0.842960789216),
)


def g24(X: Array) -> Array:
    """Two quartics."""
    a, b = X.T
    first = -2.0 * a**4 + 8.0 * a**3 - 8.0 * a**2 + b - 2.0
    second = -4.0 * a**4 + 32.0 * a**3 - 88.0 * a**2 + 96.0 * a + b - 36.0
    return np.column_stack([-a - b, first, second])


G24 = Problem(
    "g24",
    {"a": (0.0, 3.0), "b": (0.0, 4.0)},
    ("cost",),
    {"first": "<= 0.0", "second": "<= 0.0"},
    g24,
    best=-5.508013271595,
    worst=0.0,
    optimizer=(2.329520197477, 3.178493074118),
)
