"""Our numbers against BoTorch's, from the values that goldens/make_goldens.py recorded. No torch needed here."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonstop.numerics.normal import log_h
from nonstop.numerics.threads import limit_threads
from nonstop.surrogate.fit import fit, log_posterior
from nonstop.surrogate.gp import GP
from nonstop.surrogate.model import Surrogate
from nonstop_bench.peers import own

GOLDENS = Path(__file__).parent / "goldens"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with limit_threads(1):
        yield


def golden(name: str) -> Any:
    return json.loads((GOLDENS / f"{name}.json").read_text())["cases"]


def arrays(case: dict[str, Any]) -> dict[str, Any]:
    return {key: np.array(value) if isinstance(value, list) else value for key, value in case.items()}


POSTERIORS = [arrays(case) for case in golden("posterior")]
FITS = [arrays(case) for path in sorted(GOLDENS.glob("fit-*.json")) for case in golden(path.stem)]
MAXIMA = [arrays(case) for case in golden("maxima")]


def gp_of(case: dict[str, Any]) -> GP:
    phi = own.hyperparameters(case["lengthscale"], case["noise"])
    return GP.of(case["X"], case["y"], phi, case.get("kernel", "rbf"))


def describe(case: dict[str, Any]) -> str:
    n, d = case["X"].shape
    return f"{case.get('kernel', case.get('name'))}-d{d}-n{n}"


@pytest.mark.parametrize("case", POSTERIORS, ids=describe)
def test_posterior_is_botorchs(case: dict[str, Any]) -> None:
    gp = gp_of(case)
    mean, variance = gp.moments(case["Xs"])
    joint_mean, covariance = gp.joint(case["Xs"])
    np.testing.assert_allclose(mean, case["mean"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(joint_mean, case["mean"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(variance, case["covariance"].diagonal(), rtol=0, atol=1e-7)
    np.testing.assert_allclose(covariance, case["covariance"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("case", POSTERIORS, ids=describe)
def test_conditioning_is_botorchs_posterior_of_all_data(case: dict[str, Any]) -> None:
    mean, covariance = gp_of(case).condition(case["X2"], case["y2"]).joint(case["Xs"])
    np.testing.assert_allclose(mean, case["mean2"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(covariance, case["covariance2"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("case", POSTERIORS + FITS, ids=describe)
def test_log_posterior_is_gpytorchs(case: dict[str, Any]) -> None:
    model = Surrogate(kernel=case.get("kernel", "rbf"))
    value = log_posterior(case["X"], case["y"], own.hyperparameters(case["lengthscale"], case["noise"]), model)
    assert value == pytest.approx(case["log_posterior"], rel=1e-8)


def test_log_ei_is_botorchs() -> None:
    case = arrays(golden("logei"))
    np.testing.assert_allclose(log_h(case["z"]), case["log_ei"], rtol=1e-9)


def test_fit_is_no_worse_than_botorchs() -> None:
    shortfalls = {
        f"{i} {describe(case)}": case["log_posterior"] - fit(case["X"], case["y"]).objective
        for i, case in enumerate(FITS)
    }
    assert_mostly_within(shortfalls, 1e-3)


@pytest.mark.parametrize("rule", ["ucb", "logei"])
def test_acquisition_maximum_is_no_worse_than_botorchs(rule: str) -> None:
    cases = [case for case in MAXIMA if case["rule"] == rule]
    shortfalls = {}
    for case in cases:
        data = FITS[case["fit"]]
        shortfalls[f"{case['fit']} {describe(data)}"] = case["value"] - own.maximise(gp_of(data), rule).value
    assert_mostly_within(shortfalls, 1e-3)


@pytest.mark.parametrize("rule", ["ucb", "logei"])
def test_acquisition_value_is_botorchs_at_its_own_maximum(rule: str) -> None:
    for case in MAXIMA:
        if case["rule"] == rule:
            value = own.acquisition(gp_of(FITS[case["fit"]]), rule).value(case["x"][None])[0]
            assert value == pytest.approx(case["value"], rel=1e-7, abs=1e-7), describe(FITS[case["fit"]])


def assert_mostly_within(shortfalls: dict[str, float], tolerance: float) -> None:
    """At least 95 in 100 are no worse than the tolerance."""
    missed = {case: shortfall for case, shortfall in shortfalls.items() if shortfall > tolerance}
    assert len(missed) <= 0.05 * len(shortfalls), missed
