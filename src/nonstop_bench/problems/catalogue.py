"""Problems by name."""

from __future__ import annotations

from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.hartmann import HARTMANN6
from nonstop_bench.problems.problem import Problem

PROBLEMS: dict[str, Problem] = {problem.name: problem for problem in (BRANIN, HARTMANN6)}
