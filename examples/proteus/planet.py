"""The real PROTEUS as the objective of study.toml: see docs/proteus.md.

Without the environment that `make proteus-env` makes, importing this fails: one clear error instead of a study full of
failed trials. Each evaluation is a process of its own and takes 10 to 30 seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from nonstop_bench.problems.proteus import proteus
from nonstop_bench.problems.proteus_run import environment

environment()
TASK = proteus()


def objective(params: Mapping[str, object]) -> float:
    """The misfit of the simulated planet."""
    return TASK.objective(params)
