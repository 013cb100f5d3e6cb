"""What is sought, given a model of every outcome: one posterior for a rule to look at, the value that it has to beat,
and which points are likely to keep the bounds.

With one objective the posterior is that of its model; with several it is that of a scalarisation in a random direction
(surrogate/scalarized.py), another one for every proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nonstop.acquisition.aim import Aim
from nonstop.acquisition.feasible import bound_term
from nonstop.acquisition.rule import Term
from nonstop.numerics.hypervolume import nondominated
from nonstop.space.embedding import Embedding
from nonstop.surrogate.fitted import FitRung, Fitted, fitted, several_output
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import Incumbent, Surrogate, one_of_several
from nonstop.surrogate.output import Bilog, Output, Standardize
from nonstop.surrogate.scalarized import Posterior, Scalarized, direction
from nonstop.surrogate.thinning import best_and_even
from nonstop.types import Array


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model of one outcome says of a point before its evaluation, in standardised units. For an objective,
    larger is better, whatever its direction; of an outcome with a bound it is the slack: the bound is at 0, and what
    is positive keeps it."""

    #: The posterior mean.
    mean: float
    #: The posterior standard deviation.
    sd: float
    #: Those of the model of this outcome.
    hyperparameters: Hyperparameters


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """`models` has one for each outcome, `violation` (n,) is 0 for the results that keep all bounds."""

    aim: Aim
    models: tuple[Fitted, ...]
    posterior: Posterior
    best: float
    violation: Array

    @classmethod
    def of(
        cls,
        aim: Aim,
        models: tuple[Fitted, ...],
        kept: NDArray[np.bool_],
        incumbent: Incumbent,
        rng: np.random.Generator,
    ) -> Sought:
        """`kept` says which results keep all bounds, row by row of the models."""
        gps = tuple(models[i].gp for i in aim.objectives)
        best = kept if kept.any() else ~kept
        posterior: Posterior = gps[0]
        if len(gps) > 1:
            values = np.stack([gp.at_data() if incumbent == "believed" else gp.y for gp in gps], axis=1)
            posterior = Scalarized.of(gps, values, values[best], direction(rng, len(gps)))
        reached = posterior.at_data() if incumbent == "believed" else posterior.y
        violation = np.zeros(len(kept))
        for i in aim.constraints:
            violation += np.maximum(_bound(models[i]) - models[i].gp.y, 0.0)
        violation = np.where(kept, 0.0, np.maximum(violation, 1e-300))
        return cls(aim, models, posterior, float(reached[best].max()), violation)

    @property
    def found(self) -> bool:
        """Is there a result that keeps all bounds?"""
        return bool((self.violation == 0.0).any())

    @property
    def ranking(self) -> NDArray[np.intp]:
        """The results, best first; those that violate a bound come last, by how much they do."""
        return np.lexsort((-self.posterior.y, self.violation))

    @property
    def believed_best(self) -> Array:
        """The point (d,) of the result that is believed best; among those that violate bounds least, if all do."""
        least = self.violation == self.violation.min()
        return np.asarray(self.posterior.X[np.where(least, self.posterior.at_data(), -np.inf).argmax()])

    @property
    def noise(self) -> float:
        """The least noise of an objective."""
        return min(self.models[i].hyperparameters.noise for i in self.aim.objectives)

    @property
    def rung(self) -> FitRung:
        """The lowest of the models."""
        return max((model.rung for model in self.models), key=get_args(FitRung).index)

    @property
    def seconds(self) -> float:
        """How long the fits took."""
        return sum(model.seconds for model in self.models)

    def terms(self, pending: Array) -> tuple[Term, ...]:
        """The log-probabilities that bounds are kept, given points that are believed."""
        models = [self.models[i] for i in self.aim.constraints]
        return tuple(bound_term(model.gp, _bound(model), model.results, pending) for model in models)

    def expected(self, P: Array) -> NDArray[np.bool_]:
        """Which points are expected to keep the bounds: those whose means do."""
        models = [self.models[i] for i in self.aim.constraints]
        kept = [model.gp.moments(P)[0] >= _bound(model) for model in models]
        return np.asarray(np.all(kept, axis=0)) if kept else np.ones(len(P), dtype=bool)

    def predictions(self, x: Array) -> tuple[Prediction, ...]:
        """What each model says of a point."""
        found = []
        for model in self.models:
            (mean,), (variance,) = model.gp.moments(x[None])
            found.append(Prediction(float(mean) - _bound(model), float(np.sqrt(variance)), model.hyperparameters))
        return tuple(found)

    def feasible(self, predictions: Sequence[Prediction]) -> float:
        """The probability that all bounds are kept, from the predictions for a point."""
        return float(np.prod([ndtr(predictions[i].mean / predictions[i].sd) for i in self.aim.constraints]))


def modelled(
    surrogate: Surrogate,
    aim: Aim,
    X: Array,
    Y: Array,
    warm: Sequence[Hyperparameters | None],
    embedding: Embedding,
) -> tuple[Fitted, ...]:
    """A model of each outcome: X (n, d), Y (m, n), larger being better. All models hold the same results."""
    surrogate = one_of_several(surrogate) if len(Y) > 1 else surrogate
    rows = best_and_even(_merit(aim, Y), surrogate.max_points)
    least = _least(aim, Y[:, rows])
    models: list[Fitted] = []
    for i, y in enumerate(Y):
        output: Output | None = None
        if i in aim.constraints:
            output = Bilog.of(y[rows])
        elif len(aim.objectives) > 1:
            output = several_output(surrogate, y[rows], least[i])
        like = [model.gp for model in models]
        models.append(fitted(surrogate, X, y, warm[i], None, embedding, output, rows, like))
    return tuple(models)


def _least(aim: Aim, Y: Array) -> dict[int, float]:
    """The worst value of the front in each of several objectives, by its column."""
    if len(aim.objectives) == 1:
        return {}
    kept = aim.kept(Y)
    values = Y[list(aim.objectives)][:, kept if kept.any() else ~kept].T
    least = values[nondominated(values)].min(axis=0)
    return dict(zip(aim.objectives, map(float, least), strict=True))


def _merit(aim: Aim, Y: Array) -> Array:
    """How good each result is (n,), roughly: by its worst objective, and worse than all others if it violates a
    bound."""
    if len(Y) == 1:
        return cast("Array", Y[0])
    worst = np.min([Standardize.of(Y[i]).forward(Y[i]) for i in aim.objectives], axis=0)
    return np.asarray(np.where(aim.kept(Y), worst, worst - 1e6))


def _bound(model: Fitted) -> float:
    """Where the bound is in the units of the model; 0 for an objective, which has none."""
    return model.output.bound if isinstance(model.output, Bilog) else 0.0
