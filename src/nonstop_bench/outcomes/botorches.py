"""BoTorch: qLogEI with constraints, and qLogNEHVI, with the busy points as X_pending.

A SingleTaskGP with its default priors, which has a model for each outcome. All results are used for every suggestion;
hyperparameters are fitted after every fourth result, from the defaults: from those of the fit before they stay in poor
local optima. Outcomes are standardised, and with them the bounds and the reference point, which qLogNEHVI is told: so
the smoothing of constraints, which is absolute, fits outcomes in any unit. 64 quasi-random samples (32 with three
objectives); the maximiser has 4 restarts out of 128 raw samples, and 50 iterations. Tutorials fit for every suggestion
and have 128 samples, 10 restarts out of 512 and 200 iterations: with those a contest of this size would take days.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import gpytorch
import numpy as np
import torch
from botorch.acquisition.factory import get_acquisition_function
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import GenericMCMultiOutputObjective
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler

from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.peers.quiet import quiet
from nonstop_bench.records import Array

SAMPLES: Final = 64
FEWER_SAMPLES: Final = 32
RESTARTS: Final = 4
RAW_SAMPLES: Final = 128
ITERATIONS: Final = 50
#: After so many new results hyperparameters are fitted anew.
REFIT: Final = 4


class Botorches:
    """Data, busy points and the hyperparameters of the latest fit."""

    def __init__(self, problem: Problem, seed: int) -> None:
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(1)
        self._problem, self._seed, self._asked = problem, seed, 0
        self._X: list[Array] = []
        self._Y: list[Array] = []
        self._busy: dict[int, Array] = {}
        self._fit: _Fit | None = None

    def add(self, x: Array, outcomes: Array) -> None:
        """A result: objectives, and violations of constraints."""
        violations = self._problem.violations(outcomes[None, :])[0]
        self._X.append(x)
        self._Y.append(np.concatenate([outcomes[: len(self._problem.objectives)], violations]))

    def ask(self) -> tuple[int, Array]:
        """The maximum of the acquisition."""
        self._asked += 1
        torch.manual_seed(self._seed * 1000 + self._asked)
        with quiet():
            x = self._maximum()
        self._busy[self._asked] = x
        return self._asked, x

    def tell(self, handle: int, outcomes: Array) -> None:
        """The result of a busy point."""
        self.add(self._busy.pop(handle), outcomes)

    def _maximum(self) -> Array:
        d = self._problem.d
        x, _ = optimize_acqf(
            self._acquisition(),
            bounds=torch.stack([torch.zeros(d), torch.ones(d)]),
            q=1,
            num_restarts=RESTARTS,
            raw_samples=RAW_SAMPLES,
            options={"maxiter": ITERATIONS, "batch_limit": RESTARTS},
        )
        return np.asarray(np.clip(x.numpy().reshape(-1), 0.0, 1.0))

    def _acquisition(self) -> Any:
        X, Y = torch.as_tensor(np.array(self._X)), np.array(self._Y)
        mean, sd = Y.mean(axis=0), np.maximum(Y.std(axis=0), 1e-12)
        model = self._fitted(X, torch.as_tensor((Y - mean) / sd))
        k = len(self._problem.objectives)
        limits = [(i, float(-mean[i] / sd[i])) for i in range(k, Y.shape[1])]
        constraints = [lambda Z, i=i, limit=limit: Z[..., i] - limit for i, limit in limits] or None
        busy = torch.as_tensor(np.array(list(self._busy.values()))) if self._busy else None
        seed = self._seed * 1000 + self._asked
        if k == 1:
            return get_acquisition_function(
                "qLogEI",
                model,
                GenericMCObjective(lambda Z, X=None: -Z[..., 0]),  # noqa: ARG005
                X,
                X_pending=busy,
                constraints=constraints,
                mc_samples=SAMPLES,
                seed=seed,
            )
        return qLogNoisyExpectedHypervolumeImprovement(
            model,
            ref_point=torch.as_tensor(-(np.array(self._problem.reference) - mean[:k]) / sd[:k]),
            X_baseline=X,
            sampler=SobolQMCNormalSampler(torch.Size([SAMPLES if k < 3 else FEWER_SAMPLES]), seed=seed),
            objective=GenericMCMultiOutputObjective(lambda Z, X=None: -Z[..., :k]),  # noqa: ARG005
            constraints=constraints,
            X_pending=busy,
            prune_baseline=True,
        )

    def _fitted(self, X: Any, Y: Any) -> Any:
        model = SingleTaskGP(X, Y, outcome_transform=None)  # of several columns: a model for each
        if self._fit is None or len(X) >= self._fit.results + REFIT:
            fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
            self._fit = _Fit(len(X), model.state_dict())
        else:
            model.load_state_dict(self._fit.state)
        return model.eval()


class _Fit(NamedTuple):
    """Hyperparameters, and of how many results."""

    results: int
    state: dict[str, Any]
