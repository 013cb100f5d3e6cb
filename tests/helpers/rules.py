"""Views without a study: real rules on a given GP, with the real maximiser or one that only listens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nonstop.acquisition.maximize import Terrain, maximize
from nonstop.acquisition.rule import Acquisition, Choice, Chooser, View
from nonstop.acquisition.rules import RULES as EVERY
from nonstop.space.cube import Cube
from nonstop.surrogate.gp import GP
from nonstop.types import Array

#: The names of the rules that work with one objective.
RULES = [name for name, rule in EVERY.items() if getattr(rule, "objectives", 1) == 1]


def view_of(gp: GP, busy: Array, seed: int = 0) -> View:
    """What propose() would show to a rule."""
    d = gp.X.shape[1]
    rng = np.random.default_rng(seed)
    order = np.argsort(-gp.y, kind="stable")[:8]
    terrain = Terrain(Cube.continuous(d), gp.lengthscales, gp.X[order], np.empty((0, d)))
    best, none, cube = float(gp.y.max()), np.empty((0, d)), Cube.continuous(d)
    return View(gp, best, len(gp.X), busy, none, cube, rng, lambda a: maximize(a, terrain, rng))


def acquisition_of(rule: Chooser, gp: GP, busy: Array, seed: int = 0) -> Acquisition:
    """The function that a rule asks to be maximised."""
    heard: list[Acquisition] = []

    def listen(acquisition: Acquisition) -> Choice:
        heard.append(acquisition)
        return Choice(gp.X[0], 0.0, gp.X[1:])

    rule.choose(replace(view_of(gp, busy, seed), maximize=listen))
    assert len(heard) == 1
    return heard[0]
