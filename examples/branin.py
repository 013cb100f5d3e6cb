"""Branin as an expensive function: two parameters, three equal minima of 0.397887, a quarter of a second each."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping


def objective(params: Mapping[str, float]) -> float:
    """The value of Branin at params, after a quarter of a second."""
    time.sleep(0.25)
    x1, x2 = params["x1"], params["x2"]
    valley = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 10
