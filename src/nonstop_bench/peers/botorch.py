"""The paper's surrogate and its acquisition maximiser, in BoTorch, for comparisons of numbers and of speed.

    X   (n, d)   points of the unit cube
    y   (n,)     standardised values

Zero mean, ARD kernel of unit signal variance, lengthscales ~ LogNormal(sqrt 2 + log(d)/2, sqrt 3) and >= 2.5e-2,
noise ~ LogNormal(-4, 1) and >= 1e-4: BoTorch's own helper functions build exactly this.
"""

from typing import Any, NamedTuple

import gpytorch
import numpy as np
import torch
from botorch.acquisition.analytic import LogExpectedImprovement, UpperConfidenceBound, _log_ei_helper
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.utils.gpytorch_modules import (
    get_covar_module_with_dim_scaled_prior,
    get_gaussian_likelihood_with_lognormal_prior,
)
from botorch.optim import optimize_acqf
from numpy.typing import NDArray

from nonstop_bench.peers.quiet import quiet

Array = NDArray[np.float64]

# Priors and bounds are made in the default dtype: single precision would cost eight digits.
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

RESTARTS = 10
RAW_SAMPLES_PER_DIMENSION = 1000
ITERATIONS = 200
# Candidates screened at once: the same result, but by default all of them are, which takes twice the time at n = 500
# and more memory than a workstation has at d = 50. These were the fastest of 16, 64, 256, 1024, 4096.
SCREEN_BLOCK = {"few data": 256, "many data": 64}
MANY_DATA = 100


class Hyper(NamedTuple):
    """BoTorch's hyperparameters, as numbers."""

    lengthscale: Array
    noise: float


class Maximum(NamedTuple):
    """Where BoTorch finds the largest acquisition, and how large."""

    x: Array
    value: float


def model_of(X: Array, y: Array, kernel: str = "rbf", hyper: Hyper | None = None) -> Any:
    """The paper's model on (X, y), at the prior's mode or at given hyperparameters."""
    with quiet():
        model = SingleTaskGP(
            torch.as_tensor(X),
            torch.as_tensor(y)[:, None],
            mean_module=gpytorch.means.ZeroMean(),
            covar_module=get_covar_module_with_dim_scaled_prior(X.shape[1], use_rbf_kernel=kernel == "rbf"),
            likelihood=get_gaussian_likelihood_with_lognormal_prior(),
            outcome_transform=None,
        )
    if hyper is not None:
        model.covar_module.lengthscale = torch.as_tensor(hyper.lengthscale)
        model.likelihood.noise = torch.as_tensor(hyper.noise)
    return model.eval()


def fit(X: Array, y: Array, kernel: str = "rbf", warm: dict[str, Any] | None = None) -> Any:
    """The fitted model; `warm` is the state dict of an earlier fit to start from."""
    model = model_of(X, y, kernel)
    if warm is not None:
        model.load_state_dict(warm)
    with quiet():
        fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def hyper_of(model: Any) -> Hyper:
    """The hyperparameters of a fitted model."""
    lengthscale = model.covar_module.lengthscale.detach().numpy().reshape(-1).copy()
    return Hyper(lengthscale, float(model.likelihood.noise.detach()))


def log_posterior(X: Array, y: Array, hyper: Hyper, kernel: str = "rbf") -> float:
    """log p(y | phi) + log p(phi), by GPyTorch; its own objective is this divided by n."""
    model = model_of(X, y, kernel, hyper).train()
    objective = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    with torch.no_grad():
        return len(y) * float(objective(model(torch.as_tensor(X)), torch.as_tensor(y)))


def posterior(model: Any, Xs: Array) -> tuple[Array, Array]:
    """Mean (m,) and joint covariance (m, m) of the noiseless function at Xs (m, d)."""
    with torch.no_grad(), quiet():
        joint = model.posterior(torch.as_tensor(Xs)).distribution
        return joint.mean.numpy().copy(), joint.covariance_matrix.numpy().copy()


def condition(model: Any, X: Array, y: Array) -> Any:
    """The model with further data and the same hyperparameters, through BoTorch's own fantasy update."""
    with quiet():
        posterior(model, X[:1])  # the update extends a prediction cache, which must exist
        return model.condition_on_observations(torch.as_tensor(X), torch.as_tensor(y)[:, None])


def acquisition(model: Any, rule: str, y: Array) -> Any:
    """The analytic acquisition: UCB with beta = 2, or LogEI over the best observation."""
    if rule == "ucb":
        return UpperConfidenceBound(model, beta=2.0)
    return LogExpectedImprovement(model, best_f=float(y.max()))


def evaluate(model: Any, rule: str, y: Array, Xs: Array) -> Array:
    """Acquisition values (m,) at Xs (m, d)."""
    with torch.no_grad(), quiet():
        values: Array = acquisition(model, rule, y)(torch.as_tensor(Xs)[:, None, :]).numpy().copy()
    return values


def log_ei_helper(z: Array) -> Array:
    """log(phi(z) + z Phi(z)), BoTorch's stable form."""
    values: Array = _log_ei_helper(torch.as_tensor(z)).numpy().copy()
    return values


def maximise(model: Any, rule: str, y: Array, seed: int = 0) -> Maximum:
    """The paper's maximiser: the 10 best of 1000 d candidates, each polished by L-BFGS-B."""
    n, d = model.train_inputs[0].shape
    block = SCREEN_BLOCK["many data" if n > MANY_DATA else "few data"]
    torch.manual_seed(seed)
    with quiet():
        x, value = optimize_acqf(
            acquisition(model, rule, y),
            bounds=torch.stack([torch.zeros(d), torch.ones(d)]),
            q=1,
            num_restarts=RESTARTS,
            raw_samples=RAW_SAMPLES_PER_DIMENSION * d,
            options={"maxiter": ITERATIONS, "init_batch_limit": block},
        )
    return Maximum(np.clip(x.numpy().reshape(-1), 0, 1), float(value))


def suggest(X: Array, y: Array, warm: dict[str, Any] | None = None, rule: str = "ucb", seed: int = 0) -> Maximum:
    """One suggestion: model, fit, maximisation."""
    return maximise(fit(X, y, warm=warm), rule, y, seed)


def state_of(X: Array, y: Array) -> dict[str, Any]:
    """What a warm start takes over: the fitted parameters on (X, y)."""
    state: dict[str, Any] = fit(X, y).state_dict()
    return state
