"""What a study is about, as one frozen value that every worker reads from the storage as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import DEFAULT_RULE, rule_of
from nonstop.errors import RuleError, StudyError
from nonstop.space import Space
from nonstop.space.encoding import cube_of
from nonstop.surrogate.model import DEFAULT_SURROGATE, Surrogate, surrogate_of
from nonstop.types import Direction


@dataclass(frozen=True, slots=True)
class Spec:
    """`initial` trials are quasi-random before the model speaks; the paper takes three for each parameter. A `noisy`
    objective may be evaluated twice at the same point of a discrete space. `command` is what started the study, for
    people who want to go on with it."""

    space: Space
    direction: Direction = "minimize"
    rule: str | Rule = DEFAULT_RULE
    surrogate: str | Surrogate = DEFAULT_SURROGATE
    seed: int = 0
    noisy: bool = False
    initial: int | None = None
    command: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.space, Space):
            raise StudyError(f"space must be a nonstop.Space, not {self.space!r}")
        if self.direction not in get_args(Direction):
            raise StudyError(f"direction must be 'minimize' or 'maximize', not {self.direction!r}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed < 2**63:
            raise StudyError(f"seed must be an integer from 0 to 2**63 - 1, not {self.seed!r}")
        if self.initial is not None and (not isinstance(self.initial, int) or self.initial < 0):
            raise StudyError(f"initial must be a number of trials >= 0, not {self.initial!r}")
        rule_of(self.rule)
        surrogate_of(self.surrogate)

    @property
    def sign(self) -> float:
        """propose() maximises: what to multiply values with."""
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def initial_trials(self) -> int:
        return 3 * cube_of(self.space).axes if self.initial is None else self.initial

    def to_json(self) -> dict[str, object]:
        """Rules and surrogates that are objects are stored by their repr: whoever loads the study passes them again."""
        return {
            "space": self.space.to_json(),
            "direction": self.direction,
            "rule": self.rule if isinstance(self.rule, str) else repr(self.rule),
            "surrogate": self.surrogate if isinstance(self.surrogate, str) else repr(self.surrogate),
            "seed": self.seed,
            "noisy": self.noisy,
            "initial": self.initial,
            "command": self.command,
        }

    @classmethod
    def from_json(
        cls, data: Mapping[str, object], rule: str | Rule | None = None, surrogate: str | Surrogate | None = None
    ) -> Spec:
        fields = dict(data)
        fields["space"] = Space.from_json(cast("Mapping[str, Any]", fields["space"]))
        if rule is not None:
            fields["rule"] = rule
        if surrogate is not None:
            fields["surrogate"] = surrogate
        return cls(**fields)  # type: ignore[arg-type]


def stand_ins(stored: Mapping[str, object]) -> dict[str, str]:
    """Names in the place of a rule or a surrogate that only its owner can make, for those who only look: a rule that
    needs no model, and the default surrogate."""
    found: dict[str, str] = {}
    try:
        rule_of(str(stored["rule"]))
    except RuleError:
        found["rule"] = "random"
    try:
        surrogate_of(str(stored["surrogate"]))
    except RuleError:
        found["surrogate"] = DEFAULT_SURROGATE
    return found
