"""The tasks of the arena in two halves: on one a default may be chosen, on the other it is judged.

The split was fixed before any optimiser was run on the held-out half. Each kind of task is on both sides, with
different functions: the formulas of `suites`, COCO's in 5, 10 and 20 dimensions (continuous, mixed, and with noise of
their own), real models to be tuned, formulas with noise of 3, 10 and 30 % of their range, and formulas of which six of
50 or 100 parameters matter. No function of bbob is on both sides, not even behind a noise or with integers in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from nonstop_bench.case import Case
from nonstop_bench.suites import CHOOSING, HELD_OUT

Half: TypeAlias = Literal["choosing", "held-out"]
#: In percent of the range.
LEVELS: Final = (3, 10, 30)


def _noisy(*names: str) -> tuple[str, ...]:
    return tuple(f"noise-{level}-{name}" for level in LEVELS for name in names)


_BBOB: Final[Mapping[Half, tuple[str, ...]]] = {
    "choosing": ("f1-20", "f3-5", "f6-10", "f8-5", "f11-20", "f13-10", "f14-5", "f15-10", "f19-20", "f21-5"),
    "held-out": ("f2-10", "f5-20", "f7-5", "f9-20", "f10-5", "f12-10", "f16-5", "f17-20", "f20-10", "f22-5"),
}
_MIXED: Final[Mapping[Half, tuple[str, ...]]] = {
    "choosing": ("f8-5", "f6-10", "f15-20"),
    "held-out": ("f10-5", "f2-10", "f17-20"),
}
#: Of the choosing half: sphere, different powers, Rosenbrock; of the other: step ellipsoid twice, Schaffer's F7.
_NOISY: Final[Mapping[Half, tuple[str, ...]]] = {
    "choosing": ("f107-5", "f119-10", "f106-20"),
    "held-out": ("f113-5", "f115-10", "f122-20"),
}
_TUNING: Final[Mapping[Half, tuple[str, ...]]] = {
    "choosing": ("svm-digits", "forest-diabetes", "mlp-cancer", "pipeline-cancer", "weights-wine"),
    "held-out": (
        "svr-diabetes",
        "boosting-cancer",
        "sgd-digits",
        "pipeline-diabetes",
        "ard-diabetes",
        "knn-digits",
    ),
}
NOISE: Final[Mapping[Half, tuple[str, ...]]] = {
    "choosing": _noisy("hartmann-6", "rotated-levy-6", "shifted-ackley-10", "gp-4-0"),
    "held-out": _noisy("hartmann-3", "rotated-styblinski-tang-8", "rotated-cosine-4", "gp-6-1"),
}
SPARSE: Final[Mapping[Half, tuple[str, ...]]] = {
    "choosing": ("sparse-hartmann-50", "sparse-levy-50", "sparse-levy-100", "sparse-ackley-100"),
    "held-out": (
        "sparse-styblinski-tang-50",
        "sparse-rosenbrock-50",
        "sparse-styblinski-tang-100",
        "sparse-cosine-100",
    ),
}
_FORMULAS: Final[Mapping[Half, tuple[Case, ...]]] = {"choosing": CHOOSING, "held-out": HELD_OUT}


def case(name: str, noise: float = 0.0) -> Case:
    """100 evaluations by eight workers. A suggestion costs what it takes, so that one run answers both questions: what
    is reached after 100 evaluations, and what in the time in which an optimiser that costs nothing would have them."""
    return Case(name, q=8, horizon=None, evaluations=100, noise=noise, overhead="measured")


def tasks(half: Half) -> tuple[Case, ...]:
    """The tasks of a half but for those with noise and the sparse ones."""
    names = (
        *(f"bbob-{name}" for name in _BBOB[half]),
        *(f"bbob-mixint-{name}" for name in _MIXED[half]),
        *(f"bbob-noisy-{name}" for name in _NOISY[half]),
        *(f"tune-{name}" for name in _TUNING[half]),
    )
    return (*(case(each.problem, each.noise) for each in _FORMULAS[half]), *map(case, names))


def kind(problem: str) -> str:
    """What kind of task this is: the first word of its name, or a formula."""
    for prefix in ("bbob-mixint", "bbob-noisy", "bbob", "tune", "sparse", *(f"noise-{level}" for level in LEVELS)):
        if problem.startswith(f"{prefix}-"):
            return prefix
    return "formulas"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A part of a half: its name, what it is about, its tasks, and the other optimisers in it."""

    name: str
    about: str
    cases: tuple[Case, ...]
    rivals: tuple[str, ...]


#: As peers/ calls them. BoTorch's rule is the one that its users take: another where there is noise.
_RIVALS: Final = ("hebo", "hebo-batch", "botorch-qlogei", "optuna-gp", "optuna-tpe", "smac-rf", "ax", "random")
_RIVALS_IN_NOISE: Final = (
    "hebo",
    "hebo-batch",
    "botorch-qlognei",
    "optuna-gp",
    "optuna-tpe",
    "smac-rf",
    "ax",
    "random",
)


_BOTORCH: Final = "botorch"


def contender(label: str) -> str:
    """Who stands behind the label of a run: BoTorch is one contender, whichever of its rules a task asks for."""
    return _BOTORCH if label.startswith(f"{_BOTORCH}-") else label


def _experiments(half: Half) -> tuple[Experiment, ...]:
    purpose = "to choose a default on" if half == "choosing" else "to judge the default on"
    noisy, sparse = tuple(map(case, NOISE[half])), tuple(map(case, SPARSE[half]))
    return (
        Experiment(f"arena/{half}", f"tasks {purpose}", tasks(half), _RIVALS),
        Experiment(f"arena/{half}-noise", f"tasks {purpose}: noise of 3, 10, 30 %", noisy, _RIVALS_IN_NOISE),
        Experiment(f"arena/{half}-sparse", f"tasks {purpose}: 6 of 50 or 100 parameters", sparse, _RIVALS),
    )


ARENA: Final = (*_experiments("choosing"), *_experiments("held-out"))
