"""Golden values by BoTorch, for tests that run without it.

    .venv-peers/bin/python tests/goldens/make_goldens.py        (one or two minutes; rewrites the JSON files beside it)

posterior.json   mean, joint covariance, both again after further data, and log p(y | phi) + log p(phi)
fit-*.json       data sets with BoTorch's MAP hyperparameters and their log p(y | phi) + log p(phi)
maxima.json      for those data sets and hyperparameters, the largest UCB and LogEI that optimize_acqf finds
logei.json       log(phi(z) + z Phi(z))

Data are rounded before anyone sees them, so the files are small and still hold everything; results have all digits.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nonstop_bench.peers import botorch
from nonstop_bench.peers.datasets import Dataset, varied

HERE = Path(__file__).parent
LIMIT = 100_000
POSTERIOR_SIZES = [(1, 1), (1, 6), (1, 15), (2, 2), (2, 20), (3, 9), (4, 25), (6, 14), (10, 30), (20, 25)]
FITS, FITS_PER_FILE, DIGITS = 40, 20, 3


def main() -> None:
    write("logei", log_ei())
    write("posterior", posteriors())
    data = varied(FITS, DIGITS)
    models = [botorch.fit(each.X, each.y) for each in data]
    fits = [fit_case(each, model) for each, model in zip(data, models, strict=True)]
    for start in range(0, FITS, FITS_PER_FILE):
        write(f"fit-{start:02d}", fits[start : start + FITS_PER_FILE])
    write("maxima", [maximum(i, data[i], models[i], rule) for i in range(FITS) for rule in ("ucb", "logei")])


def write(name: str, cases: Any) -> None:
    made_by = {package: version(package) for package in ("torch", "gpytorch", "botorch")}
    text = json.dumps({"made_by": made_by, "cases": cases}, separators=(",", ":")).replace('},{"', '},\n{"') + "\n"
    assert len(text) < LIMIT, f"{name}.json has {len(text)} characters"
    (HERE / f"{name}.json").write_text(text)
    print(f"{name}.json {len(text)} characters", flush=True)


def log_ei() -> dict[str, list[float]]:
    z = np.concatenate([-np.geomspace(1e6, 1e-3, 60), [0.0], np.geomspace(1e-3, 1e3, 40), np.linspace(-3, 3, 41)])
    return {"z": z.tolist(), "log_ei": botorch.log_ei_helper(z).tolist()}


def posteriors() -> list[dict[str, Any]]:
    """Hyperparameters drawn at random, not fitted; one query in five is a training point, one a near twin of one."""
    cases = []
    for i, (d, n) in enumerate(POSTERIOR_SIZES):
        rng = np.random.default_rng(i)
        X, y = rng.random((n, d)).round(DIGITS), rng.standard_normal(n).round(DIGITS)
        Xs = rng.random((5, d)).round(DIGITS)
        Xs[0], Xs[1] = X[0], X[0] + 1e-3
        X2, y2 = rng.random((2, d)).round(DIGITS), rng.standard_normal(2).round(DIGITS)
        hyper = botorch.Hyper(
            (np.sqrt(d) * 10 ** rng.uniform(-0.8, 0.8, d)).round(DIGITS),
            float(f"{10 ** rng.uniform(-4, -0.5):.3g}"),
        )
        inputs = {"X": X, "y": y, "Xs": Xs, "X2": X2, "y2": y2, "lengthscale": hyper.lengthscale}
        for kernel in ("rbf", "matern52"):
            mean, covariance = botorch.posterior(botorch.model_of(X, y, kernel, hyper), Xs)
            further = botorch.model_of(np.concatenate([X, X2]), np.concatenate([y, y2]), kernel, hyper)
            mean2, covariance2 = botorch.posterior(further, Xs)
            results = {"mean": mean, "covariance": covariance, "mean2": mean2, "covariance2": covariance2}
            arrays = {key: value.tolist() for key, value in (inputs | results).items()}
            value = botorch.log_posterior(X, y, hyper, kernel)
            cases.append({"kernel": kernel, "noise": hyper.noise, "log_posterior": value} | arrays)
    return cases


def fit_case(data: Dataset, model: Any) -> dict[str, Any]:
    hyper = botorch.hyper_of(model)
    return {
        "name": data.name,
        "X": data.X.tolist(),
        "y": data.y.tolist(),
        "lengthscale": hyper.lengthscale.tolist(),
        "noise": hyper.noise,
        "log_posterior": botorch.log_posterior(data.X, data.y, hyper),
    }


def maximum(index: int, data: Dataset, model: Any, rule: str) -> dict[str, Any]:
    print(f"maximum {index} {rule} {data.size}", flush=True)
    found = botorch.maximise(model, rule, data.y)
    value = float(botorch.evaluate(model, rule, data.y, found.x[None])[0])
    return {"fit": index, "rule": rule, "x": found.x.tolist(), "value": value}


if __name__ == "__main__":
    main()
