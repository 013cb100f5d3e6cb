"""The inputs of PROTEUS that are searched, the settings that stay fixed, and the configuration file made of both.

A configuration is flat here: one TOML line for each setting, its tables named by dots. The fixed settings choose the
modules that need no data from outside (PROTEUS' own dummies, and the real CALLIOPE chemistry), and switch off what
writes files nobody reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import nonstop

#: Name of the parameter -> the settings it is for PROTEUS. Units: Earth masses, fraction of the radius, au, log10 units
#: around the iron-wüstite buffer, ppm of the mantle's mass, mass ratios, -, kg/s.
INPUTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mass": "planet.mass_tot",
        "core": "interior_struct.core_frac",
        "axis": "orbit.semimajoraxis",
        "redox": "outgas.fO2_shift_IW",
        "hydrogen": "planet.elements.H_budget",
        "carbon": "planet.elements.C_budget",
        "sulfur": "planet.elements.S_budget",
        "gamma": "atmos_clim.dummy.gamma",
        "escape": "escape.dummy.rate",
    }
)

#: Over these bounds every one of 32 Sobol points completed.
SPACE: Final = nonstop.Space(
    {
        "mass": nonstop.Float(0.7, 3.0),
        "core": nonstop.Float(0.3, 0.7),
        "axis": nonstop.Float(0.2, 1.5, log=True),
        "redox": nonstop.Float(-4.0, 4.0),
        "hydrogen": nonstop.Float(1e3, 2e4, log=True),
        "carbon": nonstop.Float(0.1, 4.0),
        "sulfur": nonstop.Float(0.1, 4.0),
        "gamma": nonstop.Float(0.3, 0.9),
        "escape": nonstop.Float(1e4, 3e6, log=True),
    }
)

FIXED: Final[Mapping[str, str | float | bool]] = MappingProxyType(
    {
        "config_version": "3.0",
        "params.out.logging": "WARNING",
        "params.out.plot_mod": "none",
        "params.out.archive_mod": "none",
        "params.out.write_mod": 0,
        "params.dt.initial": 1e2,
        "params.dt.minimum": 1e2,
        "params.dt.maximum": 3e7,
        "params.stop.iters.maximum": 2000,
        "params.stop.time.maximum": 1e9,
        "params.stop.solid.enabled": False,
        "params.stop.radeqm.enabled": False,
        "params.stop.escape.enabled": True,
        "params.stop.escape.p_stop": 1.0,
        "star.module": "dummy",
        "star.dummy.radius": 1.0,
        "star.dummy.Teff": 5772.0,
        "orbit.module": "none",
        "orbit.eccentricity": 0.0,
        "planet.temperature_mode": "adiabatic_from_cmb",
        "planet.tsurf_init": 3500.0,
        "planet.prevent_warming": True,  # without it, runs are eight times longer
        "planet.volatile_mode": "elements",
        "planet.elements.O_mode": "ic_chemistry",
        "planet.elements.H_mode": "ppmw",
        "planet.elements.C_mode": "C/H",
        "planet.elements.N_mode": "N/H",
        "planet.elements.N_budget": 0.1,
        "planet.elements.S_mode": "S/H",
        "interior_struct.module": "dummy",
        "interior_struct.core_frac_mode": "radius",
        "interior_energetics.module": "dummy",
        "interior_energetics.heat_tidal": False,
        "interior_energetics.dummy.mantle_tliq": 2700.0,
        "interior_energetics.dummy.mantle_tsol": 1700.0,
        "interior_energetics.dummy.mantle_cp": 1792.0,
        "outgas.module": "calliope",
        "atmos_clim.module": "dummy",
        "atmos_clim.surf_state": "fixed",
        "atmos_clim.rayleigh": False,
        "atmos_clim.albedo_pl": 0.1,
        "atmos_chem.module": "none",
        "escape.module": "dummy",
    }
)


def configuration(params: Mapping[str, object], output: Path) -> str:
    """The text of the configuration file for params of SPACE; results go to the folder `output`."""
    searched = {INPUTS[name]: value for name, value in SPACE.validate(params).items()}
    settings = {"params.out.path": str(output.resolve()), **FIXED, **searched}
    # Strings, finite numbers, true and false are written alike in JSON and in TOML.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in settings.items())
