"""Rules by name."""

from __future__ import annotations

from functools import lru_cache

from nonstop.acquisition.adaptive import Adaptive
from nonstop.acquisition.aegis import Aegis
from nonstop.acquisition.believer import ConstantLiar, KrigingBeliever
from nonstop.acquisition.ehvi import EHVI
from nonstop.acquisition.expected import Expected
from nonstop.acquisition.penalized import Penalized
from nonstop.acquisition.rule import Chooser, Drawer, Rule, Score, is_rule
from nonstop.acquisition.standard import UCB, LogEI, Mean, Random, Uncertainty
from nonstop.acquisition.thompson import Thompson
from nonstop.acquisition.turns import Turns
from nonstop.arguments import text_of
from nonstop.errors import RuleError
from nonstop.wording import shown

RULES: dict[str, Rule] = {
    "ucb": UCB(),
    "logei": LogEI(),
    "mean": Mean(),
    "uncertainty": Uncertainty(),
    "random": Random(),
    "ts": Thompson(),
    "kb-ucb": KrigingBeliever(UCB()),
    "kb-logei": KrigingBeliever(LogEI()),
    "adaptive-ucb": Adaptive(UCB()),
    "adaptive-logei": Adaptive(LogEI()),
    "cl-min": ConstantLiar(LogEI(), lie="min"),
    "cl-mean": ConstantLiar(LogEI(), lie="mean"),
    "cl-max": ConstantLiar(LogEI(), lie="max"),
    "e-logei": Expected(LogEI()),
    "lp-ucb": Penalized(UCB()),
    "llp-ucb": Penalized(UCB(), local=True),
    "aegis": Aegis(),
    "ehvi": EHVI(),
}

_WORDS = {(1,): "one objective", (2, 3): "two or three objectives"}

#: The rule of a study that names none; docs/decisions/0014 has the evidence.
DEFAULT_RULE = "kb-ucb+kb-ucb+kb-logei"
#: The same with two or three objectives; docs/decisions/0018.
DEFAULT_OF_SEVERAL = "ehvi"
#: The same with more: a direction for each trial brings variety enough.
DEFAULT_OF_MANY = "kb-logei"


def default_rule(objectives: int) -> str:
    """The rule for so many objectives, if none is named."""
    if objectives == 1:
        return DEFAULT_RULE
    return DEFAULT_OF_SEVERAL if objectives in EHVI.objectives else DEFAULT_OF_MANY


def rule_of(rule: str | Rule) -> Rule:
    """The rule of that name; for several names with + between them, these rules in turns; an object with the method of
    a rule is returned as it is."""
    name = text_of(rule)
    if name is not None:
        return _named(name)
    if isinstance(rule, str) or not is_rule(rule, Score, Chooser, Drawer):
        raise RuleError(f"a rule is a name or an object with a method score(), choose() or draw(), not {shown(rule)}")
    return rule


@lru_cache(maxsize=32)
def _named(text: str) -> Rule:
    names = [name.strip() for name in text.split("+")]
    for name in names:
        if name not in RULES:
            raise RuleError(
                f"unknown rule {shown(name)}: use one of {', '.join(RULES)}, some of them with + between them, "
                "or an object with score(), choose() or draw()"
            )
    # Turns itself refuses rules that need no model, with a message that says so.
    return RULES[names[0]] if len(names) == 1 else Turns(tuple(RULES[name] for name in names))  # type: ignore[misc]


def rule_for(rule: Rule, objectives: int) -> Rule:
    """The rule, if it works with so many objectives. One that is made of others does if all of them do."""
    unfit = _unfit(rule, objectives)
    if unfit is not None:
        only = _numbers(unfit)
        name = next((name for name, known in RULES.items() if known == unfit), type(unfit).__name__)
        raise RuleError(
            f"the rule {name} works with {_WORDS.get(only, only)} only, not with {objectives}: "
            "use kb-ucb, kb-logei or ts"
        )
    return rule


def works_with(rule: Rule, objectives: int) -> bool:
    """Does the rule work with so many objectives?"""
    return _unfit(rule, objectives) is None


def _unfit(rule: Rule, objectives: int) -> Rule | None:
    """The part of the rule that does not work with so many objectives, or the rule itself."""
    several = getattr(rule, "rules", ())
    for part in (*(several if isinstance(several, tuple) else ()), getattr(rule, "inner", None)):
        unfit = None if part is None else _unfit(part, objectives)
        if unfit is not None:
            return unfit
    only = _numbers(rule)
    return rule if only and objectives not in only else None


def _numbers(rule: Rule) -> tuple[int, ...]:
    """With how many objectives the rule works; empty: with any number."""
    only = getattr(rule, "objectives", ())
    return only if isinstance(only, tuple) else (only,)
