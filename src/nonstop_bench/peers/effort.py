"""Where our own time goes: each step of a proposal against the BLAS limit, the time its flops take a plain GEMM.

Needed flops, for n points in d dimensions (multiplications and additions count one each; exponentials are not counted):
    one likelihood with gradient   n^3 (Cholesky, triangular inverse, R'R: a third each) + 4 n^2 d (distances, W Z)
    one screened candidate         2 n d + 2 n (distances, mean) + 2 m^2 (variance given a sketch of m points), single
                                   precision; an exact variance would cost 2 n^2 instead of 2 m^2
    one exact value                2 n d + 2 n + 2 n^2
    one value with gradient        6 n d + 4 n + 4 n^2
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.maximize import maximize
from nonstop.acquisition.rule import Acquisition
from nonstop.numerics.threads import limit_threads
from nonstop.surrogate.fit import fit
from nonstop.surrogate.gp import GP
from nonstop.surrogate.likelihood import Likelihood
from nonstop.surrogate.sketch import Sketch
from nonstop_bench.peers import own
from nonstop_bench.peers.datasets import Dataset

Array = NDArray[np.float64]


@dataclass
class Step:
    """One kind of work: how often (likelihoods, candidates, points), how long, how many flops."""

    name: str
    count: int = 0
    seconds: float = 0.0
    flops: float = 0.0

    def timed(self, work: Callable[..., Any], *arguments: Any, count: int, flops: float) -> Any:
        """Call `work` and add its time, count and flops to this step."""
        start = perf_counter()
        result = work(*arguments)
        self.seconds += perf_counter() - start
        self.count += count
        self.flops += flops
        return result


@dataclass
class Counted:
    """An acquisition that counts and times its calls."""

    inner: Acquisition
    gp: GP
    sketch: int
    screen_step: Step = field(default_factory=lambda: Step("screen"))
    value_step: Step = field(default_factory=lambda: Step("exact values"))
    polish_step: Step = field(default_factory=lambda: Step("polish"))

    def screen(self, P: Array) -> Array:
        """As in the inner acquisition, counted."""
        n, d = self.gp.X.shape
        flops = len(P) * (2.0 * n * d + 2 * n + 2 * self.sketch**2)
        values: Array = self.screen_step.timed(self.inner.screen, P, count=len(P), flops=flops)
        return values

    def value(self, P: Array) -> Array:
        """As in the inner acquisition, counted."""
        n, d = self.gp.X.shape
        flops = len(P) * (2.0 * n * d + 2 * n + 2 * n * n)
        values: Array = self.value_step.timed(self.inner.value, P, count=len(P), flops=flops)
        return values

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        """As in the inner acquisition, counted."""
        n, d = self.gp.X.shape
        flops = len(P) * (6.0 * n * d + 4 * n + 4 * n * n)
        both: tuple[Array, Array] = self.polish_step.timed(self.inner.value_and_gradient, P, count=len(P), flops=flops)
        return both


@dataclass(frozen=True)
class Effort:
    """The steps of one proposal, and its total `seconds`; the remainder is Python between matrix operations."""

    d: int
    n: int
    seconds: float
    steps: tuple[Step, ...]

    @property
    def remainder(self) -> float:
        """Seconds outside of the steps."""
        return self.seconds - sum(step.seconds for step in self.steps)


def effort(data: Dataset, repeats: int = 3) -> Effort:
    """The fastest of a few repeats: other load on the machine only adds time."""
    with limit_threads(1):
        return min((_once(data) for _ in range(repeats)), key=lambda each: each.seconds)


def _once(data: Dataset) -> Effort:
    n, d = data.X.shape
    likelihood = Step("likelihood")
    value, both = Likelihood.value, Likelihood.value_and_slope

    def counted_value(self: Likelihood, theta: Array) -> Any:
        m = float(len(self.X))
        return likelihood.timed(value, self, theta, count=1, flops=m**3 / 3 + m * m * (d + 1))

    def counted_both(self: Likelihood, theta: Array) -> Any:
        m = float(len(self.X))
        return likelihood.timed(both, self, theta, count=1, flops=m**3 + 4 * m * m * d)

    start = perf_counter()
    with patch.multiple(Likelihood, value=counted_value, value_and_slope=counted_both):
        found = fit(data.X, data.y)
    gp = GP.of(data.X, data.y, found.hyperparameters)
    scored = own.acquisition(gp, "ucb")
    assert isinstance(scored.sketch, Sketch)
    counted = Counted(scored, gp, len(scored.sketch.R))
    maximize(counted, own.terrain(gp), np.random.default_rng(0))
    seconds = perf_counter() - start
    return Effort(d, n, seconds, (likelihood, counted.screen_step, counted.value_step, counted.polish_step))


def gemm_rate(dtype: type[np.floating[Any]], size: int = 768, repeats: int = 9) -> float:
    """Flops per second of a square matrix product on one thread, the best of a few."""
    A = np.random.default_rng(0).random((size, size)).astype(dtype)
    with limit_threads(1):
        times = []
        for _ in range(repeats):
            start = perf_counter()
            A @ A
            times.append(perf_counter() - start)
    return 2.0 * size**3 / min(times)
