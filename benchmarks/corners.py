"""How long a proposal takes in discrete spaces, beside a continuous space of as many columns.

python benchmarks/corners.py [--out benchmarks/results/corners.md] [--repeats 3]

Each line of the table is one discrete space. Each case (so many results, a list of so many points that are busy,
believed or avoided, a rule) is measured there and in the continuous space, and the line has the case with the worst
ratio of the two. Seconds are processor time of the one thread that works, so that other load on the machine hardly
counts; of several repeats the fastest is taken, because noise only ever adds. Hyperparameters are given and not
estimated: the fit is the same work in both spaces and would hide the difference.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
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
LONG = 0.1  # seconds above which a case is measured once
SMALL = 8192  # points of a cube that are listed completely
OTHERS = ("ucb", "logei", "kb-ucb", "lp-ucb", "ts")  # rules beside the default
KINDS = ("busy", "believed", "avoid")


def _same(count: int, parameter: Float | Int | Categorical) -> dict[str, Float | Int | Categorical]:
    return {f"x{i}": parameter for i in range(count)}


WIDE, LETTERS = Int(0, 10**6), Categorical(list("abcd"))
SPACES: Mapping[str, Space] = {
    "8 integers of 10^6": Space(_same(8, WIDE)),
    "20 integers of 10^6": Space(_same(20, WIDE)),
    "56 integers of 10^6": Space(_same(56, WIDE)),
    "10 integers of 10^6, 10 floats": Space(_same(10, WIDE) | {f"f{i}": Float(0, 1) for i in range(10)}),
    "20 integers of 20": Space(_same(20, Int(1, 20))),
    "56 integers of 2": Space(_same(56, Int(0, 1))),
    "3 integers of 5": Space(_same(3, Int(1, 5))),
    "2 integers of 90": Space(_same(2, Int(1, 90))),
    "10 integers of 2": Space(_same(10, Int(0, 1))),
    "13 integers of 2": Space(_same(13, Int(0, 1))),
    "4 categoricals of 4": Space(_same(4, LETTERS)),
    "6 categoricals of 4": Space(_same(6, LETTERS)),
    "10 categoricals of 4": Space(_same(10, LETTERS)),
    "2 integers of 9, 2 categoricals of 4": Space(_same(2, Int(1, 9)) | {"b": LETTERS, "c": LETTERS}),
    "an integer of 9, a categorical of 4, a float": Space({"i": Int(1, 9), "c": LETTERS, "f": Float(0, 1)}),
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
    """Many results and lists with the default rule, some with the others."""
    for n, length, kind in product((10, 100, 300), (10, 100, 1000), KINDS):
        yield Case(n, kind, length, DEFAULT_RULE)
    for n in (10, 100, 300):
        yield Case(n, "busy", 0, DEFAULT_RULE)
    for rule, length, kind in product(OTHERS, (100, 1000), KINDS):
        yield Case(100, kind, length, rule)
    for rule in OTHERS:
        yield Case(300, "busy", 0, rule)


def exhausting(cube: Cube, rules: Iterable[str]) -> Iterator[Case]:
    """Every point of a small cube is avoided."""
    if cube.size is not None and cube.size <= SMALL:
        for rule in rules:
            yield Case(100, "avoid", cube.size, rule)


def points(cube: Cube, count: int, seed: int) -> Array:
    """Random feasible points, in a small cube the same ones again and again; or all points, if there are so many."""
    everything = cube.enumerate(SMALL) if cube.size == count else None
    if everything is not None:
        return everything
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


def fastest(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of the fastest of some repeats; a case that takes long is not repeated."""
    seconds = []
    for _ in range(1 + repeats):  # the first one does one-time work as well
        started = process_time()
        work()
        seconds.append(process_time() - started)
        if seconds[-1] > LONG:
            break
    return min(seconds)


class Proposals:
    """Measures cases through propose(), the continuous ones once for each number of columns."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self.baseline: dict[tuple[int, Case], float] = {}

    def measure(self, cube: Cube, chosen: Iterable[Case]) -> Iterator[Measured]:
        """The cases in this cube and in the continuous one."""
        for case in chosen:
            key = cube.dim, case
            if key not in self.baseline:
                self.baseline[key] = fastest(proposal(Cube.continuous(cube.dim), case), self.repeats)
            yield Measured(case, fastest(proposal(cube, case), self.repeats), self.baseline[key])


def suggestions(space: Space, repeats: int) -> Iterator[Measured]:
    """Some cases through a study."""
    twin = Space({f"x{i}": Float(0, 1) for i in range(cube_of(space).dim)})
    for kind, length in (("busy", 0), ("busy", 100), ("believed", 100), ("avoid", 1000)):
        case = Case(100, kind, length, DEFAULT_RULE)
        yield Measured(case, fastest(suggestion(space, case), repeats), fastest(suggestion(twin, case), repeats))


def line(name: str, measured: list[Measured]) -> str:
    """A row of the table: the case with the worst ratio."""
    worst = max(measured, key=lambda one: one.ratio)
    mark = "" if worst.ratio <= LIMIT else " (too slow)"
    shown = f"{1e3 * worst.seconds:.1f} | {1e3 * worst.continuous:.1f} | {worst.ratio:.1f}{mark} | {worst.case}"
    return f"| {name} | {len(measured)} | {shown} |"


def page_head(repeats: int) -> str:
    """What the page shows, and where it was made."""
    return "\n".join(
        [
            "# Proposals in discrete spaces\n",
            f"Made by `python benchmarks/corners.py --repeats {repeats}` (`make bench-corners`). Of each space, the",
            "case with the worst ratio to a continuous space of as many columns, results and points in lists. The",
            f"ratio should be {LIMIT:g} at most. Milliseconds of processor time, one thread, given hyperparameters.",
            f"{platform.platform()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f},",
            f"Python {platform.python_version()}, NumPy {np.__version__}.",
        ]
    )


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description="Time proposals in discrete spaces beside continuous ones.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/corners.md"))
    arguments = parser.parse_args()
    proposals = Proposals(arguments.repeats)
    sections: dict[str, Callable[[Space], Iterator[Measured]]] = {
        "`propose()`": lambda space: proposals.measure(cube_of(space), cases()),
        "`propose()`, every point of a small cube avoided": lambda space: proposals.measure(
            cube_of(space), exhausting(cube_of(space), (DEFAULT_RULE, *OTHERS))
        ),
        "The same with the rule random, which fits no model": lambda space: proposals.measure(
            cube_of(space), exhausting(cube_of(space), ("random",))
        ),
        "A study's suggestion": lambda space: suggestions(space, arguments.repeats),
    }
    text = [page_head(arguments.repeats)]
    for title, measure in sections.items():
        text += [f"\n## {title}\n", "| space | cases | discrete, ms | continuous, ms | ratio | worst case |"]
        text += ["|---|---|---|---|---|---|"]
        for name, space in SPACES.items():
            if measured := [*measure(space)]:
                text.append(line(name, measured))
                print(text[-1], flush=True)
    arguments.out.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
