"""SMAC3 with a random forest (its facade for hyperparameters): conditions and forbidden clauses of ConfigSpace.

ConfigSpace can forbid values and relations of two parameters, but no formulas. Its classes of clauses can be derived
from, though, and here they are: one clause for each parameter, all of which forbid what the constraints forbid. So
SMAC never proposes such a point, and its local search knows them. ConfigSpace samples by rejection, a few points at a
time, which takes forever in a small region: here random configurations come from a pool of uniform points of the
region. Both is more than a user of SMAC gets without work of his own.

A number with steps is a whole number of steps, because ConfigSpace has none. Busy points are running configurations.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ConfigSpace
import numpy as np
from ConfigSpace.forbidden import ForbiddenClause
from smac import HyperparameterOptimizationFacade as Facade
from smac import Scenario
from smac.runhistory import StatusType, TrialInfo, TrialValue

from nonstop_bench.peers.quiet import quiet
from nonstop_bench.spaces.declared import Choice, Declared, Number, Parameter, Params

_ENDLESS = 1_000_000  # the race ends the run
_POOL = 20_000


class Smacs:
    """A facade without a target function."""

    def __init__(self, declared: Declared, seed: int) -> None:
        logging.getLogger("smac").setLevel(logging.CRITICAL)
        folder = tempfile.mkdtemp(prefix="smac")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._declared = declared
        self._worst = -np.inf
        with quiet():
            self._configurations = configurations(declared, seed)
            scenario = Scenario(
                self._configurations, deterministic=True, n_trials=_ENDLESS, seed=seed, output_directory=Path(folder)
            )
            model = Facade.get_model(scenario)
            # The same forest in a tenth of the time: no threads that wait for each other, and no room for a million
            # leaves in every tree where there are fewer than a hundred points.
            model._rf_opts |= {"n_jobs": 1, "max_leaf_nodes": 1024}
            self._smac = Facade(
                scenario,
                lambda configuration, seed: 0.0,  # noqa: ARG005
                initial_design=Facade.get_initial_design(scenario, n_configs=0),
                model=model,
                logging_level=False,
                overwrite=True,
            )

    def add(self, params: Params, value: float) -> None:
        """A finished configuration."""
        values = {name: _coded(self._declared.active(params)[name], each) for name, each in params.items()}
        self.tell(TrialInfo(ConfigSpace.Configuration(self._configurations, values=values), seed=0), value)

    def ask(self) -> tuple[Any, Params]:
        """The next configuration."""
        with quiet():
            info = self._smac.ask()
        return info, decoded(self._declared, dict(info.config))

    def tell(self, handle: Any, value: float | None) -> None:
        """A result; a lost one counts as the worst seen so far."""
        self._worst = max(self._worst, self._worst if value is None else value)
        status = StatusType.CRASHED if value is None else StatusType.SUCCESS
        with quiet():
            self._smac.tell(handle, TrialValue(self._worst if value is None else value, status=status), save=False)


def configurations(declared: Declared, seed: int) -> Any:
    """The space in ConfigSpace's words."""
    space = ConfigSpace.ConfigurationSpace(seed=seed) if declared.feasible is None else _Allowed(declared, seed)
    # ConfigSpace wants default values that its clauses do not forbid; SMAC uses them in initial designs only.
    default = {} if declared.feasible is None else declared.drawn(np.random.default_rng(0), 1)[0]
    made = {name: _hyperparameter(name, parameter, default.get(name)) for name, parameter, _ in declared.walk()}
    space.add(list(made.values()))
    space.add([ConfigSpace.EqualsCondition(made[n], made[up[0]], up[1]) for n, _, up in declared.walk() if up])
    if declared.feasible is not None:
        space.add([_Violates(name, made, declared) for name in made])
    return space


class _Allowed(ConfigSpace.ConfigurationSpace):  # type: ignore[misc]
    """A space whose random configurations come from a pool of uniform points of the region."""

    def __init__(self, declared: Declared, seed: int) -> None:
        super().__init__(seed=seed)
        self._declared = declared

    def sample_configuration(self, size: int | None = None) -> Any:
        pool = self._pool()
        rows = pool[self.random.randint(len(pool), size=size or 1)]
        sampled = [ConfigSpace.Configuration(self, vector=row.copy()) for row in rows]
        return sampled[0] if size is None else sampled

    def _pool(self) -> Any:
        where = self._declared.where
        if where not in _POOLS:
            drawn = self._declared.drawn(np.random.default_rng(0), _POOL)
            parameters = self._declared.parameters
            columns = [[_coded(parameters[name], params[name]) for params in drawn] for name in self]
            vectors = [self[name].to_vector(np.array(column)) for name, column in zip(self, columns, strict=True)]
            _POOLS[where] = np.column_stack(vectors)
        return _POOLS[where]

    def to_json(self, path: Any, **options: Any) -> None:
        super().to_json(path, encoders={_Violates: ("VIOLATES", lambda clause, _: clause.to_dict())}, **options)


#: Vectors of uniform points of a region, by its constraints. Made once: they stand in for a uniform distribution.
_POOLS: dict[tuple[str, ...], Any] = {}


class _Violates(ForbiddenClause):  # type: ignore[misc]
    """Forbids what the constraints forbid. There is one for each parameter, because that is how they are looked up."""

    def __init__(self, name: str, made: Mapping[str, Any], declared: Declared) -> None:
        super().__init__(made[name])
        self._made = made
        self._declared = declared
        self._columns: Mapping[str, int] = {}

    def set_vector_idx(self, hyperparameter_to_idx: Mapping[str, Any]) -> None:
        super().set_vector_idx(hyperparameter_to_idx)
        self._columns = dict(hyperparameter_to_idx)

    def is_forbidden_value(self, values: dict[str, Any]) -> bool:
        return not self._declared.allows(decoded(self._declared, values))

    def is_forbidden_vector(self, vector: Any) -> bool:
        values = {name: self._value(name, float(vector[column])) for name, column in self._columns.items()}
        return not self._declared.allows(values)

    def _value(self, name: str, u: float) -> Any:
        parameter = self._declared.parameters[name]
        assert isinstance(parameter, Number)
        if parameter.whole or parameter.step is not None or parameter.log:
            return _decoded(parameter, self._made[name].to_value(u))
        return parameter.low + u * (parameter.high - parameter.low)  # the same, and this is asked for very often

    def is_forbidden_vector_array(self, arr: Any) -> Any:
        return np.array([self.is_forbidden_vector(vector) for vector in arr.T], dtype=np.bool_)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Violates) and other.hyperparameter == self.hyperparameter

    def __copy__(self) -> _Violates:
        return _Violates(self.hyperparameter.name, self._made, self._declared)

    def __repr__(self) -> str:
        return f"Forbidden: {self.hyperparameter.name} unless {' and '.join(self._declared.where)}"

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.hyperparameter.name, "type": "VIOLATES", "where": list(self._declared.where)}


def decoded(declared: Declared, values: Mapping[str, Any]) -> dict[str, Any]:
    """Params from the values of a configuration, those of active parameters."""
    return declared.filled(lambda name, parameter: _decoded(parameter, values[name]))


def _decoded(parameter: Parameter, value: Any) -> Any:
    if isinstance(parameter, Choice):
        return str(value)
    if parameter.step is not None:
        return parameter.low + parameter.step * int(value)
    return int(value) if parameter.whole else min(max(float(value), parameter.low), parameter.high)


def _coded(parameter: Parameter, value: Any) -> Any:
    if isinstance(parameter, Number) and parameter.step is not None:
        return round((value - parameter.low) / parameter.step)
    return value


def _hyperparameter(name: str, parameter: Parameter, default: Any) -> Any:
    if isinstance(parameter, Choice):
        return ConfigSpace.Categorical(name, list(parameter.options))
    coded = None if default is None else _coded(parameter, default)
    if parameter.step is not None:
        return ConfigSpace.Integer(name, (0, parameter.steps), default=coded)
    if parameter.whole:
        return ConfigSpace.Integer(name, (int(parameter.low), int(parameter.high)), log=parameter.log, default=coded)
    return ConfigSpace.Float(name, (parameter.low, parameter.high), log=parameter.log, default=coded)
