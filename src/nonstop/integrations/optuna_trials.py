"""The trials of a study of Optuna as points of our cube, and what they record for each other.

Optuna stores the params of a trial one by one, when the objective asks for them. What others have to know is therefore
in its system attributes as soon as it is proposed: its params, and the hyperparameters from which the next fit starts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from zlib import crc32

import numpy as np

from nonstop.errors import MissingExtraError, SpaceError
from nonstop.space import Categorical, Float, Int, Parameter, Space
from nonstop.space.encoding import cube_of, decode, encode_many
from nonstop.space.partial import partial_point
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.types import Array

try:
    from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
    from optuna.study import Study
    from optuna.trial import FrozenTrial, TrialState
except ImportError as error:
    raise MissingExtraError("nonstop.integrations.optuna", "optuna") from error

#: By the number of the trial, Optuna's internal values in a search space; None where they are not known yet.
Running: TypeAlias = Mapping[int, Mapping[str, float] | None]

_KEY: Final = "nonstop:"  # of the system attributes
#: What trials are good for that have no value.
_GROUPS: Final = {TrialState.RUNNING: "busy", TrialState.FAIL: "failed", TrialState.PRUNED: "believed"}
_LONGEST: Final = 1000  # of a text in one of them: a database may cut at 2045, and Optuna's JSON may double the length


@dataclass(frozen=True, slots=True)
class Frame:
    """A search space of Optuna and ours, in which values are Optuna's internal ones: a choice is its place."""

    distributions: Mapping[str, BaseDistribution]
    #: Its parameters have places for names, because Optuna allows any.
    space: Space

    @classmethod
    def of(cls, search_space: Mapping[str, BaseDistribution]) -> Frame:
        """That of distributions for which there is a parameter."""
        parameters = {str(place): parameter_of(one) for place, one in enumerate(search_space.values())}
        return cls(dict(search_space), Space({name: one for name, one in parameters.items() if one is not None}))

    def values(self, trial: FrozenTrial) -> dict[str, float] | None:
        """The params of a trial that are in the search space; None if not all are known, or one is out of range."""
        whole = trial.state in (TrialState.COMPLETE, TrialState.PRUNED)  # what they did not ask for had no effect
        recorded = {} if whole else _recorded(trial).get("params", {})
        found = {}
        for name, distribution in self.distributions.items():
            given = _internal(distribution, trial.params[name]) if name in trial.params else recorded.get(name)
            if given is None or not distribution._contains(given):
                return None
            found[name] = given
        return found

    def fixed(self, trial: FrozenTrial) -> dict[str, float]:
        """The values that the trial was enqueued with, as far as they are in the search space."""
        given = trial.system_attrs.get("fixed_params", {})
        there = {name: one for name, one in self.distributions.items() if name in given}
        values = {name: _internal(one, given[name]) for name, one in there.items()}
        return {name: value for name, value in values.items() if value is not None and there[name]._contains(value)}

    def points(self, many: Sequence[Mapping[str, float]]) -> Array:
        """The points (n, dim) of the values of n trials."""
        return encode_many(self.space, [self._ours(values) for values in many])

    def partial(self, fixed: Mapping[str, float]) -> Array:
        """The point (dim,) of some values; NaN elsewhere."""
        return partial_point(self.space, self._ours(fixed))

    def internal(self, x: Array) -> dict[str, float]:
        """The values of a point."""
        decoded = decode(self.space, x).values()
        return {name: float(value) for name, value in zip(self.distributions, decoded, strict=True)}  # type: ignore[arg-type]

    def external(self, values: Mapping[str, float]) -> dict[str, Any]:
        """The values as the objective gets them: plain Python numbers, and choices."""
        return {name: one.to_external_repr(values[name]) for name, one in self.distributions.items()}

    def _ours(self, values: Mapping[str, float]) -> dict[str, float | int]:
        parameters = zip(self.space.items(), self.distributions, strict=True)
        return {
            place: values[name] if isinstance(parameter, Float) else int(values[name])
            for (place, parameter), name in parameters
            if name in values
        }


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What the trials of a study say about a search space, apart from one trial: points of the cube."""

    X: Array
    #: The outcomes (n, m) at X: the values, then the constraints by name.
    Y: Array
    #: What is wanted of each outcome.
    goals: tuple[str, ...]
    busy: Array
    failed: Array
    #: Trials that were pruned, or have no value for one of the constraints: they have no outcomes that could be
    #: compared with the others, so the models believe their own predictions there.
    believed: Array
    #: From where the fit of each outcome starts.
    warm: tuple[Hyperparameters, ...] | None
    #: The params of the other running trials.
    running: Running

    @classmethod
    def of(cls, study: Study, number: int, frame: Frame) -> Known:
        """What the storage holds now, in the order of the trials' numbers."""
        trials = [trial for trial in study.get_trials(deepcopy=False) if trial.number != number]
        # Each is looked at once: with Optuna's storage in memory, other threads change them meanwhile.
        seen = [(trial, trial.state, frame.values(trial)) for trial in trials]
        complete = [trial for trial, state, values in seen if state == TrialState.COMPLETE and values is not None]
        constraints = sorted({name for trial in complete for name in trial.constraints})
        compared = {t.number: t for t in complete if t.constraints.keys() == set(constraints)}
        groups: dict[str, list[Mapping[str, float]]] = {"data": [], "busy": [], "failed": [], "believed": []}
        for trial, state, values in seen:
            if values is not None and state != TrialState.WAITING:
                groups[_GROUPS.get(state, "data" if trial.number in compared else "believed")].append(values)
        X, busy, failed, believed = (frame.points(group) for group in groups.values())
        goals = *(direction.name.lower() for direction in study.directions), *(["<= 0.0"] * len(constraints))
        return cls(
            *(X, _outcomes(list(compared.values()), constraints, len(goals)), goals, busy, failed, believed),
            _newest_fit(trials, frame, len(goals)),
            {trial.number: values for trial, state, values in seen if state == TrialState.RUNNING},
        )

    @property
    def tried(self) -> Array:
        """All points."""
        return np.concatenate([self.X, self.busy, self.failed, self.believed])


def running_of(study: Study, number: int, frame: Frame) -> Running:
    """The params of all running trials but one."""
    running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    return {trial.number: frame.values(trial) for trial in running if trial.number != number}


def _outcomes(trials: Sequence[FrozenTrial], constraints: Sequence[str], columns: int) -> Array:
    """The outcomes (n, columns). A constraint may be infinite; a value that is makes the trial a failed one."""
    rows = [[*trial.values, *(trial.constraints[name] for name in constraints)] for trial in trials]
    Y = np.array(rows, dtype=np.float64).reshape(len(trials), columns)
    for column in Y.T[columns - len(constraints) :]:
        largest = np.abs(column[np.isfinite(column)]).max(initial=1.0)
        np.clip(column, -largest, largest, out=column)
    return Y


def _newest_fit(trials: Sequence[FrozenTrial], frame: Frame, outcomes: int) -> tuple[Hyperparameters, ...] | None:
    """What the newest trial recorded that was proposed by models of as many outcomes of the same params."""
    dim = cube_of(frame.space).dim
    for trial in reversed(trials):
        about = _recorded(trial)
        if about and about["params"].keys() == frame.distributions.keys() and len(about["fit"]) == outcomes:
            fits = tuple(Hyperparameters(tuple(scales), noise, n) for *scales, noise, n in about["fit"])
            return fits if all(len(fit.lengthscales) == dim for fit in fits) else None
    return None


def parameter_of(distribution: BaseDistribution) -> Parameter | None:
    """Our parameter for a distribution; None if our cube has no room for it: more than 2**40 values, for example."""
    try:
        if isinstance(distribution, CategoricalDistribution):
            return Categorical(range(len(distribution.choices)))
        if isinstance(distribution, IntDistribution):
            step = None if distribution.step == 1 else distribution.step
            return Int(distribution.low, distribution.high, distribution.log, step)
        return Float(distribution.low, distribution.high, distribution.log, distribution.step)
    except SpaceError:
        return None


def _internal(distribution: BaseDistribution, value: object) -> float | None:
    """Optuna's internal form of a value; None if it is of another distribution."""
    try:
        return float(distribution.to_internal_repr(value))
    except ValueError:
        return None


def record(study: Study, trial: FrozenTrial, params: Mapping[str, float], fits: Sequence[Hyperparameters] = ()) -> None:
    """Tell the other processes."""
    text = json.dumps({"params": params, "fit": [[*fit.lengthscales, fit.noise, fit.results] for fit in fits]})
    text = f"{crc32(text.encode()):08x}{text}"
    for start in range(0, len(text), _LONGEST):
        chunk = text[start : start + _LONGEST]
        study._storage.set_trial_system_attr(trial._trial_id, f"{_KEY}{start // _LONGEST}", chunk)


def _recorded(trial: FrozenTrial) -> dict[str, Any]:
    """What record() wrote; empty if there is nothing, or it is not complete yet. Chunks of an earlier and longer record
    may follow."""
    chunks: list[str] = []
    while (chunk := trial.system_attrs.get(f"{_KEY}{len(chunks)}")) is not None:
        chunks.append(chunk)
    text = "".join(chunks)
    try:
        about, end = json.JSONDecoder().raw_decode(text, 8)
    except ValueError:
        return {}
    complete = text[:8] == f"{crc32(text[8:end].encode()):08x}"
    return about if complete and isinstance(about, dict) else {}
