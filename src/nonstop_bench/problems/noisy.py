"""Tasks with Gaussian noise in parts of their range: noise-10-hartmann-6 has a standard deviation of 10 % of it.

The range is that of the values at a thousand quasi-random points.
"""

from __future__ import annotations

import numpy as np

from nonstop.numerics.quasirandom import halton
from nonstop.space.encoding import cube_of, decode
from nonstop_bench.problems.task import BlackBox, Task


def with_noise(task: Task, percent: int) -> BlackBox:
    """The task with noise."""
    deviation = percent / 100.0 * spread(task)

    def noise(exact: float, rng: np.random.Generator) -> float:
        return exact + deviation * float(rng.standard_normal())

    name = f"noise-{percent}-{task.name}"
    return BlackBox(name, task.space, task.objective, task.optimum, task.duration, noise)


def spread(task: Task) -> float:
    """The range of the values at a thousand quasi-random points."""
    cube = cube_of(task.space)
    points = cube.spread(halton(1000, cube.axes, seed=0))
    values = [task.objective(decode(task.space, point)) for point in points]
    return max(values) - min(values)
