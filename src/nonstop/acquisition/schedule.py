"""The exploration weight that the theory asks for (the paper's appendix B).

Symbols: j the number of the acquisition, from 1; d dimensions; a, b the constants of Assumption 8 of Kandasamy et al.
(2018), which bounds how steep functions of the prior are: P(sup |df/dx_i| > L) <= a exp(-(L/b)^2) for every i, L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nonstop.arguments import positive, whole
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
        positive("Schedule: a", self.a, RuleError)
        positive("Schedule: b", self.b, RuleError)
        whole("Schedule: workers", self.workers, RuleError, least=1)

    def at(self, results: int, d: int) -> float:
        """beta after so many results in d dimensions."""
        return theoretical_beta(results + self.workers, d, self.a, self.b)
