"""The path from the paper's text to its published code: one switch more at every step.

The experiments are `walk/TASK/STEP`. A step runs the rules only that it changes; at_step() says where the runs of the
others are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from nonstop_bench.case import Case
from nonstop_bench.simulate import Overhead
from nonstop_bench.switches import AS_PUBLISHED, AS_TEXT, CHANGES, SWITCHES

#: The tasks of the paper's tables.
TASKS: Final = ("ackley-10-q8", "michalewicz-5-q16")
MODELLED: Final = ("ucb", "logei", "kb-ucb", "kb-logei", "ts", "e-logei", "lp-ucb", "llp-ucb", "aegis")


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
    yield Step("as-text", "the words of the paper", AS_TEXT, (*MODELLED, "random"))
    on: tuple[str, ...] = AS_TEXT
    for name in AS_PUBLISHED[len(AS_TEXT) :]:
        on = (*on, name)
        yield Step(name, SWITCHES[name], on, CHANGES.get(name, MODELLED))
    yield Step("as-published", "its code: suggestions cost the time they take", on, (*MODELLED, "random"), "measured")


STEPS: Final = tuple(_steps())


def at_step(task: str, step: str, rule: str) -> str:
    """The experiment that has the runs of a rule at a step: that of the step itself, or the last before it that changed
    the rule."""
    names = [each.name for each in STEPS]
    if step not in names or not any(rule in each.rules for each in STEPS):
        raise ValueError(f"steps are {', '.join(names)}, and rules {', '.join((*MODELLED, 'random'))}")
    passed = STEPS[: names.index(step) + 1]
    return f"walk/{task}/{[each.name for each in passed if rule in each.rules][-1]}"
