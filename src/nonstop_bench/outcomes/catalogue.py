"""The problems by name."""

from __future__ import annotations

from collections.abc import Mapping

from nonstop_bench.outcomes.constrained import G4, G6, G24, GRAMACY, GRAMACY_NOISY
from nonstop_bench.outcomes.designs import PRESSURE_VESSEL, SPEED_REDUCER, WELDED_BEAM
from nonstop_bench.outcomes.fronts import DTLZ2_2, DTLZ2_3, DTLZ7, ZDT1, ZDT3
from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.outcomes.tradeoffs import BRAKE, TRUSS, VEHICLE

#: One objective and constraints.
CONSTRAINED: Mapping[str, Problem] = {
    problem.name: problem
    for problem in (GRAMACY, GRAMACY_NOISY, G4, G6, G24, WELDED_BEAM, PRESSURE_VESSEL, SPEED_REDUCER)
}
#: Several objectives.
SEVERAL: Mapping[str, Problem] = {
    problem.name: problem for problem in (ZDT1, ZDT3, DTLZ2_2, DTLZ2_3, DTLZ7, TRUSS, BRAKE, VEHICLE)
}
PROBLEMS: Mapping[str, Problem] = {**CONSTRAINED, **SEVERAL}
