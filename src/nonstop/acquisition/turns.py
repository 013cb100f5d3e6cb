"""Several rules in turns: none of them is best everywhere, and where one is caught the next gets it out."""

from __future__ import annotations

from dataclasses import dataclass

from nonstop.acquisition.rule import Choice, Chooser, Score, View
from nonstop.acquisition.scored import chosen_by
from nonstop.errors import RuleError


@dataclass(frozen=True, slots=True)
class Turns:
    """The rules one after the other, by the number of points known so far: `Turns((LogEI(), UCB()))`.

    Workers need no agreement on whose turn it is: each new trial is one point more for everybody.
    """

    rules: tuple[Score | Chooser, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.rules, tuple) or not self.rules:
            raise RuleError(f"Turns: rules must be a tuple of at least one rule, not {self.rules!r}")
        for rule in self.rules:
            if isinstance(rule, type) or not isinstance(rule, Score | Chooser):
                raise RuleError(f"Turns: a rule is an object with a method score() or choose(), not {rule!r}")

    def choose(self, view: View) -> Choice:
        known = len(view.gp.X) + len(view.busy)
        return chosen_by(self.rules[known % len(self.rules)], view)
