"""BoTorch as a user would write it: the default model, one acquisition function, the optimiser as in the tutorial.

SingleTaskGP with its defaults (RBF kernel, priors that scale with the dimension, fitted constant mean, standardised
values), fitted anew for every suggestion. UCB and LogEI ignore busy points; qLogEI and, for noisy values, qLogNEI have
them as X_pending.
Int and Categorical parameters are columns of the same cube as ours, searched as if continuous and rounded afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from botorch.acquisition.analytic import LogExpectedImprovement, UpperConfidenceBound
from botorch.acquisition.logei import qLogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

from nonstop.space import Space
from nonstop.space.encoding import cube_of, decode, encode_many
from nonstop_bench.peers.optimizers.uniform import Uniform
from nonstop_bench.peers.quiet import quiet

Rule: TypeAlias = Literal["ucb", "logei", "qlogei", "qlognei"]

# As in BoTorch's closed-loop tutorial, except for its batch_limit, which finds the same points more slowly.
RESTARTS = 10
RAW_SAMPLES = 512
SAMPLES = 256
BETA = 2.0


class BoTorch:
    """One of four acquisition functions on the default model."""

    def __init__(self, space: Space, seed: int, rule: Rule) -> None:
        torch.set_num_threads(1)
        self._space = space
        self._rule = rule
        self._rng = np.random.default_rng(seed)
        self._uniform = Uniform(space, seed)
        self._params: list[Mapping[str, Any]] = []
        self._values: list[float] = []

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:
        """The next params to evaluate."""
        if len(self._values) < 2:  # nothing to standardise
            return self._uniform.ask(busy)
        torch.manual_seed(int(self._rng.integers(2**31)))
        X = torch.as_tensor(encode_many(self._space, self._params))
        y = -torch.as_tensor(self._values, dtype=torch.float64)[:, None]
        with quiet():
            model = SingleTaskGP(X, y)
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            dim = cube_of(self._space).dim
            x, _ = optimize_acqf(
                self._acquisition(model, X, y.max(), busy),
                bounds=torch.stack([torch.zeros(dim), torch.ones(dim)]).double(),
                q=1,
                num_restarts=RESTARTS,
                raw_samples=RAW_SAMPLES,
            )
        return decode(self._space, x.numpy().reshape(-1))

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Add a result; failed points are left out."""
        if value is not None:
            self._params.append(params)
            self._values.append(value)

    def _acquisition(self, model: Any, X: Any, best: Any, busy: Sequence[Mapping[str, Any]]) -> Any:
        if self._rule == "ucb":
            return UpperConfidenceBound(model, beta=BETA)
        if self._rule == "logei":
            return LogExpectedImprovement(model, best_f=best)
        pending = torch.as_tensor(encode_many(self._space, busy)) if busy else None
        sampler = SobolQMCNormalSampler(torch.Size([SAMPLES]))
        if self._rule == "qlognei":
            return qLogNoisyExpectedImprovement(model, X, sampler=sampler, prune_baseline=True, X_pending=pending)
        return qLogExpectedImprovement(model, best_f=best, sampler=sampler, X_pending=pending)
