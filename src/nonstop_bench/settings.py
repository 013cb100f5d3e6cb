"""What the names in a case stand for, in full and as plain JSON: the rule, the surrogate and the numbers of the
maximiser with all their fields."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from nonstop import Surrogate
from nonstop.acquisition.maximize import EFFORT
from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import rule_of
from nonstop.surrogate.model import surrogate_of
from nonstop_bench.candidates import RULES, SURROGATES
from nonstop_bench.case import OURS, Case
from nonstop_bench.switches import checked, rule_with, surrogate_with


def settings_of(case: Case) -> dict[str, Any]:
    """The settings of a run by this case. Of another optimiser, only its name is known."""
    if case.optimizer != OURS:
        return {"optimizer": case.optimizer}
    return {
        "rule": plain(rule_of(rule_in(case))),
        "surrogate": plain(surrogate_in(case)),
        "warm": starts_warm(case),
        "maximizer": {name: plain(value) for name, value in EFFORT.items()},
    }


def rule_in(case: Case) -> str | Rule:
    """The rule that the case names, its switches considered."""
    return RULES.get(case.rule) or rule_with(case.rule, checked(case.switches))


def surrogate_in(case: Case) -> Surrogate:
    """The surrogate that the case names, its switches considered."""
    named = SURROGATES.get(case.surrogate) or surrogate_of(case.surrogate)
    return surrogate_with(named, checked(case.switches))


def starts_warm(case: Case) -> bool:
    """Does a fit start from the hyperparameters of the last one?"""
    return "cold" not in checked(case.switches)


def plain(value: Any) -> Any:
    """Objects with fields become mappings with the name of their class."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"is": type(value).__name__, **{each.name: plain(getattr(value, each.name)) for each in fields(value)}}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else type(value).__name__
