"""The contenders by name. Packages of other optimisers are imported when one is made."""

from __future__ import annotations

from typing import Any, Final

from nonstop_bench.spaces.contender import Contender
from nonstop_bench.spaces.declared import Declared
from nonstop_bench.spaces.feasible import Feasible

OURS: Final = "nonstop"
NAMES: Final = (OURS, "optuna-tpe", "optuna-tpe-multivariate", "smac", "random")


def make(name: str, declared: Declared, seed: int) -> Contender[Any]:
    """A contender that has seen nothing yet."""
    if name == "random":
        return Feasible(declared, seed)
    if name == "smac":
        from nonstop_bench.spaces.smacs import Smacs

        return Smacs(declared, seed)
    if name.startswith("optuna-"):
        from nonstop_bench.spaces.optunas import Optunas

        return Optunas(declared, seed, "tpe" if name == "optuna-tpe" else "tpe-multivariate")
    if name == OURS:
        from nonstop_bench.spaces.own import Own

        return Own(declared, seed)
    raise ValueError(f"got the contender {name!r}, expected one of {', '.join(NAMES)}")
