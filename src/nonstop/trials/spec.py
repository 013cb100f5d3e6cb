"""The specification of a study: one frozen value that is stored as JSON, and that every worker reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, cast, get_args

from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import DEFAULT_RULE, rule_for, rule_of
from nonstop.arguments import flag, text, text_of, whole
from nonstop.errors import RuleError, StudyError, StudyMismatchError
from nonstop.outcomes.goals import Goals
from nonstop.space import Space
from nonstop.space.encoding import cube_of
from nonstop.surrogate.model import DEFAULT_SURROGATE, Surrogate, surrogate_of
from nonstop.types import Direction
from nonstop.wording import shown, visible


@dataclass(frozen=True, slots=True)
class Spec:
    """What every worker of a study must agree on."""

    #: What may be tried.
    space: Space
    #: Whether small or large values are better, if there is one objective.
    direction: Direction = "minimize"
    #: The acquisition rule: a name, names with + between them, or an object.
    rule: str | Rule = DEFAULT_RULE
    #: The model: a preset by name, or a Surrogate.
    surrogate: str | Surrogate = DEFAULT_SURROGATE
    #: The seed from which the seeds of all trials are derived.
    seed: int = 0
    #: Do two evaluations of the same point differ? Then a discrete space may try a point again.
    noisy: bool = False
    #: How many quasi-random trials come before the first that asks the model; None is three for each parameter that can
    #: be active at once, but at most a quarter of the budget.
    initial: int | None = None
    #: The command line that created the study, shown to people who want to resume it.
    command: str | None = None
    #: What is evaluated: "function MODULE:NAME" or "command TEMPLATE", without passwords (see
    #: nonstop.workers.stored); None if only the program knows that made the study.
    objective: str | None = None
    #: The directions of named objectives; None if there is one that is called the value.
    objectives: Mapping[str, Direction] | None = None
    #: What other outcomes have to be, such as "<= 8.0", by name; None if there are no constraints.
    constraints: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.space, Space):
            raise StudyError(f"space must be a nonstop.Space, not {shown(self.space)}")
        self.space.complete()  # or SpaceError: a constraint has a name that is nowhere
        if text_of(self.direction) not in get_args(Direction):
            raise StudyError(f"direction must be 'minimize' or 'maximize', not {shown(self.direction)}")
        goals = Goals.of(self.direction, self.objectives, self.constraints)
        rule_for(rule_of(self.rule), len(goals.objectives))
        surrogate_of(self.surrogate)
        plain: dict[str, object] = {
            "direction": "minimize" if goals.several else next(iter(goals.objectives.values())),
            "rule": text_of(self.rule) or self.rule,
            "surrogate": text_of(self.surrogate) or self.surrogate,
            "seed": whole("seed", self.seed, StudyError),
            "noisy": flag("noisy", self.noisy, StudyError),
            "initial": None if self.initial is None else whole("initial", self.initial, StudyError),
            "command": None if self.command is None else text("command", self.command, StudyError),
            "objective": None if self.objective is None else text("objective", self.objective, StudyError),
            "objectives": None if self.objectives is None else dict(goals.objectives),
            "constraints": {name: str(bound) for name, bound in goals.constraints.items()} or None,
        }
        for field, value in plain.items():
            object.__setattr__(self, field, value)

    @property
    def goals(self) -> Goals:
        """The objectives and constraints."""
        return Goals.of(self.direction, self.objectives, self.constraints)

    @property
    def sign(self) -> float:
        """1 if the only objective is maximised, -1 if it is minimised; StudyError if there are several."""
        return self.goals.sign

    @property
    def initial_trials(self) -> int:
        """How many quasi-random trials come before the first that asks the model, where no budget is too small."""
        return 3 * cube_of(self.space).most_active if self.initial is None else self.initial

    def initial_within(self, budget: int | None) -> int:
        """The same for a run that ends with so many results; None: nobody said how many."""
        if self.initial is not None or budget is None:
            return self.initial_trials
        return min(self.initial_trials, budget // 4)

    def to_json(self) -> dict[str, object]:
        """Plain JSON. A rule or surrogate that is an object, and a constraint that is a function, are stored as their
        repr: to load the study, pass them again."""
        # Earlier versions read what has none of these.
        later = {name: getattr(self, name) for name in _LATER if getattr(self, name) is not None}
        return {
            "space": self.space.to_json(),
            "direction": self.direction,
            "rule": _as_stored(self.rule),
            "surrogate": _as_stored(self.surrogate),
            "seed": self.seed,
            "noisy": self.noisy,
            "initial": self.initial,
            "command": self.command,
            **later,
        }

    @classmethod
    def from_json(
        cls,
        stored: Mapping[str, object],
        rule: str | Rule | None = None,
        surrogate: str | Surrogate | None = None,
        space: Space | None = None,
    ) -> Spec:
        """The spec that to_json() wrote; what is given takes the place of what is stored."""
        found = _known_fields(stored)
        found["space"] = space or Space.from_json(cast("Mapping[str, Any]", found["space"]))
        # What earlier versions accepted: 1 for True, True for 1.
        found["noisy"], found["initial"] = bool(found["noisy"]), _counted(found["initial"])
        if rule is not None:
            found["rule"] = rule
        if surrogate is not None:
            found["surrogate"] = surrogate
        return cls(**found)


def resumed_spec(name: str, stored: Mapping[str, object], given: Mapping[str, object]) -> Spec:
    """The spec of a study that exists. What is not given (missing, or None) is as stored. What is given must equal what
    is stored, because the study could not be replayed otherwise: StudyMismatchError names the field."""
    stored = _known_fields(stored)
    wanted = {field: value for field, value in given.items() if value is not None}
    if "direction" in wanted and goals_of(stored).several:
        named = ", ".join(goals_of(stored).objectives)
        raise StudyMismatchError(f"the study {name!r} has several objectives ({named}), and no direction of its own")
    for field, known in _BY_NAME.items():
        if field in wanted:
            known(wanted[field])  # or RuleError: it is nothing that a study could have been made with
    for field, value in wanted.items():
        was, now = _comparable(field, stored), _comparable(field, {**stored, field: _as_stored(value)})
        if was != now:
            raise StudyMismatchError(
                f"the study {name!r} was made with {field} = {_readable(stored[field])}, not {_readable(value)}: "
                "say the same or leave it out to go on, or choose another name"
            )
    for field, known in _BY_NAME.items():
        if field not in wanted and not _is_known(known, stored[field]):
            said = visible(str(stored[field]))
            raise StudyError(
                f"the study {name!r} was made with the {field} object {said}: pass it again, as {field}=..."
            )
    own = {field: wanted[field] for field in ("rule", "surrogate") if field in wanted}
    spec = Spec.from_json(stored, **own, space=_with_functions(name, stored, wanted))  # type: ignore[arg-type]
    # Stored may be None, and a number that is said holds whatever the budget.
    return replace(spec, initial=wanted["initial"]) if "initial" in wanted else spec  # type: ignore[arg-type]


def _with_functions(name: str, stored: Mapping[str, Any], wanted: Mapping[str, object]) -> Space | None:
    """The given space, if the stored one has constraints that are functions: only its user can make them again."""
    space = Space.from_json(stored["space"])
    if not space.functions:
        return None
    given = wanted.get("space")
    if not isinstance(given, Space):
        said = visible(str(space.functions[0]))
        raise StudyError(f"the study {name!r} was made with the constraint {said}: pass the space again, as space=...")
    if given.names != space.names:
        raise StudyMismatchError(f"the study {name!r} was made with the parameters {shown(space.names)} in this order")
    return given


def spec_for_viewing(stored: Mapping[str, object]) -> Spec:
    """The spec for reading a study without running it. A rule or surrogate that is an object, which only its user can
    make again, is replaced: by the rule "random", and by the default surrogate. A constraint that is a function is one
    that always holds."""
    stored = _known_fields(stored)
    rule = None if _is_known(rule_of, stored["rule"]) else "random"
    surrogate = None if _is_known(surrogate_of, stored["surrogate"]) else DEFAULT_SURROGATE
    return Spec.from_json(stored, rule, surrogate)


def goals_of(stored: Mapping[str, Any]) -> Goals:
    """The objectives and constraints of a stored specification, of a newer version too: whatever cannot be read is left
    out."""
    direction: Direction = "maximize" if stored.get("direction") == "maximize" else "minimize"
    try:
        return Goals.of(direction, stored.get("objectives"), stored.get("constraints"))
    except StudyError:
        return Goals.of(direction)


def has_objects(stored: Mapping[str, object]) -> bool:
    """Does the study have a rule, surrogate or constraint that is an object, which spec_for_viewing() replaces?"""
    stored = _known_fields(stored)
    known = _is_known(rule_of, stored["rule"]) and _is_known(surrogate_of, stored["surrogate"])
    return not known or bool(Space.from_json(stored["space"]).functions)


#: Fields that earlier versions do not know: stored only where there is something to store.
_LATER: Final = ("objective", "objectives", "constraints")
#: What is stored as text, and what finds it again.
_BY_NAME: Final[Mapping[str, Callable[[Any], object]]] = {"rule": rule_of, "surrogate": surrogate_of}


def _known_fields(stored: Mapping[str, object]) -> dict[str, Any]:
    """The stored fields; StudyError unless they are exactly those of a Spec."""
    if not isinstance(stored, Mapping):
        raise StudyError(f"the specification of the study is damaged: it is {shown(stored)}, and no table")
    # The oldest have no command.
    names, found = {field.name for field in fields(Spec)}, {"command": None, **dict.fromkeys(_LATER), **stored}
    unknown, missing = sorted(found.keys() - names), sorted(names - found.keys())
    if unknown:
        raise StudyError(f"the study was made by a newer version of nonstop: this one does not know {shown(unknown)}")
    if missing:
        raise StudyError(f"the specification of the study is damaged: it has no {shown(missing)}")
    for field in _BY_NAME:
        if text_of(found[field]) is None:
            raise StudyError(f"the specification of the study is damaged: its {field} is {shown(found[field])}")
    return found


def _counted(initial: object) -> object:
    return int(initial) if isinstance(initial, bool) else initial


def _is_known(find: Callable[[str], object], text: object) -> bool:
    try:
        find(str(text))
    except RuleError:
        return False
    return True


def _as_stored(value: object) -> object:
    if isinstance(value, Space):
        return value.to_json()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str | int | float):
        return value
    try:
        return repr(value)
    except Exception:  # a class of the user's own
        return object.__repr__(value)


def _comparable(field: str, stored: Mapping[str, object]) -> object:
    """What must be equal: for `initial` the number of trials; for objects their repr, without memory addresses."""
    if field == "initial" and stored[field] is None:
        space = Space.from_json(cast("Mapping[str, Any]", stored["space"]))
        return Spec(space).initial_trials
    return _without_addresses(stored[field])


def _without_addresses(value: object) -> object:
    if isinstance(value, str):
        return re.sub(r" at 0x[0-9a-fA-F]+", "", value)
    if isinstance(value, Mapping):
        return {key: _without_addresses(inner) for key, inner in value.items()}
    return [_without_addresses(inner) for inner in value] if isinstance(value, list) else value


def _readable(value: object) -> str:
    return value if isinstance(value, str) and value.isprintable() else shown(value)
