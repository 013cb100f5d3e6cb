"""The model of a study as its newest proposal saw it, in the units of the values: what slices and checks look at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.history.progress import completed
from nonstop.history.relevance import fits_of
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.numerics.threads import limit_threads
from nonstop.space.encoding import cube_of, encode_many
from nonstop.surrogate.fit import fit, prior_mode
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import Surrogate, surrogate_of
from nonstop.surrogate.output import Output, output_of
from nonstop.surrogate.thinning import best_and_even
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array

#: Results that the model is built from: a figure needs no more, and the work is cubic in them.
MOST = 500
#: Deviations on either side that hold 95 % of a normal distribution.
SIGMAS = 1.96


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """A GP of sign * value, standardised. Row i of its data is `trials[i]`; `incumbent` is the row of the best.
    `source` is the trial that recorded the hyperparameters, None if they were fitted for the occasion."""

    gp: GP
    output: Output
    sign: float
    trials: tuple[Trial, ...]
    incumbent: int
    source: Trial | None

    @property
    def values(self) -> Array:
        return np.array([trial.value for trial in self.trials], dtype=np.float64)

    def predict(self, P: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the noiseless value at the rows of P."""
        mean, variance = self.gp.moments(P)
        sd = np.sqrt(variance)
        # In the units of the values, a deviation is half of what one on either side span.
        span = self.output.backward(mean + sd) - self.output.backward(mean - sd)
        return self.sign * self.output.backward(mean), 0.5 * span

    def band(self, mean: Array, sd: Array) -> tuple[Array, Array, Array]:
        """The median, and the bounds of 95 %, in the units of the values. Compressed values reach further to the bad
        side than to the good one."""
        ends = [self.sign * self.output.backward(mean + side * SIGMAS * sd) for side in (0.0, -self.sign, self.sign)]
        return ends[0], ends[1], ends[2]


@dataclass(frozen=True, slots=True)
class Belief:
    """A trial, and what the model believes its value to be without noise: mean and standard deviation."""

    trial: Trial
    mean: float
    sd: float


def believed_best(spec: Spec, trials: Sequence[Trial]) -> Belief | None:
    """The completed trial with the best posterior mean: with a noisy objective the best value is luck in part."""
    model = posterior(spec, trials)
    if model is None:
        return None
    row = int(model.gp.at_data().argmax())
    mean, sd = model.predict(model.gp.X[row : row + 1])
    return Belief(model.trials[row], float(mean[0]), float(sd[0]))


def posterior(spec: Spec, trials: Sequence[Trial], most: int = MOST) -> Posterior | None:
    """None without a result, or if there is no way to invert its matrix."""
    done = completed(trials)
    if not done:
        return None
    better = spec.sign * np.array([trial.value for trial in done], dtype=np.float64)
    rows = best_and_even(better, most)
    seen, y = tuple(done[row] for row in rows), better[rows]
    X = encode_many(spec.space, [trial.params or {} for trial in seen])
    model = surrogate_of(spec.surrogate)
    output = output_of(model.output, y)
    try:
        with limit_threads(1):
            hyper, source = _hyperparameters(spec, trials, X, output.forward(y), model)
            gp = GP.of(X, output.forward(y), hyper, model.kernel)
    except NotPositiveDefiniteError:
        return None
    return Posterior(gp, output, spec.sign, seen, int(y.argmax()), source)


def _hyperparameters(
    spec: Spec, trials: Sequence[Trial], X: Array, z: Array, model: Surrogate
) -> tuple[Hyperparameters, Trial | None]:
    """The newest that were recorded; a rule without a model records none, so they are fitted here."""
    fits = fits_of(trials, cube_of(spec.space).dim)
    if fits:
        trial, hyper = max(fits, key=lambda found: found[0].number)
        return hyper, trial
    found = fit(X, z, model)
    return (found.hyperparameters if math.isfinite(found.objective) else prior_mode(X.shape[1], model)), None
