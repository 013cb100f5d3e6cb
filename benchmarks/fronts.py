"""What the whole fronts of problems with several objectives dominate: the numbers `best` in nonstop_bench.outcomes.

python benchmarks/fronts.py                    # some seconds

zdt3, dtlz7   The front is the lower left of a known curve, here of two million points.
truss         Its third bar is best at its smallest for both objectives. In the others both are convex, so each point of
              the front minimises volume + weight * displacement, whose minimiser is a formula.
brake         More force stops sooner and weighs nothing, so it is the most that the constraints allow. For given radii
              and mass the number of surfaces follows. Left is the least time over the radii, on a grid; the numbers of
              two grids are extrapolated to 11.224.
"""

from __future__ import annotations

import numpy as np

from nonstop_bench.outcomes.catalogue import PROBLEMS
from nonstop_bench.records import Array

POINTS = 2_000_001


def curve(name: str) -> float:
    """First parameter along the curve, the others on the front."""
    problem = PROBLEMS[name]
    first = np.linspace(0.0, 1.0, POINTS)
    values = problem.function(np.column_stack([first, np.zeros((POINTS, problem.d - 1))]))
    return area(values, problem.reference)


def area(values: Array, reference: tuple[float, ...]) -> float:
    """What points of two objectives, sorted by the first, dominate."""
    inside = values[(values < reference).all(axis=1)]
    least = np.minimum.accumulate(inside[:, 1])
    widths = np.diff(np.append(inside[:, 0], reference[0]))
    return float(widths @ (reference[1] - least))


def truss() -> float:
    """By weight."""
    roots = np.sqrt(np.geomspace(0.25, 16.0, POINTS))
    small = np.full(POINTS, np.sqrt(2.0))
    bars = [np.clip(roots, 1.0, 3.0), np.clip(roots * small, small, 3.0), small, np.clip(roots * small, 1.0, 3.0)]
    problem = PROBLEMS["truss"]
    return area(problem.function(np.column_stack(bars)), problem.reference)


def brake(masses: int = 4001, radii: int = 401) -> float:
    """By mass."""
    problem = PROBLEMS["brake"]
    grid = np.meshgrid(np.linspace(55.0, 80.0, radii), np.linspace(75.0, 110.0, radii))
    inner, outer = (each.ravel() for each in grid)
    inner, outer = (each[outer - inner >= 20.0] for each in (inner, outer))
    square, cube = outer**2 - inner**2, outer**3 - inner**3
    force = np.minimum(3000.0, np.minimum(0.4 * 3.14 * square, square**2 / (2.22e-3 * cube)))
    found = []
    for mass in np.linspace(0.0, problem.reference[0], masses):
        surfaces = 1.0 + mass / (4.9e-5 * square)
        good = (surfaces >= 11.0) & (surfaces <= 20.0) & (2.66e-2 * force * surfaces * cube / square >= 900.0)
        if good.any():
            found.append((mass, float((9.82e6 * square / (force * surfaces * cube))[good].min())))
    return area(np.array(found), problem.reference)


if __name__ == "__main__":
    for name in ("zdt3", "dtlz7"):
        print(name, f"{curve(name):.6f}", flush=True)
    print("truss", f"{truss():.6f}", flush=True)
    print("brake", f"{brake():.6f}", f"{brake(2001, 201):.6f} on half the grid", flush=True)
