"""A case: one run of an experiment, described by plain values. It identifies its result."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.surrogate.model import DEFAULT_SURROGATE
from nonstop_bench.simulate import Mode, Overhead

#: The name of our optimiser, and the label of its default; the other optimisers are in peers/.
OURS = "nonstop"


@dataclass(frozen=True, slots=True)
class Case:
    """Two cases are paired if they differ in rule, surrogate or optimizer only: then they share data and durations.

    The run ends at `horizon` or after `evaluations`, whichever is first.
    """

    #: The name of a task.
    problem: str
    rule: str = "ucb"
    #: The number of workers.
    q: int = 8
    seed: int = 0
    #: Virtual seconds after the initial data.
    horizon: float | None = 30.0
    #: The number of evaluations after the initial data.
    evaluations: int | None = None
    mode: Mode = "asynchronous"
    #: A model of durations by name; None: the task's own, or else half-normal.
    duration: str | None = None
    overhead: Overhead = 0.0
    failure_rate: float = 0.0
    #: The standard deviation of the noise on every value.
    noise: float = 0.0
    surrogate: str = "paper"
    #: OURS, or the name of a peer.
    optimizer: str = OURS
    #: Is a point that is busy already replaced by another, as in every study? Else the rule's own choice is evaluated.
    guard: bool = True
    #: Differences between the paper's text and its code, with + between them (switches.py).
    switches: str = ""
    #: Distances to recent queries go back window - 1 queries; None: q - 1.
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
        """The same case with the rule and surrogate of this label."""
        if label == OURS:
            return replace(self, rule=DEFAULT_RULE, surrogate=DEFAULT_SURROGATE)
        rule, _, surrogate = label.partition("@")
        return replace(self, rule=rule, surrogate=surrogate or "paper")

    @property
    def looks_back(self) -> int:
        """How many queries before this one count as recent."""
        return (self.window or self.q) - 1


NAMES = tuple(field.name for field in fields(Case))
