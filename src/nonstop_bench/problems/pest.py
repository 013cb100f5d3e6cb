"""Pest control (Oh et al. 2019, COMBO): which of four pesticides, if any, to use at each of 25 stations in a row.

What is modelled, in 100 simulations side by side. The fraction of infested produce starts at Beta(1, 30). A station
without pesticide lets it grow by s of what is still clean, s ~ Beta(1, 17/3); one with pesticide p removes a share
c ~ Beta(1, b_p) of it, and b_p then grows by tolerance_p / 25: pests grow used to p. A station pays the price of its
pesticide, less a discount in proportion to how many stations use the same one, plus the share of simulations in which
more than a tenth was infested on arrival. The objective is the sum over stations, to be minimised.

COMBO draws anew at every evaluation. The variant that the paper and most others use draws every vector from a
generator seeded with 1 again, so that s is the same vector at all stations, and c depends only on p and on how often p
was used before. That is a deterministic function of the choices, and the one implemented here: NumPy promises that the
stream of RandomState never changes. Left out is the normal noise of 1e-6 that the paper's code adds.

The paper takes 12 for the optimum. The least value we know is 11.9916: pesticide 3 everywhere but at the last station.
Its regret is 0 like that of everything up to 12; where the paper takes |value - 12|, that is 0.0084.

An evaluation takes as many seconds as its pesticides cost, at least 5; on uniform points 14.2 on average. So the paper
says; its code takes the price of the point before it is scaled to choices, which is 0, and every evaluation lasts 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import nonstop
from nonstop_bench.durations import Array
from nonstop_bench.problems.task import BlackBox

#: One choice per station: 0 for no pesticide, or 1 to 4.
Choices: TypeAlias = NDArray[np.int64]

STATIONS, SIMULATIONS, SEED = 25, 100, 1
#: More than this fraction infested is a penalty.
THRESHOLD = 0.1
#: The paper's.
OPTIMUM = 12.0
#: An evaluation takes as long as it costs, but at least this.
SHORTEST = 5.0

# By choice.
PRICE = np.array([0.0, 1.0, 0.8, 0.7, 0.5])
DISCOUNT = np.array([0.0, 0.2, 0.3, 0.3, 0.0])
RESISTANCE = np.array([0.0, 2.0, 3.0, 3.0, 5.0]) / 7.0
TOLERANCE = np.array([0.0, 1.0, 2.5, 2.0, 0.5]) / 7.0
CHOICES = len(PRICE)


@dataclass(frozen=True, slots=True)
class Draws:
    """All random numbers. `kept` (choice, uses before, simulation) is the fraction of pests that survives it."""

    infested: Array
    spread: Array
    kept: Array


@lru_cache(maxsize=1)
def draws() -> Draws:
    """The random numbers of all evaluations, computed once."""
    kept = np.ones((CHOICES, STATIONS, SIMULATIONS))
    for choice in range(1, CHOICES):
        b = RESISTANCE[choice]
        for uses in range(STATIONS):
            kept[choice, uses] = 1.0 - _beta(b)
            b += TOLERANCE[choice] / STATIONS
    return Draws(_beta(30.0), _beta(17.0 / 3.0), kept)


def price(choices: Choices) -> float:
    """What the pesticides cost, with the discounts: (1 - discount * stations that use it / 25) each."""
    uses = np.bincount(choices, minlength=CHOICES)
    return float(np.sum(uses * PRICE * (1.0 - DISCOUNT * uses / STATIONS)))


def penalty(choices: Choices) -> float:
    """How many stations found more than a tenth infested, on average over the simulations."""
    random = draws()
    uses, above, now = [0] * CHOICES, 0, random.infested
    for choice in choices.tolist():
        above += int(np.count_nonzero(now > THRESHOLD))
        now = random.kept[choice, uses[choice]] * now if choice else random.spread * (1.0 - now) + now
        uses[choice] += 1
    return above / SIMULATIONS


def score(choices: Choices) -> float:
    """The value to minimise."""
    return price(choices) + penalty(choices)


def pest_control() -> BlackBox:
    """Each choice as one of five equal steps of [0, 1], as in the paper, which implies an order that does not exist."""

    def function(params: Mapping[str, object]) -> float:
        return score(_steps(np.array(list(params.values()), dtype=np.float64)))

    def duration(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
        return max(price(_steps(x)), SHORTEST)

    space = nonstop.Space({name: nonstop.Float(0.0, 1.0) for name in _names()})
    return BlackBox("pest-control", space, function, OPTIMUM, duration)


def pest_control_categorical() -> BlackBox:
    """The same 25 choices as categories."""

    def function(params: Mapping[str, object]) -> float:
        return score(np.array(list(params.values()), dtype=np.int64))

    def duration(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
        return max(price(np.argmax(x.reshape(STATIONS, CHOICES), axis=1)), SHORTEST)

    space = nonstop.Space({name: nonstop.Categorical(range(CHOICES)) for name in _names()})
    return BlackBox("pest-control-categorical", space, function, OPTIMUM, duration)


def _steps(u: Array) -> Choices:
    return np.minimum((CHOICES * u).astype(np.int64), CHOICES - 1)


def _names() -> list[str]:
    return [f"station{i:02}" for i in range(1, STATIONS + 1)]


def _beta(b: float) -> Array:
    """Beta(1, b) numbers, always from the start of the same stream."""
    return np.random.RandomState(SEED).beta(1.0, b, size=SIMULATIONS)
