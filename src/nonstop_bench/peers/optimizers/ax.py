"""Ax through its Client, which has busy points as running trials and chooses its model and acquisition itself.

The space is given in Ax's own parameters. Initial data are attached trials, which Ax counts as its initialisation; the
centre of the space, with which it would begin, is left out because of them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.utils.common.logger import set_ax_logger_levels

from nonstop.space import Categorical, Float, Ordinal, Parameter, Space
from nonstop_bench.peers.optimizers.codes import coded, codes_of, decoded
from nonstop_bench.peers.optimizers.pending import Pending
from nonstop_bench.peers.quiet import quiet

_OUTCOME = "value"


class Ax:
    """An experiment in memory; a result is told by the index of its trial."""

    def __init__(self, space: Space, seed: int) -> None:
        torch.set_num_threads(1)
        set_ax_logger_levels(logging.CRITICAL)
        self._space = space
        self._pending = Pending[int](space)
        with quiet():
            self._client = Client(random_seed=seed)
            self._client.configure_experiment(
                parameters=[_parameter(name, parameter) for name, parameter in space.items()]
            )
            self._client.configure_optimization(objective=f"-{_OUTCOME}")
            self._client.configure_generation_strategy(initialization_random_seed=seed, initialize_with_center=False)

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:
        """The next params to evaluate."""
        with quiet():
            for params in self._pending.strangers(busy):
                self._pending.put(params, self._attach(params))
            ((index, codes),) = self._client.get_next_trials(max_trials=1).items()
        return self._pending.put(decoded(self._space, codes), index)

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        index = self._pending.take(params)
        with quiet():
            if index is None:
                index = self._attach(params)
            if value is None:
                self._client.mark_trial_failed(index)
            else:
                self._client.complete_trial(index, raw_data={_OUTCOME: value})

    def _attach(self, params: Mapping[str, Any]) -> int:
        index: int = self._client.attach_trial(coded(self._space, params))
        return index


def _parameter(name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Categorical | Ordinal):
        return ChoiceParameterConfig(name, codes_of(parameter), parameter_type="str", is_ordered=False)
    return RangeParameterConfig(
        name,
        bounds=(parameter.low, parameter.high),
        parameter_type="float" if isinstance(parameter, Float) else "int",
        scaling="log" if parameter.log else "linear",
    )
