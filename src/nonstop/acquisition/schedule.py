"""The exploration weight that the theory asks for (the paper's appendix B).

Symbols: j the number of the acquisition, from 1; d dimensions; a, b the constants of Assumption 8 of Kandasamy et al.
(2018), which bounds how steep functions of the prior are: P(sup |df/dx_i| > L) <= a exp(-(L/b)^2) for every i, L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nonstop.errors import RuleError


def theoretical_beta(j: int, d: int, a: float = 1.0, b: float = 1.0) -> float:
    """4 (d + 1) log j + 2 d log(d a b sqrt(pi)), or 0 where that is negative."""
    return max(0.0, 4.0 * (d + 1) * math.log(j) + 2.0 * d * math.log(d * a * b * math.sqrt(math.pi)))


@dataclass(frozen=True, slots=True)
class Schedule:
    """A beta that grows with the number of results: `UCB(beta=Schedule())`.

    The j-th acquisition of q workers sees n = j - q results, so `workers` (q) is what to add to the results to get j.
    """

    a: float = 1.0
    b: float = 1.0
    workers: int = 1

    def __post_init__(self) -> None:
        if not (0.0 < self.a < math.inf and 0.0 < self.b < math.inf):
            raise RuleError(f"Schedule: a and b must be positive and finite, not {self.a!r} and {self.b!r}")
        if self.workers < 1:
            raise RuleError(f"Schedule: workers must be at least 1, not {self.workers!r}")

    def at(self, results: int, d: int) -> float:
        """beta after so many results in d dimensions."""
        return theoretical_beta(results + self.workers, d, self.a, self.b)
