"""Taken points, against a version that compares all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nonstop import propose
from nonstop.acquisition.rule import Choice
from nonstop.acquisition.taken import APART, SAME, Taken
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.types import Array

CUBES = [
    Cube((Levels(3), Levels(4))),
    Cube((OneHot(3), Levels(4, first=1), OneHot(2))),
    Cube((Levels(10**6),)),
    Cube((Levels(2),) * 14),
    Cube((Continuous(), Levels(3))),
    Cube.continuous(2),
]


def brute_force(taken: Array, choice: Choice, cube: Cube, rng: np.random.Generator) -> tuple[Array, bool]:
    """The first free one of the choice, its runners-up and everything else, by comparing each with all that are taken;
    and whether it is the choice."""
    tolerance = np.where(cube.flexible, APART, SAME)

    def is_free(x: Array) -> bool:
        return not any((np.abs(x - other) < tolerance).all() for other in taken)

    if is_free(choice.x):
        return choice.x, True
    for x in choice.others:
        if is_free(x):
            return x, False
    everything = cube.enumerate(8192)
    blocks = (
        [rng.permutation(everything)]
        if everything is not None
        else (cube.spread(rng.random((64, cube.axes))) for _ in range(16))
    )
    for block in blocks:
        for x in block:
            if is_free(x):
                return x, False
    return choice.x, True


@pytest.mark.parametrize("case", range(len(CUBES)))
@pytest.mark.parametrize("error", [0.0, 1e-9, 3e-7])
def test_the_first_free_point_is_that_of_brute_force(case: int, error: float) -> None:
    """With exact points, with rounding errors, with points that are not feasible, and with everything taken."""
    cube = CUBES[case]
    for seed in range(40):
        rng = np.random.default_rng([case, seed])
        pool = cube.spread(rng.random((12, cube.axes)))
        others = pool[rng.integers(12, size=rng.integers(0, 20))]
        taken = pool[rng.integers(12, size=rng.integers(1, 40))]
        everything = cube.enumerate(100)
        if everything is not None and seed % 4 == 0:
            taken = everything
        taken = np.clip(taken + error * rng.uniform(-1.0, 1.0, taken.shape), 0.0, 1.0)
        if seed % 5 == 0:
            taken = np.concatenate([taken, rng.random((3, cube.dim))])
        choice = Choice(taken[0] if seed % 7 == 0 else pool[0], 1.0, others)
        found = Taken.of([taken[:5], taken[5:]], cube).free(choice, np.random.default_rng(seed))
        x, chosen = brute_force(taken, choice, cube, np.random.default_rng(seed))
        assert found.x.tobytes() == x.tobytes()
        assert (found.value == 1.0) if chosen else math.isnan(found.value)


@pytest.mark.parametrize("rule", ["ucb", "kb-ucb", "ts", "random"])
@pytest.mark.parametrize("size", [12, 13, 14])
def test_an_exhausted_cube_is_noticed_at_once(rule: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing each of 8,192 points with each of 8,192 that are taken took seconds."""
    cube = Cube((Levels(2),) * size)
    everything = cube.enumerate(2**size)
    assert everything is not None
    asked: list[Array] = []
    clashes = Taken.clashes

    def counted(taken: Taken, x: Array) -> Array:
        asked.append(x)
        return clashes(taken, x)

    monkeypatch.setattr(Taken, "clashes", counted)
    X = everything[:: 2 ** (size - 4)]
    proposal = propose(X, X.sum(axis=1), rule=rule, cube=cube, avoid=everything)
    assert np.array_equal(cube.snap(proposal.x[None])[0], proposal.x)
    assert 1 <= len(asked) <= 3


def test_the_last_free_point_of_a_large_cube_is_found() -> None:
    cube = Cube((Levels(2),) * 13)
    everything = cube.enumerate(8192)
    assert everything is not None
    rest = np.delete(everything, 5000, axis=0).astype(np.float32)  # with rounding errors
    for rule in ("ucb", "kb-ucb", "lp-ucb", "ts", "random"):
        x = propose(everything[:20], np.arange(20.0), rule=rule, cube=cube, avoid=rest).x
        assert np.array_equal(x, everything[5000]), rule
