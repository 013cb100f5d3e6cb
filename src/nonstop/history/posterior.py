"""The model of a study, with the hyperparameters of its newest proposal and in the units of the values: what slices,
contours and checks show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.history.progress import completed
from nonstop.history.relevance import fits_of
from nonstop.history.view import View, view
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.numerics.threads import limit_threads
from nonstop.space.embedding import embedding_of
from nonstop.space.encoding import cube_of, encode_many
from nonstop.surrogate.fitted import Fitted, fitted, several_output
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import Surrogate, one_of_several, surrogate_of
from nonstop.surrogate.output import Bilog, Output
from nonstop.surrogate.thinning import best_and_even
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array

#: Results in the model, at most: a figure needs no more, and the work is cubic in them.
MOST = 500
#: How many standard deviations on either side of the mean hold 95 % of a normal distribution.
SIGMAS = 1.96


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """A model of sign * value - offset: of an outcome with a bound, of how far inside it is."""

    #: The fitted model.
    fitted: Fitted
    #: -1 if the study minimises, else 1.
    sign: float
    #: The trials whose results the model holds: row i of its data is trials[i].
    trials: tuple[Trial, ...]
    #: The row of the best result.
    incumbent: int
    #: The trial that recorded the hyperparameters; None if they were fitted for the occasion.
    source: Trial | None
    #: The outcome that is modelled, and the study seen by it.
    view: View
    #: What is subtracted before the transform.
    offset: float = 0.0

    @property
    def gp(self) -> GP:
        """The posterior, of transformed values."""
        return self.fitted.gp

    @property
    def output(self) -> Output:
        """The transform of the values."""
        return self.fitted.output

    @property
    def values(self) -> Array:
        """The results in the model, as they were told."""
        return np.array([trial.value for trial in self.trials], dtype=np.float64)

    def predict(self, P: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the noiseless value at the rows of P."""
        mean, variance = self.gp.moments(P)
        sd = np.sqrt(variance)
        # The transform is not linear: take half of the interval between one deviation below and one above.
        span = self.output.backward(mean + sd) - self.output.backward(mean - sd)
        return self._back(mean), 0.5 * span

    def band(self, mean: Array, sd: Array) -> tuple[Array, Array, Array]:
        """The median, and the bounds of 95 %, in the units of the values. If those were compressed, the interval is
        longer on the bad side of the median than on the good one."""
        ends = [self._back(mean + side * SIGMAS * sd) for side in (0.0, -self.sign, self.sign)]
        return ends[0], ends[1], ends[2]

    def _back(self, z: Array) -> Array:
        return self.sign * (self.output.backward(z) + self.offset)


@dataclass(frozen=True, slots=True)
class Belief:
    """What the model believes of the noiseless value at the point of a trial."""

    trial: Trial
    #: The posterior mean, in the units of the values.
    mean: float
    #: The posterior standard deviation, in the units of the values.
    sd: float


def believed_best(spec: Spec, trials: Sequence[Trial]) -> Belief | None:
    """The completed trial with the best posterior mean, of the feasible ones if there are any. Of a noisy objective,
    the best value is partly luck."""
    spec.goals.sign  # noqa: B018  # or StudyError: with several objectives there is no best
    model = posterior(spec, trials)
    if model is None:
        return None
    feasible, means = model.view.feasible(model.trials), model.gp.at_data()
    row = int(np.where(feasible | ~feasible.any(), means, -np.inf).argmax())
    mean, sd = model.predict(model.gp.X[row : row + 1])
    return Belief(model.trials[row], float(mean[0]), float(sd[0]))


def posterior(spec: Spec, trials: Sequence[Trial], most: int = MOST, outcome: str | None = None) -> Posterior | None:
    """The model of one outcome of the completed trials, the first objective unless it is named; None without a result,
    if there is nothing to search, or if its matrix cannot be inverted."""
    seen = view(spec, trials, outcome)
    spec = seen.spec
    done = completed(seen.trials)
    if not done or not cube_of(spec.space).axes:
        return None
    X = encode_many(spec.space, [trial.params or {} for trial in done])
    offset = 0.0 if seen.bound is None else spec.sign * seen.bound.value
    y = spec.sign * np.array([trial.value for trial in done], dtype=np.float64) - offset
    surrogate = surrogate_of(spec.surrogate)
    surrogate = one_of_several(surrogate) if seen.several else surrogate
    rows = best_and_even(y, min(most, surrogate.max_points))
    best = next((row for row, trial in enumerate(done) if trial.number == seen.best), int(y.argmax()))
    rows = rows if best in rows else np.union1d(rows, [best])
    output = _output(surrogate, seen, y[rows])
    source, recorded = _newest(spec, seen.trials)
    embedding = embedding_of(cube_of(spec.space))
    try:
        with limit_threads(1):
            model = fitted(surrogate, X, y, recorded, math.inf, embedding, output, rows)
    except NotPositiveDefiniteError:
        return None
    held, incumbent = tuple(done[row] for row in rows), int(np.flatnonzero(rows == best)[0])
    return Posterior(model, spec.sign, held, incumbent, source, seen, offset)


def _output(surrogate: Surrogate, seen: View, y: Array) -> Output | None:
    """The transform that a proposal gives the outcome, where it is not the surrogate's."""
    if seen.bound is not None:
        return Bilog.of(y)
    return several_output(surrogate, y, seen.least) if seen.least is not None else None


def _newest(spec: Spec, trials: Sequence[Trial]) -> tuple[Trial | None, Hyperparameters | None]:
    """The newest recorded hyperparameters and their trial. Rules without a model record none."""
    fits = fits_of(trials, cube_of(spec.space).dim)
    return max(fits, key=lambda found: found[0].number) if fits else (None, None)
