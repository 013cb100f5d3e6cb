"""When is standard acquisition not sufficient? A designed experiment: six factors, crossed.

Every cell is a task and a way of running it; plain, believing and adaptive rules run on it with the same seeds. Of the
64 combinations of six factors the 32 with an even number of high levels are run, and the shape of the function, a
seventh factor, is high where an odd number of the first three are: a 2^(7-2) design of resolution IV. No effect of a
factor is mixed up with that of another, or with what two of them do together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from nonstop_bench.case import Case

NAME: Final = "designed"
#: The same cells with plain rules whose queries nothing replaces, also where they repeat a busy one.
BARE: Final = "designed-unguarded"
EVALUATIONS: Final = 40
SEEDS: Final = 20
#: The standard deviation of the noise, where there is some; the functions span about 1.
NOISE: Final = 0.02
RULES: Final = ("ucb", "kb-ucb", "adaptive-ucb", "logei", "kb-logei", "adaptive-logei")
PLAIN: Final = ("ucb", "logei")


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that may matter, with a low and a high level in words."""

    name: str
    low: str
    high: str


FACTORS: Final = (
    Factor("optimum", "inside", "vertex"),
    Factor("durations", "half-normal", "constant"),
    Factor("space", "continuous", "grid"),
    Factor("workers", "q = 3", "q = 20"),
    Factor("noise", "none", f"sd {NOISE:g}"),
    Factor("dimension", "d = 3", "d = 6"),
)
SHAPE: Final = Factor("function", "rippled", "funnel")


def case_of(levels: tuple[bool, ...]) -> Case:
    """The case of a cell: for each factor, is it high?"""
    vertex, constant, grid, many, noisy, wide = levels
    shape = SHAPE.high if sum(levels[:3]) % 2 else SHAPE.low
    return Case(
        f"{shape}-{'vertex' if vertex else 'inside'}{'-grid' if grid else ''}-{6 if wide else 3}",
        q=20 if many else 3,
        horizon=None,
        evaluations=EVALUATIONS,
        duration="constant" if constant else "half-normal",
        noise=NOISE if noisy else 0.0,
    )


def levels_of(case: Case) -> tuple[bool, ...]:
    """The levels of the factors in a case of this experiment: the inverse of case_of."""
    return (
        "-vertex-" in case.problem,
        case.duration == "constant",
        "-grid-" in case.problem,
        case.q > 3,
        case.noise > 0.0,
        case.problem.endswith("-6"),
    )


CELLS: Final = tuple(case_of(levels) for levels in product((False, True), repeat=len(FACTORS)) if sum(levels) % 2 == 0)
UNGUARDED: Final = tuple(replace(case, guard=False) for case in CELLS)
