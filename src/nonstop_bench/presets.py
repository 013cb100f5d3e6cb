"""Experiments by name: those of the paper, with the settings of its text or code, and our own.

The paper does not give the dimensions and worker counts of all its figures; the missing ones are our choice.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nonstop_bench import designed
from nonstop_bench.candidates import CANDIDATES, THOROUGH
from nonstop_bench.case import OURS, Case
from nonstop_bench.suites import CHOOSING, HELD_OUT

TEN: Final = ("ucb", "logei", "kb-ucb", "kb-logei", "ts", "e-logei", "lp-ucb", "llp-ucb", "aegis", "random")
FIVE: Final = ("ucb", "logei", "kb-ucb", "ts", "random")
STANDARD: Final = ("ucb", "logei")
#: The other optimisers, as peers/ calls them.
PEERS: Final = (
    "botorch-ucb",
    "botorch-logei",
    "botorch-qlogei",
    "optuna-gp",
    "optuna-tpe",
    "smac-rf",
    "random",
)
#: Those candidates that were also tried with other numbers of workers and other durations.
FINALISTS: Final = (OURS, *STANDARD)
#: Virtual seconds that a suggestion costs in the experiments with an overhead, and the suffix of their names.
PRICE: Final = 0.5
PRICED: Final = "-overhead"


@dataclass(frozen=True, slots=True)
class Preset:
    """An experiment: every rule and peer on every task, for several seeds."""

    name: str
    about: str
    base: Case
    rules: tuple[str, ...] = FIVE
    seeds: int = 10
    peers: tuple[str, ...] = ()
    #: Further tasks.
    also: tuple[Case, ...] = ()

    def cases(self, seeds: int | None = None, only: Sequence[str] | None = None) -> list[Case]:
        """All cases, seed by seed, so that an interrupted experiment has about the same seeds for every rule."""
        known = (*self.rules, *self.peers)
        unknown = set(only or ()) - set(known)
        if unknown:
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}, only {', '.join(known)}")
        contenders = [
            case
            for base in (self.base, *self.also)
            for case in (
                *(base.by(rule) for rule in self.rules),
                *(replace(base, rule="random", optimizer=peer) for peer in self.peers),
            )
            if only is None or case.label in only
        ]
        return [replace(case, seed=seed) for seed in range(seeds or self.seeds) for case in contenders]


_ACKLEY = Case("ackley-10", q=8)
_MICHALEWICZ = Case("michalewicz-5", q=16)
_CONTEST = tuple(replace(case, overhead="measured") for case in HELD_OUT)


def _varied(cases: Sequence[Case], q: int = 8, duration: str | None = None) -> tuple[Case, ...]:
    return tuple(replace(case, q=q, duration=duration) for case in cases)


_ALL = (
    Preset("paper/ackley-10-q8", "figure 1 (I) and the first pair of tables", _ACKLEY, TEN, 20),
    Preset("paper/michalewicz-5-q16", "the second pair of tables", _MICHALEWICZ, TEN, 20),
    Preset("paper/ackley-10-q8-overhead", "a suggestion costs 0.5 s", replace(_ACKLEY, overhead=PRICE), TEN, 20),
    Preset(
        "paper/michalewicz-5-q16-overhead", "a suggestion costs 0.5 s", replace(_MICHALEWICZ, overhead=PRICE), TEN, 20
    ),
    Preset("paper/hartmann-6-q4", "regret on synthetic tasks", Case("hartmann-6", q=4), FIVE, 20),
    Preset("paper/hartmann-6-q8", "regret on synthetic tasks", Case("hartmann-6", q=8), FIVE, 20),
    Preset("paper/egg-holder-q4", "regret on synthetic tasks", Case("egg-holder", q=4), FIVE, 20),
    Preset("paper/rosenbrock-4-q4", "regret on synthetic tasks", Case("rosenbrock-4", q=4), FIVE, 20),
    Preset("paper/powell-20-q8", "regret in a high dimension", Case("powell-20", q=8), FIVE, 10),
    Preset("paper/ackley-20-q8", "regret in a high dimension", Case("ackley-20", q=8), FIVE, 10),
    Preset(
        "paper/shifted-ackley-10-q8",
        "Ackley with its optimum away from the centre",
        Case("shifted-ackley-10", q=8),
        FIVE,
        20,
    ),
    Preset(
        "paper/ackley-10-sequential",
        "distances of the sequential counterparts",
        replace(_ACKLEY, q=1, horizon=None, evaluations=240, window=8),
        STANDARD,
        20,
    ),
    Preset(
        "paper/hartmann-6-sequential",
        "distances of the sequential counterparts",
        Case("hartmann-6", q=1, horizon=None, evaluations=240, window=8),
        STANDARD,
        20,
    ),
    Preset(
        "paper/ackley-10-q8-synchronous",
        "workers that wait for each other",
        replace(_ACKLEY, mode="synchronous"),
        STANDARD,
        20,
    ),
    Preset("paper/pest-control-q4", "a real task; time is the price paid", Case("pest-control", q=4, horizon=300.0)),
    Preset("paper/pest-control-q8", "a real task; time is the price paid", Case("pest-control", q=8, horizon=150.0)),
    Preset("paper/xgboost-300-q4", "a real task; time goes with the trees", Case("xgboost-300", q=4, horizon=30.0)),
    Preset("paper/xgboost-300-q8", "a real task; time goes with the trees", Case("xgboost-300", q=8, horizon=15.0)),
    Preset("paper/hartmann-6-q4-long", "a longer budget", Case("hartmann-6", q=4, horizon=100.0), FIVE, 10),
    Preset("paper/egg-holder-q4-long", "a longer budget", Case("egg-holder", q=4, horizon=100.0), FIVE, 10),
    Preset("choosing/q8", "the tasks on which the default was chosen", CHOOSING[0], CANDIDATES, 3, also=CHOOSING[1:]),
    *(
        Preset(f"choosing/{name}", about, _varied(CHOOSING, **how)[0], FINALISTS, 2, also=_varied(CHOOSING, **how)[1:])
        for name, about, how in (
            ("q4", "the same with fewer workers", {"q": 4}),
            ("q16", "the same with more workers", {"q": 16}),
            ("pareto", "the same with durations of a heavy tail", {"duration": "pareto"}),
        )
    ),
    Preset(
        "choosing/faster",
        "the default, and the same with more work for each proposal",
        CHOOSING[0],
        (OURS, THOROUGH),
        10,
        also=CHOOSING[1:],
    ),
    Preset(
        "peers/held-out",
        "the default and other optimisers, on tasks that played no part in choosing it",
        _CONTEST[0],
        (OURS,),
        10,
        PEERS,
        _CONTEST[1:],
    ),
    Preset(
        designed.NAME, "six factors crossed", designed.CELLS[0], designed.RULES, designed.SEEDS, also=designed.CELLS[1:]
    ),
    Preset("small", "Branin in seconds, to see how things work", Case("branin", q=4, horizon=5.0), FIVE, 3),
)
PRESETS: Final[Mapping[str, Preset]] = {preset.name: preset for preset in _ALL}


def preset(name: str) -> Preset:
    """The experiment of that name; ValueError suggests similar names."""
    try:
        return PRESETS[name]
    except KeyError:
        near = difflib.get_close_matches(name, PRESETS, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"they are {', '.join(PRESETS)}"
        raise ValueError(f"there is no experiment {name!r}: {hint}") from None
