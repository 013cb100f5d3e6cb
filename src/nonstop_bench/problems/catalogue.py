"""Tasks by name: [shifted-|rotated-|border-]family[-dimension], gp-dimension-number, sparse-formula-dimension, a
function of COCO (bbob-f8-10) or a real task; noise-10- before any of them adds noise.

Real tasks live in modules that need extras and data; they are imported when asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import cast

from nonstop_bench.problems import coco, planar, rugged, valleys
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.embedded import make_embedded_branin, make_embedded_hartmann
from nonstop_bench.problems.family import ANY, Family
from nonstop_bench.problems.hartmann import make_hartmann
from nonstop_bench.problems.mixed import make_integer_rosenbrock, make_mixed_ackley
from nonstop_bench.problems.moved import VARIANTS, moved
from nonstop_bench.problems.noisy import with_noise
from nonstop_bench.problems.prior import make_gp
from nonstop_bench.problems.problem import Problem
from nonstop_bench.problems.shekel import SHEKEL
from nonstop_bench.problems.slope import make_slope
from nonstop_bench.problems.sparse import make_sparse
from nonstop_bench.problems.task import Task
from nonstop_bench.problems.toys import make_toy


def _single(problem: Problem, movable: bool = False) -> Family:
    return Family(problem.name, lambda _dim: problem, (problem.dim,), movable)


# Hartmann and Shekel may be moved because projecting a point onto their box brings it closer to all centers.
#: Every formula but the draws from a Gaussian process, which have a number too.
FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("ackley", rugged.make_ackley, movable=True),
        Family("levy", rugged.make_levy, movable=True),
        Family("rastrigin", rugged.make_rastrigin, movable=True),
        Family("griewank", rugged.make_griewank, movable=True),
        Family("styblinski-tang", rugged.make_styblinski_tang, movable=True),
        Family("cosine", rugged.make_cosine, movable=True),
        Family("michalewicz", rugged.make_michalewicz),
        Family("rosenbrock", valleys.make_rosenbrock, ANY[1:], movable=True),
        Family("log-rosenbrock", valleys.make_log_rosenbrock, ANY[1:], movable=True),
        Family("powell", valleys.make_powell, ANY[3::4], movable=True),
        Family("dixon-price", valleys.make_dixon_price, movable=True),
        Family("zakharov", valleys.make_zakharov, movable=True),
        Family("hartmann", make_hartmann, (3, 6), movable=True),
        Family("shekel", lambda _dim: SHEKEL, (4,), movable=True),
        Family("slope", make_slope),
        Family("toy", make_toy, (1, 2)),
        Family("embedded-branin", make_embedded_branin, ANY[1:]),
        Family("embedded-hartmann", make_embedded_hartmann, ANY[5:]),
        Family("mixed-ackley", make_mixed_ackley, ANY[2:]),
        Family("integer-rosenbrock", make_integer_rosenbrock, ANY[1:]),
        _single(BRANIN),
        _single(planar.EGG_HOLDER),
        _single(planar.SIXHUMP_CAMEL, movable=True),
        _single(planar.GOLDSTEIN_PRICE),
        _single(planar.LOG_GOLDSTEIN_PRICE),
        _single(planar.DROP_WAVE, movable=True),
        _single(planar.BUKIN, movable=True),
    )
}

#: Models on the data that come with scikit-learn, each a function of tuning.py.
TUNED = (
    "svm-digits",
    "knn-digits",
    "sgd-digits",
    "forest-diabetes",
    "svr-diabetes",
    "ard-diabetes",
    "pipeline-diabetes",
    "mlp-cancer",
    "boosting-cancer",
    "pipeline-cancer",
    "weights-wine",
)
#: name -> "module:function", a factory without arguments.
REAL: Mapping[str, str] = {
    "pest-control": "nonstop_bench.problems.pest:pest_control",
    "pest-control-categorical": "nonstop_bench.problems.pest:pest_control_categorical",
    "xgboost": "nonstop_bench.problems.xgboosted:full",
    "xgboost-300": "nonstop_bench.problems.xgboosted:bounded",
    "cnn": "nonstop_bench.problems.cnn:cifar10",
    "proteus-emulated": "nonstop_bench.problems.emulated:emulated",
    "proteus": "nonstop_bench.problems.proteus:proteus",
    **{f"tune-{name}": f"nonstop_bench.problems.tuning:{name.replace('-', '_')}" for name in TUNED},
}

#: dimension and number; the search for the minimum is the reason for the limit.
_DRAW = re.compile(r"gp-([1-9]\d?)-(0|[1-9]\d{0,5})")
_SPARSE = re.compile(r"sparse-(.+)-([1-9]\d{0,3})")
_NOISE = re.compile(r"noise-([1-9]\d?)-(.+)")
_NAME = re.compile(rf"(?:({'|'.join(VARIANTS)})-)?(.+?)(?:-([1-9]\d{{0,8}}))?")


def families() -> tuple[str, ...]:
    """How tasks may be called, for help texts."""
    others = ("gp-<d>-<k>", "sparse-<formula>-<d>", "bbob-f<k>-<d>", "bbob-mixint-f<k>-<d>", "bbob-noisy-f<k>-<d>")
    return (*(family.pattern for family in FAMILIES.values()), *others, *REAL)


def find(name: str, seed: int = 0) -> Task:
    """The task of that name, or ValueError. Of tasks with instances (COCO's, the sparse ones) the seed chooses one."""
    if noise := _NOISE.fullmatch(name):
        return with_noise(find(noise[2], seed), int(noise[1]))
    if parts := coco.NAME.fullmatch(name):
        return coco.find(parts[1], int(parts[2]), int(parts[3]), instance=1 + seed)
    if parts := _SPARSE.fullmatch(name):
        return make_sparse(parts[1], int(parts[2]), seed)
    if name in REAL:
        module, function = REAL[name].split(":")
        return cast(Task, getattr(import_module(module), function)())
    if draw := _DRAW.fullmatch(name):
        return make_gp(int(draw[1]), int(draw[2]))
    parts = _NAME.fullmatch(name)
    variant, key, dim = parts.groups() if parts else (None, name, None)
    if key not in FAMILIES:
        raise ValueError(_unknown(name, key))
    family = FAMILIES[key]
    problem = family.problem(int(dim) if dim else None)
    if variant is None:
        return problem
    if not family.movable or not isinstance(problem, Problem):
        able = ", ".join(other.name for other in FAMILIES.values() if other.movable)
        raise ValueError(f"{key} cannot be {variant}: its minimum is only known in its own box; these can: {able}")
    return moved(problem, variant)


def _unknown(name: str, key: str) -> str:
    near = get_close_matches(key, (*FAMILIES, "gp", *REAL), n=3)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    return (
        f"got the problem {name!r}{hint}, expected one of {', '.join(families())}; "
        f"formulas may be prefixed with {', '.join(f'{variant}-' for variant in VARIANTS)}"
    )
