"""Experiments by name: those of the paper, with the settings of its text or code, and our own.

The paper does not give the dimensions and worker counts of all its figures; the missing ones are our choice.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nonstop_bench.arena.halves import ARENA
from nonstop_bench.candidates import CANDIDATES, THOROUGH
from nonstop_bench.case import OURS, Case
from nonstop_bench.suites import CHOOSING, HELD_OUT
from nonstop_bench.walk import STEPS, TASKS

TEN: Final = ("ucb", "logei", "kb-ucb", "kb-logei", "ts", "e-logei", "lp-ucb", "llp-ucb", "aegis", "random")
#: The constant liar that pretends the best value so far, which is Ginsbourger's CL[min Y] where values are minimised:
#: the one that his experiments recommend, and the default of libraries that have it. Ours maximise, hence the name.
LIAR: Final = "cl-max"
ELEVEN: Final = (*TEN, LIAR)
FIVE: Final = ("ucb", "logei", "kb-ucb", "ts", "random")
#: What is compared over numbers of workers.
SIX: Final = ("ucb", "logei", "kb-ucb", "kb-logei", "ts", "random")
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


#: The synthetic tasks, by the name of their experiment.
SYNTHETIC: Final[Mapping[str, Case]] = {
    "ackley-10-q8": _ACKLEY,
    "michalewicz-5-q16": _MICHALEWICZ,
    "hartmann-6-q4": Case("hartmann-6", q=4),
    "hartmann-6-q8": Case("hartmann-6", q=8),
    "egg-holder-q4": Case("egg-holder", q=4),
    "rosenbrock-4-q4": Case("rosenbrock-4", q=4),
    "powell-20-q8": Case("powell-20", q=8),
    "ackley-20-q8": Case("ackley-20", q=8),
    "shifted-ackley-10-q8": Case("shifted-ackley-10", q=8),
}
#: Those of the paper's tables have more seeds than the paper's 20: its own differences need them.
_ABOUT: Final[Mapping[str, tuple[str, int]]] = {
    "ackley-10-q8": ("figure 1 (I) and the first pair of tables", 50),
    "michalewicz-5-q16": ("the second pair of tables", 50),
    "powell-20-q8": ("regret in a high dimension", 20),
    "ackley-20-q8": ("regret in a high dimension", 20),
    "shifted-ackley-10-q8": ("Ackley with its optimum away from the centre", 20),
}
#: Numbers of workers for the claim that standard rules scale; 8, or 16, is in the experiments above.
_WORKERS: Final = (1, 4, 8, 16, 20)


def _synthetic() -> Iterator[Preset]:
    for name, case in SYNTHETIC.items():
        about, seeds = _ABOUT.get(name, ("regret on synthetic tasks", 20))
        yield Preset(f"paper/{name}", about, case, ELEVEN, seeds)


def _priced() -> Iterator[Preset]:
    for name in ("ackley-10-q8", "michalewicz-5-q16"):
        case = replace(SYNTHETIC[name], overhead=PRICE)
        yield Preset(f"paper/{name}{PRICED}", "a suggestion costs 0.5 s", case, ELEVEN, 20)


def _sequential() -> Iterator[Preset]:
    """As many evaluations as the workers of the asynchronous runs make in 30 s, and distances to as many queries as
    they have busy; of two numbers of workers, the larger."""
    most = {case.problem: case for case in sorted(SYNTHETIC.values(), key=lambda case: case.q)}
    for problem in dict.fromkeys(case.problem for case in SYNTHETIC.values()):
        q = most[problem].q
        case = Case(problem, q=1, horizon=None, evaluations=30 * q, window=q)
        yield Preset(f"paper/{problem}-sequential", "distances of the sequential counterparts", case, STANDARD, 20)


def _scaling() -> Iterator[Preset]:
    for problem in ("ackley-10", "hartmann-6"):
        for q in _WORKERS:
            if f"{problem}-q{q}" not in SYNTHETIC:
                about = f"the same task with {q} worker{'s' if q > 1 else ''}"
                yield Preset(f"paper/{problem}-q{q}", about, Case(problem, q=q), SIX, 20)


def _unguarded() -> Iterator[Preset]:
    for name, case in SYNTHETIC.items():
        about = "busy points are not replaced by others"
        yield Preset(f"paper/{name}-unguarded", about, replace(case, guard=False), STANDARD, 20)


_ALL = (
    *_synthetic(),
    *_priced(),
    *_sequential(),
    Preset(
        "paper/ackley-10-q8-synchronous",
        "workers that wait for each other",
        replace(_ACKLEY, mode="synchronous"),
        STANDARD,
        20,
    ),
    *_scaling(),
    *_unguarded(),
    *(
        Preset(f"paper/{name}-q{q}", about, Case(name, q=q, horizon=horizon), ELEVEN, 20)
        for name, about, q, horizon in (
            ("pest-control", "a real task; time is the price paid", 4, 300.0),
            ("pest-control", "a real task; time is the price paid", 8, 150.0),
            ("xgboost-300", "a real task; time goes with the trees", 4, 30.0),
            ("xgboost-300", "a real task; time goes with the trees", 8, 15.0),
            ("proteus-emulated", "an emulator of PROTEUS from 120 evaluations", 4, 30.0),
            ("proteus-emulated", "an emulator of PROTEUS from 120 evaluations", 8, 30.0),
            ("proteus-emulated", "an emulator of PROTEUS from 120 evaluations", 20, 30.0),
        )
    ),
    Preset("paper/hartmann-6-q4-long", "a longer budget", Case("hartmann-6", q=4, horizon=100.0), FIVE, 20),
    Preset("paper/egg-holder-q4-long", "a longer budget", Case("egg-holder", q=4, horizon=100.0), FIVE, 20),
    *(
        Preset(f"walk/{task}/{step.name}", step.about, step.of(SYNTHETIC[task]), step.rules, 20)
        for task in TASKS
        for step in STEPS
    ),
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
    *(Preset(part.name, part.about, part.cases[0], (OURS,), 10, part.rivals, part.cases[1:]) for part in ARENA),
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
