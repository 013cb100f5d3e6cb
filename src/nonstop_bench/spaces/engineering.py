"""Designs of the engineering literature: bounds, constraints and best known designs as they are commonly cited.

Pressure vessel (Sandgren 1990; Kannan and Kramer 1994): the cost of material, forming and welding of a cylinder with
two hemispherical heads. Thicknesses of shell and head are multiples of 1/16 inch; the vessel must hold 1,296,000 cubic
inches and the thicknesses suffice for its radius. Best known: 6059.714335.

Spring (Arora 1989; Belegundu 1982): the weight of a coil spring under tension or compression, by the diameters of wire
and coil and the number of active coils, with limits on deflection, shear stress, surge frequency and outer diameter.
Best known: 0.012665.

Speed reducer (Golinski 1973): the weight of a gear box: face width, module of teeth, number of teeth of the pinion,
lengths and diameters of two shafts, with limits on the stresses of teeth and shafts and on deflections. Best known:
2994.4711.

The constraints are known formulas, so no design that violates them is ever evaluated.
"""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.spaces.declared import Declared, Number, Params
from nonstop_bench.spaces.task import SpaceTask

#: Cubic inches.
VOLUME = 1_296_000.0


def vessel_cost(p: Params) -> float:
    """Dollars, by thickness of shell and head, inner radius and length of the cylinder in inches."""
    shell, head, radius, length = p["shell"], p["head"], p["radius"], p["length"]
    return float(
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )


def _vessel_holds(p: Params) -> object:
    radius = p["radius"]
    thick = (p["shell"] >= 0.0193 * radius) & (p["head"] >= 0.00954 * radius)
    return thick & (math.pi * radius**2 * (p["length"] + 4.0 / 3.0 * radius) >= VOLUME)


VESSEL = SpaceTask(
    "pressure-vessel",
    Declared(
        {
            "shell": Number(0.0625, 6.1875, step=0.0625),
            "head": Number(0.0625, 6.1875, step=0.0625),
            "radius": Number(10.0, 200.0),
            "length": Number(10.0, 200.0),
        },
        where=(
            "shell >= 0.0193 * radius",
            "head >= 0.00954 * radius",
            f"{math.pi!r} * radius ** 2 * (length + 4 / 3 * radius) >= {VOLUME!r}",
        ),
        feasible=_vessel_holds,
    ),
    vessel_cost,
    optimum=6059.714335,
    optimizer={"shell": 0.8125, "head": 0.4375, "radius": 42.098445595854, "length": 176.636595842439},
)


def spring_weight(p: Params) -> float:
    """Up to the material: (coils + 2) times the coil's diameter times the square of the wire's."""
    return float((p["coils"] + 2.0) * p["coil"] * p["wire"] ** 2)


def _spring_holds(p: Params) -> object:
    wire, coil, coils = p["wire"], p["coil"], p["coils"]
    deflects = coil**3 * coils >= 71785.0 * wire**4
    stress = (4.0 * coil**2 - wire * coil) / (12566.0 * (coil * wire**3 - wire**4)) + 1.0 / (5108.0 * wire**2) <= 1.0
    surge = 140.45 * wire >= coil**2 * coils
    return deflects & stress & surge & (coil + wire <= 1.5)


SPRING = SpaceTask(
    "spring",
    Declared(
        {"wire": Number(0.05, 2.0), "coil": Number(0.25, 1.3), "coils": Number(2.0, 15.0)},
        where=(
            "coil ** 3 * coils >= 71785 * wire ** 4",
            "(4 * coil ** 2 - wire * coil) / (12566 * (coil * wire ** 3 - wire ** 4)) + 1 / (5108 * wire ** 2) <= 1",
            "140.45 * wire >= coil ** 2 * coils",
            "coil + wire <= 1.5",
        ),
        feasible=_spring_holds,
    ),
    spring_weight,
    optimum=0.01266523,
    optimizer={"wire": 0.051689061, "coil": 0.356717741, "coils": 11.288965},
)


def reducer_weight(p: Params) -> float:
    """The weight by x1 to x7 of the literature."""
    width, module, teeth = p["width"], p["module"], p["teeth"]
    l1, l2, d1, d2 = p["length1"], p["length2"], p["shaft1"], p["shaft2"]
    return float(
        0.7854 * width * module**2 * (3.3333 * teeth**2 + 14.9334 * teeth - 43.0934)
        - 1.508 * width * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    )


def _reducer_holds(p: Params) -> object:
    width, module, teeth = p["width"], p["module"], p["teeth"]
    l1, l2, d1, d2 = p["length1"], p["length2"], p["shaft1"], p["shaft2"]
    teeth_hold = (width * module**2 * teeth >= 27.0) & (width * module**2 * teeth**2 >= 397.5)
    stiff = (module * teeth * d1**4 >= 1.93 * l1**3) & (module * teeth * d2**4 >= 1.93 * l2**3)
    first = np.sqrt((745.0 * l1 / (module * teeth)) ** 2 + 16.9e6) <= 110.0 * d1**3
    second = np.sqrt((745.0 * l2 / (module * teeth)) ** 2 + 157.5e6) <= 85.0 * d2**3
    shape = (module * teeth <= 40.0) & (width >= 5.0 * module) & (width <= 12.0 * module)
    return teeth_hold & stiff & first & second & shape & (1.5 * d1 + 1.9 <= l1) & (1.1 * d2 + 1.9 <= l2)


REDUCER = SpaceTask(
    "speed-reducer",
    Declared(
        {
            "width": Number(2.6, 3.6),
            "module": Number(0.7, 0.8),
            "teeth": Number(17, 28, whole=True),
            "length1": Number(7.3, 8.3),
            "length2": Number(7.3, 8.3),
            "shaft1": Number(2.9, 3.9),
            "shaft2": Number(5.0, 5.5),
        },
        where=(
            "width * module ** 2 * teeth >= 27",
            "width * module ** 2 * teeth ** 2 >= 397.5",
            "module * teeth * shaft1 ** 4 >= 1.93 * length1 ** 3",
            "module * teeth * shaft2 ** 4 >= 1.93 * length2 ** 3",
            "sqrt((745 * length1 / (module * teeth)) ** 2 + 16.9e6) <= 110 * shaft1 ** 3",
            "sqrt((745 * length2 / (module * teeth)) ** 2 + 157.5e6) <= 85 * shaft2 ** 3",
            "module * teeth <= 40",
            "width >= 5 * module",
            "width <= 12 * module",
            "1.5 * shaft1 + 1.9 <= length1",
            "1.1 * shaft2 + 1.9 <= length2",
        ),
        feasible=_reducer_holds,
    ),
    reducer_weight,
    optimum=2994.4711,
    optimizer={
        "width": 3.5,
        "module": 0.7,
        "teeth": 17,
        "length1": 7.3,
        "length2": 7.715319911478,
        "shaft1": 3.350214666096,
        "shaft2": 5.286654464980,
    },
)
