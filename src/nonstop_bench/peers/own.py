"""Our side of the comparisons: single steps of a proposal, at given hyperparameters."""

import numpy as np

from nonstop.acquisition.maximize import Terrain, maximize
from nonstop.acquisition.rule import Choice, Score
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.space.cube import Cube
from nonstop.surrogate.fit import fit
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.types import Array

RULES: dict[str, Score] = {"ucb": UCB(), "logei": LogEI()}
_CENTERS = 8  # as propose() has it


def hyperparameters(lengthscale: Array, noise: float) -> Hyperparameters:
    """Hyperparameters as nonstop has them."""
    return Hyperparameters(tuple(map(float, lengthscale)), float(noise))


def acquisition(gp: GP, rule: str) -> Scored:
    """The acquisition of the rule on this posterior, with the best observation as incumbent."""
    return Scored(RULES[rule], gp, float(gp.y.max()), len(gp.X))


def terrain(gp: GP) -> Terrain:
    """The search region of propose() in a continuous space."""
    d = gp.X.shape[1]
    best = np.argsort(-gp.y, kind="stable")[:_CENTERS]
    return Terrain(Cube.continuous(d), gp.lengthscales, gp.X[best], np.empty((0, d)))


def maximise(gp: GP, rule: str, seed: int = 0) -> Choice:
    """The point propose() would choose with this model."""
    return maximize(acquisition(gp, rule), terrain(gp), np.random.default_rng(seed))


def fitted(X: Array, y: Array) -> Hyperparameters:
    """MAP hyperparameters, from scratch."""
    return fit(X, y).hyperparameters
