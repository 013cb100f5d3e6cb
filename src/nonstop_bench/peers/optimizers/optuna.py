"""Optuna through its own ask and tell: busy points are RUNNING trials of the study, which its samplers use.

GPSampler then takes qLogEI instead of LogEI by itself; TPESampler needs constant_liar=True, which Optuna's manual
recommends for parallel studies. The space is given in Optuna's own distributions. Where there are initial data, neither
sampler has random startup trials of its own; everything else is as it comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from nonstop.space import Float, Int, Parameter, Space
from nonstop_bench.peers.optimizers.pending import Pending
from nonstop_bench.peers.quiet import quiet

Sampler: TypeAlias = Literal["gp", "tpe"]


class Optuna:
    """A study in memory with one of two samplers; a result is reported by the number of its trial."""

    def __init__(self, space: Space, seed: int, sampler: Sampler, startup: int = 1) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with quiet():
            self._study = optuna.create_study(direction="minimize", sampler=_sampler(sampler, seed, startup))
        self._distributions = {name: _distribution(parameter) for name, parameter in space.items()}
        self._pending = Pending[int](space)

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:
        """The next params to evaluate."""
        with quiet():
            for params in self._pending.strangers(busy):
                self._pending.put(params, self._add(params, state=TrialState.RUNNING))
            trial = self._study.ask(self._distributions)
        return self._pending.put(trial.params, trial.number)

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        number = self._pending.take(params)
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        if number is None:
            self._add(params, state=state, value=value)
        else:
            self._study.tell(number, value, state=state)

    def _add(self, params: Mapping[str, Any], **result: Any) -> int:
        """The number of a trial that Optuna did not suggest."""
        self._study.add_trial(create_trial(params=dict(params), distributions=self._distributions, **result))
        return len(self._study.get_trials(deepcopy=False)) - 1


def _sampler(name: Sampler, seed: int, startup: int) -> Any:
    if name == "gp":
        return optuna.samplers.GPSampler(seed=seed, n_startup_trials=startup)
    return optuna.samplers.TPESampler(seed=seed, n_startup_trials=startup, constant_liar=True)


def _distribution(parameter: Parameter) -> BaseDistribution:
    if isinstance(parameter, Float):
        return FloatDistribution(parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, Int):
        return IntDistribution(parameter.low, parameter.high, log=parameter.log)
    return CategoricalDistribution(parameter.choices)
