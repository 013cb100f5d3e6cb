"""Branin as an expensive function: two parameters, three equal minima of 0.397887, a quarter of a second each."""

from __future__ import annotations

import time
from collections.abc import Mapping

from nonstop_bench.problems.branin import BRANIN


def objective(params: Mapping[str, object]) -> float:
    """The value of Branin at params, after a quarter of a second."""
    time.sleep(0.25)
    return BRANIN.objective(params)
