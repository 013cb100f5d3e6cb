"""scikit-optimize: its Optimizer with its defaults (Gaussian process, gp_hedge).

A copy is told busy points with the best value so far, as its own ask(n_points) does.
Results are passed on when a point is asked for: tell() fits the model, which counts as time of the suggestion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skopt import Optimizer
from skopt.space import Categorical as SkoptCategorical
from skopt.space import Integer, Real

from nonstop.space import Categorical, Float, Ordinal, Parameter, Space
from nonstop_bench.peers.optimizers.codes import coded, codes_of, decoded
from nonstop_bench.peers.quiet import quiet


class Skopt:
    """Failed points are left out: the package has no failures."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._told: list[tuple[list[Any], float]] = []
        with quiet():
            dimensions = [_dimension(name, parameter) for name, parameter in space.items()]
            self._optimizer = Optimizer(dimensions, n_initial_points=1, random_state=seed)

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:
        """The next params to evaluate."""
        with quiet():
            if self._told:
                self._optimizer.tell([point for point, _ in self._told], [value for _, value in self._told])
                self._told = []
            optimizer = self._optimizer
            if busy and optimizer.yi:
                optimizer = optimizer.copy(random_state=optimizer.rng.randint(2**31 - 1))
                optimizer.tell([self._point(params) for params in busy], [min(optimizer.yi)] * len(busy))
            point = optimizer.ask()
        return decoded(self._space, dict(zip(self._space, point, strict=True)))

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        if value is not None:
            self._told.append((self._point(params), value))

    def _point(self, params: Mapping[str, Any]) -> list[Any]:
        return list(coded(self._space, params).values())


def _dimension(name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Categorical | Ordinal):
        return SkoptCategorical(codes_of(parameter), name=name)
    kind = Real if isinstance(parameter, Float) else Integer
    return kind(parameter.low, parameter.high, prior="log-uniform" if parameter.log else "uniform", name=name)
