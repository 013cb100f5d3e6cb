"""BoTorch's counterparts of our rules: qLogEI with pending points, and Thompson samples by Matheron paths.

The model, its warm fit and the maximiser are those of botorch.py: 10 of 1000 d candidates, polished by L-BFGS-B.
"""

from collections.abc import Callable
from typing import Any

import torch
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.acquisition.thompson_sampling import PathwiseThompsonSampling
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler

from nonstop_bench.peers.botorch import (
    ITERATIONS,
    RAW_SAMPLES_PER_DIMENSION,
    RESTARTS,
    SCREEN_BLOCK,
    Array,
    fit,
    state_of,
)
from nonstop_bench.peers.datasets import Dataset
from nonstop_bench.peers.quiet import quiet

SAMPLES = 500  # the paper's number, for qLogEI and for our e-logei


def counterparts(data: Dataset, busy: Array) -> dict[str, Callable[[int], object]]:
    """Suggestions by name, each a function of the seed."""
    warm = state_of(data.X[:-1], data.y[:-1])

    def q_log_ei(model: Any, seed: int) -> Any:
        sampler = SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=seed)
        return qLogExpectedImprovement(model, float(data.y.max()), sampler, X_pending=torch.as_tensor(busy))

    def thompson(model: Any, seed: int) -> Any:
        torch.manual_seed(seed)
        return PathwiseThompsonSampling(model)

    def suggestion(acquisition: Callable[[Any, int], Any]) -> Callable[[int], object]:
        def run(seed: int) -> object:
            model = fit(data.X, data.y, warm=warm)
            with quiet():
                return _maximised(acquisition(model, seed), data.X.shape[1], seed)

        return run

    return {"BoTorch qLogEI, X_pending": suggestion(q_log_ei), "BoTorch Matheron-path TS": suggestion(thompson)}


def _maximised(acquisition: Any, d: int, seed: int) -> Any:
    torch.manual_seed(seed)
    return optimize_acqf(
        acquisition,
        bounds=torch.stack([torch.zeros(d), torch.ones(d)]),
        q=1,
        num_restarts=RESTARTS,
        raw_samples=RAW_SAMPLES_PER_DIMENSION * d,
        options={"maxiter": ITERATIONS, "init_batch_limit": SCREEN_BLOCK["many data"]},
    )
