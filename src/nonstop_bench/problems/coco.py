"""COCO's functions: bbob-f8-10 (Hansen et al. 2009), bbob-mixint-f8-10 (Tušar et al. 2019) and bbob-noisy-f107-10.

The number after f is COCO's. An instance shifts, rotates and tilts a function at random; the seed of a run chooses it,
so that ten seeds are ten places of the optimum. All optima are known. In bbob-mixint four fifths of the parameters are
integers with 2, 4, 8 and 16 values.

bbob-noisy is a function of bbob and a noise that depends on its height above the optimum. COCO only returns both
together; here bbob is asked and the noise is made by its formula, because regret is of exact values. A test compares
the two. Left out are f116 to f118 and f125 to f127, whose functions are scaled otherwise than in bbob, and the uniform
noise of f102, f105 and every third after them, of which COCO's draws are not quite as its formula has them.
"""

from __future__ import annotations

import contextlib
import math
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

import nonstop
from nonstop.errors import MissingExtraError
from nonstop_bench.problems.task import BlackBox

DIMS: Final = (2, 3, 5, 10, 20, 40)
NAME: Final = re.compile(r"(bbob|bbob-mixint|bbob-noisy)-f([1-9]\d{0,2})-([1-9]\d{0,2})")
#: The function of bbob behind each three of bbob-noisy: Gaussian, (uniform) and Cauchy noise.
BASES: Final = {101: 1, 104: 8, 107: 1, 110: 8, 113: 7, 119: 14, 122: 17, 128: 21}
#: From here on the noise is severe.
_SEVERE: Final = 107
#: Values nearer to the optimum's have no noise, and others are this much higher.
_EXACT, _OFFSET = 1e-8, 1.01e-8


def find(suite: str, function: int, dim: int, instance: int) -> BlackBox:
    """The task; ValueError if COCO has none of these numbers."""
    name = f"{suite}-f{function}-{dim}"
    if dim not in DIMS or (suite == "bbob-mixint" and dim < 5):
        raise ValueError(
            f"{name}: COCO has no {dim} dimensions there, only {', '.join(map(str, DIMS))} (mixint: from 5)"
        )
    if suite == "bbob-noisy":
        return _noisy(name, function, dim, instance)
    if not 1 <= function <= 24:
        raise ValueError(f"{name}: {suite} has the functions f1 to f24")
    return (_mixed if suite == "bbob-mixint" else _bare)(name, function, dim, instance)


def _bare(name: str, function: int, dim: int, instance: int) -> BlackBox:
    problem = _cocoex().BareProblem("bbob", function, dim, instance)
    space = nonstop.Space({f"x{j}": nonstop.Float(-5.0, 5.0) for j in range(1, dim + 1)})
    return BlackBox(name, space, _of_vector(problem), float(problem.best_value()))


def _noisy(name: str, function: int, dim: int, instance: int) -> BlackBox:
    first = function - (function - 101) % 3
    if first not in BASES or function == first + 1:
        known = [each for start in BASES for each in (start, start + 2)]
        raise ValueError(f"{name}: expected one of f{', f'.join(map(str, known))}")
    base = _bare(name, BASES[first], dim, instance)
    kind = gaussian if function == first else cauchy
    severe = function >= _SEVERE

    def noise(exact: float, rng: np.random.Generator) -> float:
        above = exact - base.optimum
        return base.optimum + (above if above < _EXACT else kind(above, severe, rng) + _OFFSET)

    return BlackBox(name, base.space, base.function, base.optimum, noise=noise)


def gaussian(value: float, severe: bool, rng: np.random.Generator) -> float:
    """f exp(beta N)"""
    return value * math.exp((1.0 if severe else 0.01) * rng.standard_normal())


def cauchy(value: float, severe: bool, rng: np.random.Generator) -> float:
    """f + alpha max(0, 1000 + [U < p] N1 / |N2|): rare and extreme."""
    alpha, share = (1.0, 0.2) if severe else (0.01, 0.05)
    hit = rng.random() < share
    first, second = rng.standard_normal(2)
    return float(value + alpha * max(0.0, 1000.0 + hit * first / (abs(second) + 1e-199)))


def _mixed(name: str, function: int, dim: int, instance: int) -> BlackBox:
    suite = _cocoex().Suite("bbob-mixint", f"instances:{instance}", f"dimensions:{dim} function_indices:{function}")
    problem = suite[0]  # the closure below keeps both: the problem is freed with its suite
    edges = list(zip(problem.lower_bounds.tolist(), problem.upper_bounds.tolist(), strict=True))
    whole = problem.number_of_integer_variables
    space = nonstop.Space(
        {
            f"n{j + 1}" if j < whole else f"x{j + 1}": nonstop.Int(round(low), round(high))
            if j < whole
            else nonstop.Float(low, high)
            for j, (low, high) in enumerate(edges)
        }
    )
    function_of = _of_vector(lambda x: problem(x) if suite else math.nan)
    return BlackBox(name, space, function_of, float(problem(_minimizer(problem))))


def _minimizer(problem: Any) -> Any:
    """COCO tells it in a file of the working directory only."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        problem._best_parameter("print")
        return np.loadtxt(Path("._bbob_problem_best_parameter.txt"))


def _of_vector(function: Callable[[Any], float]) -> Callable[[Mapping[str, object]], float]:
    return lambda params: float(function(np.array(list(params.values()), dtype=np.float64)))


def _cocoex() -> Any:
    try:
        import cocoex
    except ImportError as error:
        raise MissingExtraError("COCO's functions", "arena", "nonstop-bench") from error
    return cocoex
