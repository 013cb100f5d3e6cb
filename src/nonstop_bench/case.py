"""A case: one run of an experiment, said in plain values. It is the key of its result."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.surrogate.model import DEFAULT_SURROGATE
from nonstop_bench.simulate import Mode, Overhead

#: The optimiser that is ours, and the label of its default; the others are those of peers/.
OURS = "nonstop"


@dataclass(frozen=True, slots=True)
class Case:
    """Two cases are paired if they differ in rule, surrogate or optimizer only: then they share data and durations.

    The run ends at `horizon` virtual seconds or after `evaluations`, whichever is first. `duration` None: the task's
    own, or else half-normal. `window`: distances to recent queries look back window - 1 queries.
    """

    problem: str
    rule: str = "ucb"
    q: int = 8
    seed: int = 0
    horizon: float | None = 30.0
    evaluations: int | None = None
    mode: Mode = "asynchronous"
    duration: str | None = None
    overhead: Overhead = 0.0
    failure_rate: float = 0.0
    noise: float = 0.0
    surrogate: str = "paper"
    optimizer: str = OURS
    window: int | None = None

    def __post_init__(self) -> None:
        if self.horizon is None and self.evaluations is None:
            raise ValueError("a case needs a horizon, a number of evaluations, or both")

    @property
    def ends(self) -> float:
        """The virtual time at which the run ends; infinite if only evaluations are counted."""
        return math.inf if self.horizon is None else self.horizon

    @property
    def label(self) -> str:
        """What is compared: the name of the peer, the rule on the paper's surrogate, or rule@surrogate."""
        if self.optimizer != OURS:
            return self.optimizer
        if (self.rule, self.surrogate) == (DEFAULT_RULE, DEFAULT_SURROGATE):
            return OURS
        return self.rule if self.surrogate == "paper" else f"{self.rule}@{self.surrogate}"

    def by(self, label: str) -> Case:
        """The same case by another of ours."""
        if label == OURS:
            return replace(self, rule=DEFAULT_RULE, surrogate=DEFAULT_SURROGATE)
        rule, _, surrogate = label.partition("@")
        return replace(self, rule=rule, surrogate=surrogate or "paper")

    @property
    def looks_back(self) -> int:
        """How many queries before this one count as recent."""
        return (self.window or self.q) - 1


NAMES = tuple(field.name for field in fields(Case))
