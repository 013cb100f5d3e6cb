"""The specification of a study: one frozen value that is stored as JSON, and that every worker reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import DEFAULT_RULE, rule_of
from nonstop.errors import RuleError, StudyError, StudyMismatchError
from nonstop.space import Space
from nonstop.space.encoding import cube_of
from nonstop.surrogate.model import DEFAULT_SURROGATE, Surrogate, surrogate_of
from nonstop.types import Direction
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class Spec:
    """What every worker of a study must agree on."""

    #: What may be tried.
    space: Space
    #: Whether small or large values are better.
    direction: Direction = "minimize"
    #: The acquisition rule: a name, names with + between them, or an object.
    rule: str | Rule = DEFAULT_RULE
    #: The model: a preset by name, or a Surrogate.
    surrogate: str | Surrogate = DEFAULT_SURROGATE
    #: The seed from which the seeds of all trials are derived.
    seed: int = 0
    #: Do two evaluations of the same point differ? Then a discrete space may try a point again.
    noisy: bool = False
    #: How many quasi-random trials come before the first that asks the model; None is three for each parameter.
    initial: int | None = None
    #: The command line that created the study, shown to people who want to resume it.
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
        """The factor for values given to propose(), which maximises: 1 or -1."""
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def initial_trials(self) -> int:
        """How many quasi-random trials come before the first that asks the model."""
        return 3 * cube_of(self.space).axes if self.initial is None else self.initial

    def to_json(self) -> dict[str, object]:
        """Plain JSON. A rule or surrogate that is an object is stored as its repr: to load the study, pass it again."""
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
        cls, stored: Mapping[str, object], rule: str | Rule | None = None, surrogate: str | Surrogate | None = None
    ) -> Spec:
        """The spec that to_json() wrote; a rule or surrogate that is given takes the place of the stored text."""
        fields = dict(stored)
        fields["space"] = Space.from_json(cast("Mapping[str, Any]", fields["space"]))
        if rule is not None:
            fields["rule"] = rule
        if surrogate is not None:
            fields["surrogate"] = surrogate
        return cls(**fields)  # type: ignore[arg-type]


def resumed_spec(name: str, stored: Mapping[str, object], given: Mapping[str, object]) -> Spec:
    """The spec of a study that exists. What is not given (missing, or None) is as stored. What is given must equal what
    is stored, because the study could not be replayed otherwise: StudyMismatchError names the field."""
    wanted = {field: value for field, value in given.items() if value is not None}
    for field, value in wanted.items():
        was, now = _comparable(field, stored), _comparable(field, {**stored, field: _as_stored(value)})
        if was != now:
            raise StudyMismatchError(
                f"the study {name!r} was made with {field} = {_readable(stored[field])}, not {_readable(value)}: "
                "say the same or leave it out to go on, or choose another name"
            )
    for field, known in (("rule", rule_of), ("surrogate", surrogate_of)):
        if field not in wanted and not _is_known(known, stored[field]):
            raise StudyError(
                f"the study {name!r} was made with the {field} object {stored[field]}: pass it again, as {field}=..."
            )
    own = {field: wanted[field] for field in ("rule", "surrogate") if field in wanted}
    return Spec.from_json(stored, **own)  # type: ignore[arg-type]


def spec_for_viewing(stored: Mapping[str, object]) -> Spec:
    """The spec for reading a study without running it. A rule or surrogate that is an object, which only its user can
    make again, is replaced: by the rule "random", and by the default surrogate."""
    rule = None if _is_known(rule_of, stored["rule"]) else "random"
    surrogate = None if _is_known(surrogate_of, stored["surrogate"]) else DEFAULT_SURROGATE
    return Spec.from_json(stored, rule, surrogate)


def has_objects(stored: Mapping[str, object]) -> bool:
    """Does the study have a rule or surrogate that is an object, which spec_for_viewing() replaces?"""
    return not (_is_known(rule_of, stored["rule"]) and _is_known(surrogate_of, stored["surrogate"]))


def _is_known(find: Callable[[str], object], text: object) -> bool:
    try:
        find(str(text))
    except RuleError:
        return False
    return True


def _as_stored(value: object) -> object:
    if isinstance(value, Space):
        return value.to_json()
    return value if isinstance(value, str | int | float) else repr(value)


def _comparable(field: str, stored: Mapping[str, object]) -> object:
    """What must be equal: for `initial` the number of trials; for objects their repr, without memory addresses."""
    if field == "initial" and stored[field] is None:
        space = Space.from_json(cast("Mapping[str, Any]", stored["space"]))
        return Spec(space).initial_trials
    value = stored[field]
    return re.sub(r" at 0x[0-9a-fA-F]+", "", value) if isinstance(value, str) else value


def _readable(value: object) -> str:
    return shown(value) if not isinstance(value, str) else value
