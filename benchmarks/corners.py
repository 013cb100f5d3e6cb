"""How long a proposal takes in discrete cubes, beside a continuous cube of as many columns, results and points in lists.

python benchmarks/corners.py [--out benchmarks/results/corners.md] [--repeats 3]

Each line of the table is one discrete space. Each case of it (so many results, a list of so many points that are busy,
believed or avoided, a rule) is measured in that space and in the continuous one with the same data, and the line has the
worst ratio of the two. Seconds are processor time of the one thread that works, so that other load on the machine hardly
counts; of several repeats the fastest is taken, because noise only ever adds. Hyperparameters are given and not estimated:
the fit is the same work in both spaces and would hide the difference.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time

import numpy as np

from nonstop import Categorical, Float, Int, Space, propose
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.space.cube import Cube
from nonstop.space.encoding import cube_of, decode
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.mirror import Mirror
from nonstop.trials.spec import Spec
from nonstop.trials.suggest import Basis, suggest
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array

LIMIT = 10.0  # times the continuous case, at most
LONG = 1.0  # seconds above which a case is measured once
RULES = (DEFAULT_RULE, "ucb", "logei", "kb-ucb", "lp-ucb", "ts")
RESULTS = (10, 100, 300)
LENGTHS = (10, 100, 1000)
SHORTER = (100, 1000)  # for the rules that are not the default


def _same(count: int, parameter: Float | Int | Categorical) -> dict[str, Float | Int | Categorical]:
    return {f"x{i}": parameter for i in range(count)}


SPACES: Mapping[str, Space] = {
    "8 wide integers": Space(_same(8, Int(0, 10**6))),
    "20 wide integers": Space(_same(20, Int(0, 10**6))),
    "56 wide integers": Space(_same(56, Int(0, 10**6))),
    "10 wide integers, 10 floats": Space(_same(10, Int(0, 10**6)) | {f"f{i}": Float(0, 1) for i in range(10)}),
    "3 integers of 5": Space(_same(3, Int(1, 5))),
    "2 integers of 90": Space(_same(2, Int(1, 90))),
    "10 integers of 2": Space(_same(10, Int(0, 1))),
    "13 integers of 2": Space(_same(13, Int(0, 1))),
    "4 categoricals of 4": Space(_same(4, Categorical(list("abcd")))),
    "6 categoricals of 4": Space(_same(6, Categorical(list("abcd")))),
    "10 categoricals of 4": Space(_same(10, Categorical(list("abcd")))),
    "2 integers of 9, a categorical of 5, 3 of 2": Space(
        _same(2, Int(1, 9)) | {"c": Categorical(list("abcde"))} | {f"b{i}": Categorical([True, False]) for i in range(3)}
    ),
    "an integer of 9, a categorical of 5, a float": Space(
        {"i": Int(1, 9), "c": Categorical(list("abcde")), "f": Float(0, 1)}
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """So many results, a list of so many further points, a rule."""

    results: int
    kind: str
    length: int
    rule: str

    def __str__(self) -> str:
        points = f"{self.length} {self.kind}" if self.length else "no list"
        return f"{self.rule}, n = {self.results}, {points}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The seconds of a case in a discrete space and in the continuous one."""

    case: Case
    seconds: float
    continuous: float

    @property
    def ratio(self) -> float:
        """How many times the continuous case it takes."""
        return self.seconds / self.continuous


def cases() -> Iterator[Case]:
    """All lists with the default rule; the longer ones with the others. "everything" is every point of a small cube."""
    for n in RESULTS:
        for rule in RULES:
            yield Case(n, "busy", 0, rule)
            for kind in ("busy", "believed", "avoid"):
                for length in LENGTHS if rule == DEFAULT_RULE else SHORTER:
                    yield Case(n, kind, length, rule)


def points(cube: Cube, count: int, seed: int) -> Array:
    """Random feasible points: in a small cube, the same ones again and again."""
    return cube.spread(np.random.default_rng([seed, count]).random((count, cube.axes)))


def results(cube: Cube, count: int) -> tuple[Array, Array]:
    """Points and values of a hill, with a little noise."""
    X, noise = points(cube, count, 0), np.random.default_rng(count).standard_normal(count)
    return X, -np.square(X - 0.4).sum(axis=1) + 0.01 * noise


@cache
def fitted(cube: Cube, count: int) -> Hyperparameters | None:
    """What the fit to these results finds."""
    return propose(*results(cube, count), cube=cube).hyperparameters


def proposal(cube: Cube, case: Case) -> Callable[[], object]:
    """The case through propose()."""
    X, y = results(cube, case.results)
    lists = {case.kind: points(cube, case.length, 1)}
    warm = fitted(cube, case.results)
    return lambda: propose(X, y, rule=case.rule, cube=cube, warm=warm, **lists)  # type: ignore[arg-type]


def suggestion(space: Space, case: Case) -> Callable[[], object]:
    """The case as a worker of a study meets it: params, from a mirror whose points are already encoded."""
    cube, spec = cube_of(space), Spec(space, "maximize", case.rule, initial=0)
    X, y = results(cube, case.results)
    states = {"busy": TrialState.RUNNING, "believed": TrialState.WAITING, "avoid": TrialState.FAILED}
    diagnostics = Diagnostics("model", hyperparameters=fitted(cube, case.results))
    mirror = Mirror(space)
    mirror.apply(
        Trial(i, TrialState.COMPLETED, decode(space, x), float(v), version=i, order=i + 1, diagnostics=diagnostics)
        for i, (x, v) in enumerate(zip(X, y, strict=True))
    )
    # Only believed trials were proposed from the same data as the one that is asked for.
    version = case.results if case.kind == "believed" else -1
    mirror.apply(
        Trial(case.results + i, states[case.kind], decode(space, x), version=version)
        for i, x in enumerate(points(cube, case.length, 1))
    )
    trial = Trial(case.results + case.length, TrialState.PROPOSING, version=case.results)
    return lambda: suggest(spec, mirror, trial, Basis.of(mirror, trial))


def exhausted(space: Space, kind: str, rule: str) -> Case | None:
    """Every point of a small cube is in the list."""
    size = cube_of(space).size
    return Case(100, kind, size, rule) if size is not None and size <= 8192 else None


def fastest(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of the fastest of some repeats; a case that takes long is not repeated."""
    work()  # one-time work is not measured
    seconds = []
    for _ in range(repeats):
        started = process_time()
        work()
        seconds.append(process_time() - started)
        if seconds[-1] > LONG:
            break
    return min(seconds)
