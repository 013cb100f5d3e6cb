"""Engineering designs with several objectives, as Tanabe and Ishibuchi 2020 state them.

Vehicle (their RE3-5-4, Liao et al. 2008): mass, acceleration and intrusion of a car's front in a crash, by the
thicknesses of five sheets.

Truss (RE2-4-1, Cheng and Li 1999): volume and displacement of a truss with four bars, by their cross sections.

Brake (CRE2-4-2, Osyczka and Kundu 1995): mass and stopping time of a disc brake, by its radii, its force and the number
of its surfaces, with measured constraints on its size, pressure, temperature and torque.

The reference points are BoTorch's for the vehicle and the brake, and for the truss the nadir point of Tanabe and
Ishibuchi, rounded up. What the whole fronts dominate: for the vehicle that of their
approximate front, as BoTorch has it; the others are computed in benchmarks/fronts.py.
"""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.records import Array

_ROOT = math.sqrt(2.0)


def vehicle(X: Array) -> Array:
    """Mass, acceleration, intrusion."""
    a, b, c, d, e = X.T
    mass = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
    acceleration = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d + 0.0861 * a * e
    acceleration += 0.3628 * b * d - 0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2
    intrusion = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c - 0.0118 * b * d
    intrusion += -0.0204 * c * d - 0.008 * c * e - 0.0241 * b**2 + 0.0109 * d**2
    return np.column_stack([mass, acceleration, intrusion])


VEHICLE = Problem(
    "vehicle",
    {f"sheet{j}": (1.0, 3.0) for j in range(1, 6)},
    ("mass", "acceleration", "intrusion"),
    {},
    vehicle,
    best=246.8161,
    reference=(1864.72022, 11.81993945, 0.2903999384),
)


def truss(X: Array) -> Array:
    """Volume, displacement."""
    a, b, c, d = X.T
    volume = 200.0 * (2.0 * a + _ROOT * b + np.sqrt(c) + d)
    displacement = 10.0 * 200.0 / 2e5 * (2.0 / a + 2.0 * _ROOT / b - 2.0 * _ROOT / c + 2.0 / d)
    return np.column_stack([volume, displacement])


TRUSS = Problem(
    "truss",
    {"bar1": (1.0, 3.0), "bar2": (_ROOT, 3.0), "bar3": (_ROOT, 3.0), "bar4": (1.0, 3.0)},
    ("volume", "displacement"),
    {},
    truss,
    best=54.734360,
    reference=(3000.0, 0.045),
)


def brake(X: Array) -> Array:
    """Mass, stopping time, length, pressure, temperature, torque."""
    inner, outer, force, surfaces = X.T
    square, cube = outer**2 - inner**2, outer**3 - inner**3
    return np.column_stack(
        [
            4.9e-5 * square * (surfaces - 1.0),
            9.82e6 * square / (force * surfaces * cube),
            outer - inner,
            force / (3.14 * square),
            2.22e-3 * force * cube / square**2,
            2.66e-2 * force * surfaces * cube / square,
        ]
    )


BRAKE = Problem(
    "brake",
    {"inner": (55.0, 80.0), "outer": (75.0, 110.0), "force": (1000.0, 3000.0), "surfaces": (11.0, 20.0)},
    ("mass", "time"),
    {"length": ">= 20.0", "pressure": "<= 0.4", "temperature": "<= 1.0", "torque": ">= 900.0"},
    brake,
    best=11.224,
    reference=(5.7771, 3.9651),
)
