"""Rules by name."""

from __future__ import annotations

from nonstop.acquisition.rule import Chooser, Rule, Score
from nonstop.acquisition.standard import UCB, LogEI, Mean, Random
from nonstop.errors import RuleError

RULES: dict[str, Rule] = {
    "ucb": UCB(),
    "logei": LogEI(),
    "mean": Mean(),
    "random": Random(),
}


def rule_of(rule: str | Rule) -> Rule:
    """A rule by name, or the object itself if it has the method of one."""
    if isinstance(rule, str):
        if rule not in RULES:
            raise RuleError(
                f"unknown rule {rule!r}: use one of {', '.join(RULES)}, or an object with score() or choose()"
            )
        return RULES[rule]
    if isinstance(rule, type) or not isinstance(rule, Score | Chooser):
        raise RuleError(f"a rule is a name or an object with a method score() or choose(), not {rule!r}")
    return rule
