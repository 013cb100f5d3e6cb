"""SMAC through its own ask and tell, with the defaults of one of two facades.

"gp" is BlackBoxFacade: a Gaussian process and EI, fitted anew for every ask. "rf" is the facade for hyperparameters: a
random forest and log EI, fitted anew for every eighth ask, and every fifth point at random.

In SMAC, busy points are running configurations, which it does not suggest again; its models do not use them. The
initial data replace its initial design. A failed trial is told as CRASHED at the worst cost seen so far: SMAC's own
default for that, infinity, makes its models fail.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import ConfigSpace
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, Scenario
from smac.runhistory import StatusType, TrialInfo, TrialValue

from nonstop.space import Categorical, Float, Ordinal, Parameter, Space
from nonstop_bench.peers.optimizers.codes import coded, codes_of, decoded
from nonstop_bench.peers.optimizers.pending import Pending
from nonstop_bench.peers.quiet import quiet

Model: TypeAlias = Literal["gp", "rf"]

_FACADES = {"gp": BlackBoxFacade, "rf": HyperparameterOptimizationFacade}
_ENDLESS = 1_000_000  # the simulator ends the run


class Smac:
    """A facade without a target function."""

    def __init__(self, space: Space, seed: int, model: Model) -> None:
        logging.getLogger("smac").setLevel(logging.CRITICAL)
        folder = tempfile.mkdtemp(prefix="smac")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._space = space
        self._pending = Pending[Any](space)
        self._worst: float | None = None
        facade = _FACADES[model]
        with quiet():
            self._configurations = ConfigSpace.ConfigurationSpace(
                {name: _hyperparameter(name, parameter) for name, parameter in space.items()}, seed=seed
            )
            scenario = Scenario(
                self._configurations,
                deterministic=True,
                n_trials=_ENDLESS,
                seed=seed,
                output_directory=Path(folder),
            )
            self._smac = facade(
                scenario,
                lambda configuration, seed: 0.0,  # noqa: ARG005
                initial_design=facade.get_initial_design(scenario, n_configs=0),
                logging_level=False,
                overwrite=True,
            )

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:  # noqa: ARG002
        """The next params to evaluate."""
        with quiet():
            info = self._smac.ask()
        return self._pending.put(decoded(self._space, info.config), info)

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        info = self._pending.take(params) or TrialInfo(self._configuration(params), seed=0)
        if value is not None:
            self._worst = value if self._worst is None else max(self._worst, value)
        if self._worst is None:
            return
        status = StatusType.CRASHED if value is None else StatusType.SUCCESS
        with quiet():
            self._smac.tell(info, TrialValue(self._worst if value is None else value, status=status), save=False)

    def _configuration(self, params: Mapping[str, Any]) -> ConfigSpace.Configuration:
        return ConfigSpace.Configuration(self._configurations, values=coded(self._space, params))


def _hyperparameter(name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Categorical | Ordinal):
        return ConfigSpace.Categorical(name, codes_of(parameter))
    kind = ConfigSpace.Float if isinstance(parameter, Float) else ConfigSpace.Integer
    return kind(name, (parameter.low, parameter.high), log=parameter.log)
