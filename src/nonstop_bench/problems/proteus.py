"""PROTEUS (dummy + CALLIOPE), our nine inputs: find the initial planet whose evolution matches an observed one.

PROTEUS evolves a rocky planet for a thousand million years. The task is the inversion of that, as in the paper: a known
planet TRUTH was simulated once, its observables are OBSERVED, and the value of a point is how much its
simulation differs from them. The paper's own inputs and observables are not published; these are ours.

    misfit = sum over observables of min((1 - simulated / observed)^2, 1)

as in PROTEUS' own inference, with pressures, volume ratios and mean molar mass compared in log10. The bound of 1 is
ours: the logarithm of a volume ratio near one is near zero, so that a single gas that is absent would count a thousand
times more than all the rest. A planet that has lost its atmosphere is thereby a valid point with a finite misfit: every
observable of its atmosphere counts 1.

The least misfit, 0, is attained at TRUTH, but not only there: escape takes all elements alike, so that less hydrogen
with less escape ends as the same planet (escape 1e5 with hydrogen 3768.13: 5e-11).

    make proteus-env        makes the environment the program runs in
    make proteus            optimises it with two workers (docs/proteus.md)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nonstop import ObjectiveError
from nonstop_bench.problems.proteus_config import SPACE
from nonstop_bench.problems.proteus_run import run
from nonstop_bench.problems.task import BlackBox

#: The planet to be found. Its simulation ends with status 13 (the target time).
TRUTH: Final[Mapping[str, float]] = MappingProxyType(
    {
        "mass": 1.6,
        "core": 0.45,
        "axis": 0.45,
        "redox": 1.0,
        "hydrogen": 4e3,
        "carbon": 2.0,
        "sulfur": 1.2,
        "gamma": 0.7,
        "escape": 4e5,
    }
)

#: What PROTEUS 26.7.14 with CALLIOPE 26.7.3 (Python 3.11, NumPy 2.4.6, SciPy 1.17.1) makes of it: m, kg, K, K, bar,
#: kg/mol, and parts of the volume.
OBSERVED: Final[Mapping[str, float]] = MappingProxyType(
    {
        "R_obs": 7.6044288491e06,
        "M_planet": 9.7059618083e24,
        "T_surf": 1273.9857147,
        "T_eqm": 447.23605243,
        "P_surf": 24991.51258,
        "atm_kg_per_mol": 0.016626919476,
        "H2O_vmr": 0.22292551043,
        "CO2_vmr": 4.6897583784e-04,
        "H2_vmr": 0.14212225595,
        "CO_vmr": 5.6621557778e-04,
        "CH4_vmr": 0.50373429429,
        "N2_vmr": 4.9240756498e-03,
        "H2S_vmr": 0.11346482334,
    }
)

_VACUUM: Final = 1e-10  # bar; with less pressure there is no atmosphere
_TRACE: Final = 1e-20  # what is less counts as this much, so that it has a logarithm


def misfit(row: Mapping[str, float], observed: Mapping[str, float] = OBSERVED) -> float:
    """How much a row of PROTEUS' table differs from the observation: from 0 to the number of observables."""
    missing = [name for name in observed if name not in row]
    if missing:
        raise ObjectiveError(f"PROTEUS left a table without {', '.join(missing)}")
    # Without an atmosphere, PROTEUS leaves old values in some columns.
    bare = "P_surf" in row and row["P_surf"] < _VACUUM
    return math.fsum(
        1.0 if bare and _of_atmosphere(name) else _term(name, row[name], true) for name, true in observed.items()
    )


def proteus() -> BlackBox:
    """PROTEUS (dummy + CALLIOPE), our nine inputs; the optimum is 0. Needs the environment of `make proteus-env`."""
    return BlackBox("proteus", SPACE, lambda params: misfit(run(params).row), optimum=0.0)


def _of_atmosphere(name: str) -> bool:
    """Is it an observable of the atmosphere? They are the ones that are compared in log10."""
    return name in ("P_surf", "atm_kg_per_mol") or name.endswith(("_vmr", "_bar"))


def _term(name: str, simulated: float, true: float) -> float:
    if _of_atmosphere(name):
        simulated, true = (math.log10(max(value, _TRACE)) for value in (simulated, true))
    square = (1.0 - simulated / true) ** 2
    return min(square, 1.0) if math.isfinite(square) else 1.0
