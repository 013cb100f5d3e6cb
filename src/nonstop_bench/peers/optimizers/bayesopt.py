"""The package bayesian-optimization: its default rule (UCB, kappa = 2.576) behind its ConstantLiar for busy points.

It works in the same unit cube as nonstop, rounded afterwards: its ConstantLiar ignores the types of parameters, and
its kernel has one lengthscale for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bayes_opt import BayesianOptimization
from bayes_opt.acquisition import ConstantLiar, UpperConfidenceBound

from nonstop.space import Space
from nonstop.space.encoding import cube_of, decode, encode, encode_many
from nonstop_bench.peers.optimizers.uniform import Uniform
from nonstop_bench.peers.quiet import quiet


class BayesOpt:
    """Failed points are left out: the package has no failures."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._uniform = Uniform(space, seed)
        # Wide enough that text order is column order.
        self._names = [f"x{j:04d}" for j in range(cube_of(space).dim)]
        with quiet():
            self._liar = ConstantLiar(UpperConfidenceBound())
            self._optimizer = BayesianOptimization(
                None,
                dict.fromkeys(self._names, (0.0, 1.0)),
                acquisition_function=self._liar,
                random_state=seed,
                verbose=0,
                allow_duplicate_points=True,
            )

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:
        """The next params to evaluate."""
        if len(self._optimizer.space) == 0:
            return self._uniform.ask(busy)
        with quiet():
            self._liar.dummies = list(encode_many(self._space, busy)) if busy else []
            point = self._optimizer.suggest()
        return decode(self._space, np.array([point[name] for name in self._names]))

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        if value is not None:
            with quiet():
                self._optimizer.register(dict(zip(self._names, encode(self._space, params), strict=True)), -value)
