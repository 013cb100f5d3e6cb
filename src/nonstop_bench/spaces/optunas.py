"""Optuna's TPE: conditions by define-by-run, known constraints by pruning.

A suggestion that violates the constraints is pruned at once and asked for again; it costs no evaluation, and TPE learns
from it (pruned trials count as worse than all completed ones). After 100 of them the next one is evaluated whatever it
is, and is lost if it violates them. "tpe" is the sampler as it comes, "tpe-multivariate" models the parameters of a
branch together (multivariate, group), which Optuna recommends for conditional spaces. Both have constant_liar, which
its manual recommends for parallel studies, and no random trials of their own beside the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from nonstop_bench.peers.quiet import quiet
from nonstop_bench.spaces.contender import MOST_REJECTED
from nonstop_bench.spaces.declared import Choice, Declared, Parameter, Params

Sampler: TypeAlias = Literal["tpe", "tpe-multivariate"]
_OPTIONS: Mapping[Sampler, Mapping[str, bool]] = {"tpe": {}, "tpe-multivariate": {"multivariate": True, "group": True}}


class Optunas:
    """A study in memory."""

    def __init__(self, declared: Declared, seed: int, sampler: Sampler) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._declared = declared
        with quiet():
            tpe = optuna.samplers.TPESampler(seed=seed, n_startup_trials=1, constant_liar=True, **_OPTIONS[sampler])
            self._study = optuna.create_study(direction="minimize", sampler=tpe)

    def add(self, params: Params, value: float) -> None:
        """A completed trial."""
        distributions = {name: _distribution(each) for name, each in self._declared.active(params).items()}
        self._study.add_trial(create_trial(params=dict(params), distributions=distributions, value=value))

    def ask(self) -> tuple[int, Params]:
        """The first suggestion that is not pruned."""
        with quiet():
            for _ in range(MOST_REJECTED):
                number, params = self._suggested()
                if self._declared.allows(params):
                    return number, params
                self._study.tell(number, state=TrialState.PRUNED)
            return self._suggested()

    def tell(self, handle: int, value: float | None) -> None:
        """A result, or a failed trial."""
        self._study.tell(handle, value, state=TrialState.FAIL if value is None else TrialState.COMPLETE)

    def _suggested(self) -> tuple[int, Params]:
        trial = self._study.ask()
        return trial.number, self._declared.filled(lambda name, each: _suggest(trial, name, each))


def _suggest(trial: Any, name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Choice):
        return trial.suggest_categorical(name, list(parameter.options))
    if parameter.whole:
        return trial.suggest_int(name, int(parameter.low), int(parameter.high), log=parameter.log)
    return trial.suggest_float(name, parameter.low, parameter.high, log=parameter.log, step=parameter.step)


def _distribution(parameter: Parameter) -> BaseDistribution:
    if isinstance(parameter, Choice):
        return CategoricalDistribution(list(parameter.options))
    if parameter.whole:
        return IntDistribution(int(parameter.low), int(parameter.high), log=parameter.log)
    return FloatDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)
