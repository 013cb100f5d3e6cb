"""Several rules in turns: no rule is best everywhere, and where one gets stuck another makes progress."""

from __future__ import annotations

from dataclasses import dataclass

from nonstop.acquisition.rule import Choice, Chooser, Score, View, is_rule, sees_close_ups
from nonstop.acquisition.scored import chosen_by
from nonstop.errors import RuleError
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class Turns:
    """One rule after the other, by the number of queries so far: `Turns((LogEI(), UCB()))`.

    Workers need not agree on whose turn it is: with each new trial, the number grows by one for all of them.
    """

    rules: tuple[Score | Chooser, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.rules, tuple) or not self.rules:
            raise RuleError(f"Turns: rules must be a tuple of at least one rule, not {shown(self.rules)}")
        for rule in self.rules:
            if not is_rule(rule, Score, Chooser):
                raise RuleError(f"Turns: a rule is an object with a method score() or choose(), not {shown(rule)}")

    @property
    def close_ups(self) -> bool:
        """May all of the rules be shown close-ups?"""
        return all(sees_close_ups(rule) for rule in self.rules)

    def choose(self, view: View) -> Choice:
        return chosen_by(self.rules[view.queries % len(self.rules)], view)
