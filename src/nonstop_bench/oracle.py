"""nonstop against BoTorch, live: `python -m nonstop_bench.oracle` where both are installed (`make oracle`).

Five questions, each with a target; the exit status says whether all are met.

    posterior   mean, variance, covariance at equal hyperparameters, also after further data      all within 1e-7
    objective   log p(y | phi) + log p(phi), ours against GPyTorch's                              all within 1e-8
    fit         our MAP hyperparameters against BoTorch's, by one objective                       48 of 50 within 1e-3
    logei       log EI, the formula and on posteriors                                             all within 1e-9, 1e-6
    maximum     our largest acquisition against optimize_acqf's, both points judged by BoTorch    95 of 100 within 1e-3
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from nonstop.numerics.normal import log_h
from nonstop.numerics.threads import limit_threads
from nonstop.surrogate.fit import fit, log_posterior
from nonstop.surrogate.gp import GP
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.surrogate.model import Surrogate
from nonstop.types import Array
from nonstop_bench.peers import botorch, own
from nonstop_bench.peers.datasets import Dataset, varied

FITS = 50


@dataclass(frozen=True)
class Check:
    """One comparison with BoTorch over many cases."""

    name: str
    #: How far we are behind BoTorch in each case; positive is worse.
    shortfalls: dict[str, float]
    tolerance: float
    #: How many cases must be within the tolerance; None: all.
    needed: int | None = None

    @property
    def met(self) -> int:
        """The number of cases within the tolerance."""
        return sum(shortfall <= self.tolerance for shortfall in self.shortfalls.values())

    @property
    def passed(self) -> bool:
        """Whether enough cases are within the tolerance."""
        return self.met >= (len(self.shortfalls) if self.needed is None else self.needed)

    def row(self) -> str:
        """One line of the report."""
        needed = len(self.shortfalls) if self.needed is None else self.needed
        case, worst = max(self.shortfalls.items(), key=lambda item: item[1])
        verdict = "pass" if self.passed else "FAIL"
        counts = f"{self.met:>4} of {len(self.shortfalls):>3} (needs {needed:>3})"
        return f"{verdict}  {self.name:<28} {counts}  within {self.tolerance:.0e}   worst {worst:9.2e}  {case}"

    def misses(self) -> list[str]:
        """A line for each case that is not within the tolerance, the worst first."""
        missed = {case: each for case, each in self.shortfalls.items() if each > self.tolerance}
        ranked = sorted(missed, key=lambda case: -missed[case])
        return [f"      {self.name}: {case} falls short by {missed[case]:.3g}" for case in ranked]


def main() -> int:
    """Run all checks and print the report; the exit status."""
    started = perf_counter()
    data = varied(FITS)
    with limit_threads(1):
        checks = [*posterior_checks(data), log_ei_formula(), *fit_checks(data), *maximum_checks(data)]
    print(f"\nnonstop against BoTorch, {perf_counter() - started:.0f} s\n")
    print("\n".join(check.row() for check in checks))
    print("\n".join(line for check in checks for line in check.misses()))
    return 0 if all(check.passed for check in checks) else 1


def progress(steps: Iterable[Dataset], what: str) -> Iterable[tuple[int, str, Dataset]]:
    """Yield each data set with its number and name, and print it."""
    for i, each in enumerate(steps):
        print(f"{what} {i + 1}: {each.size}", flush=True)
        yield i, f"{i} {each.size}", each


def random_hyper(d: int, rng: np.random.Generator) -> botorch.Hyper:
    """Lengthscales from short to very long; every second noise is the smallest allowed, which is the hardest."""
    noise = 1e-4 if rng.random() < 0.5 else 10 ** rng.uniform(-4, -0.5)
    return botorch.Hyper(np.sqrt(d) * 10 ** rng.uniform(-0.8, 0.8, d), noise)


def posterior_checks(data: list[Dataset]) -> list[Check]:
    """At hyperparameters drawn at random; queries are random, and one is a training point."""
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    objective: dict[str, float] = {}
    values: dict[str, float] = {}
    for i, case, each in progress(data, "posterior"):
        rng = np.random.default_rng((2, i))
        hyper = random_hyper(each.X.shape[1], rng)
        for kernel in KERNELS:
            X, y = each.X, each.y
            phi = own.hyperparameters(*hyper)
            gp, model = GP.of(X, y, phi, kernel), botorch.model_of(X, y, kernel, hyper)
            Xs = np.concatenate([rng.random((6, X.shape[1])), X[:1]])
            X2, y2 = rng.random((3, X.shape[1])), rng.standard_normal(3)
            name = f"{case} {kernel}"
            before[name] = posterior_difference(gp, model, Xs)
            both = botorch.model_of(np.concatenate([X, X2]), np.concatenate([y, y2]), kernel, hyper)
            fantasy = botorch.condition(model, X2, y2)
            extended = gp.condition(X2, y2)
            after[name] = max(posterior_difference(extended, other, Xs) for other in (both, fantasy))
            theirs = botorch.log_posterior(X, y, hyper, kernel)
            ours = log_posterior(X, y, phi, Surrogate(kernel=kernel))
            objective[name] = abs(ours - theirs) / max(1.0, abs(theirs))
            log_ei = botorch.evaluate(model, "logei", y, Xs)
            values[name] = relative(own.acquisition(gp, "logei").value(Xs), log_ei)
    return [
        Check("posterior", before, 1e-7),
        Check("posterior, further data", after, 1e-7),
        Check("objective (relative)", objective, 1e-8),
        Check("logei on posteriors (rel.)", values, 1e-6),
    ]


def posterior_difference(gp: GP, model: object, Xs: Array) -> float:
    """The largest difference in any mean, variance or covariance."""
    mean, covariance = botorch.posterior(model, Xs)
    own_mean, variance = gp.moments(Xs)
    joint_mean, own_covariance = gp.joint(Xs)
    pairs = [
        (own_mean, mean),
        (joint_mean, mean),
        (variance, covariance.diagonal()),
        (own_covariance, covariance),
    ]
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def relative(ours: Array, theirs: Array) -> float:
    """The largest difference, relative where values exceed 1."""
    return float((np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))).max())


def log_ei_formula() -> Check:
    """log(phi(z) + z Phi(z)) from z = -1e6 to 1e3."""
    z = np.concatenate([-np.geomspace(1e6, 1e-3, 2000), np.linspace(-60, 10, 2000), np.geomspace(1e-3, 1e3, 500)])
    ours, theirs = log_h(z), botorch.log_ei_helper(z)
    return Check("logei formula (relative)", {"z from -1e6 to 1e3": relative(ours, theirs)}, 1e-9)


def fit_checks(data: list[Dataset]) -> list[Check]:
    """From scratch on both sides; GPyTorch must agree with our objective at both ends."""
    shortfall: dict[str, float] = {}
    agreement: dict[str, float] = {}
    for _, case, each in progress(data, "fit"):
        theirs = botorch.hyper_of(botorch.fit(each.X, each.y))
        ours = fit(each.X, each.y).hyperparameters
        mine = botorch.Hyper(np.array(ours.lengthscales), ours.noise)
        values = [log_posterior(each.X, each.y, own.hyperparameters(*hyper)) for hyper in (mine, theirs)]
        judged = [botorch.log_posterior(each.X, each.y, hyper) for hyper in (mine, theirs)]
        shortfall[case] = values[1] - values[0]
        agreement[case] = relative(np.array(values), np.array(judged))
    return [
        Check("fit: log posterior", shortfall, 1e-3, needed=48 * len(data) // 50),
        Check("fit: objectives agree (rel.)", agreement, 1e-8),
    ]


def maximum_checks(data: list[Dataset]) -> list[Check]:
    """At BoTorch's hyperparameters on both sides."""
    shortfall: dict[str, float] = {}
    for i, case, each in progress(data, "maximum"):
        model = botorch.fit(each.X, each.y)
        gp = GP.of(each.X, each.y, own.hyperparameters(*botorch.hyper_of(model)))
        for rule in own.RULES:
            theirs = botorch.maximise(model, rule, each.y, seed=i).x
            ours = own.maximise(gp, rule, seed=i).x
            values = botorch.evaluate(model, rule, each.y, np.stack([ours, theirs]))
            shortfall[f"{case} {rule}"] = float(values[1] - values[0])
    return [Check("maximum: acquisition value", shortfall, 1e-3, needed=95 * len(shortfall) // 100)]


if __name__ == "__main__":
    sys.exit(main())
