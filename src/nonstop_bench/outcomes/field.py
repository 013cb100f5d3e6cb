"""The contenders by name. Packages of other optimisers are imported when one is made."""

from __future__ import annotations

from typing import Any, Final

from nonstop_bench.outcomes.contender import Contender
from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.outcomes.sequence import Sequence

OURS: Final = "nonstop"
NAMES: Final = (OURS, "botorch", "optuna-gp", "optuna-tpe", "optuna-nsga2", "random")


def entered(problem: Problem) -> tuple[str, ...]:
    """Who runs on a problem: NSGA-II only where there are several objectives."""
    return tuple(name for name in NAMES if len(problem.objectives) > 1 or name != "optuna-nsga2")


def make(name: str, problem: Problem, seed: int, start: int) -> Contender[Any]:
    """A contender that has seen nothing yet, and will be told so many results of the start."""
    if name == "random":
        return Sequence(problem.d, seed)
    if name == "botorch":
        from nonstop_bench.outcomes.botorches import Botorches

        return Botorches(problem, seed)
    if name.startswith("optuna-"):
        from nonstop_bench.outcomes.optunas import Optunas

        return Optunas(problem, seed, name.removeprefix("optuna-"), start)
    if name == OURS:
        from nonstop_bench.outcomes.own import Own

        return Own(problem, seed)
    raise ValueError(f"got the contender {name!r}, expected one of {', '.join(NAMES)}")
