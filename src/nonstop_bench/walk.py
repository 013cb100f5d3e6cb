"""The path from the paper's text to its published code: one switch more at every step.

The experiments are `walk/TASK/STEP`. A step runs the rules only that it changes; at_step() says where the runs of the
others are. The first step of the standard rules is an experiment of its own, paper/TASK-unguarded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from nonstop_bench.case import Case
from nonstop_bench.simulate import Overhead
from nonstop_bench.switches import AS_PUBLISHED, CHANGES, SWITCHES

#: The tasks of the paper's tables.
TASKS: Final = ("ackley-10-q8", "michalewicz-5-q16")
_STANDARD: Final = ("ucb", "logei")
_OTHERS: Final = ("kb-ucb", "kb-logei", "ts", "e-logei", "lp-ucb", "llp-ucb", "aegis")
MODELLED: Final = (*_STANDARD, *_OTHERS)
WALKERS: Final = (*MODELLED, "random")


@dataclass(frozen=True, slots=True)
class Step:
    """A stop on the path."""

    name: str
    about: str
    switches: tuple[str, ...]
    #: The rules whose runs differ from those of the step before.
    rules: tuple[str, ...]
    overhead: Overhead = 0.0

    def of(self, case: Case) -> Case:
        """The case as it is at this step."""
        return replace(case, guard=False, switches="+".join(self.switches), overhead=self.overhead)


def _steps() -> Iterator[Step]:
    on: tuple[str, ...] = ()
    yield Step("as-text", "the words of the paper", on, (*_OTHERS, "random"))
    for name in AS_PUBLISHED:
        on = (*on, name)
        yield Step(name, SWITCHES[name], on, CHANGES.get(name, MODELLED))
    yield Step("as-published", "its code: suggestions cost the time they take", on, WALKERS, "measured")


STEPS: Final = tuple(_steps())


def at_step(task: str, step: str, rule: str) -> str:
    """The experiment that has the runs of a rule at a step: that of the step itself, or the last before it that changed
    the rule."""
    names = [each.name for each in STEPS]
    if step not in names or rule not in WALKERS:
        raise ValueError(f"steps are {', '.join(names)}, and rules {', '.join(WALKERS)}")
    passed = [each.name for each in STEPS[: names.index(step) + 1] if rule in each.rules]
    return f"walk/{task}/{passed[-1]}" if passed else f"paper/{task}-unguarded"
