"""The runs that a report is made of, read once; and which commit they are of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from nonstop_bench import records, score
from nonstop_bench.case import OURS
from nonstop_bench.presets import PRESETS, SYNTHETIC
from nonstop_bench.records import Record

#: The experiments of the synthetic tasks: asynchronous, 30 s, suggestions for nothing.
TASKS: Final = tuple(f"paper/{name}" for name in SYNTHETIC)
REAL: Final = ("paper/pest-control-q4", "paper/pest-control-q8", "paper/xgboost-300-q4", "paper/xgboost-300-q8")
#: A simulator emulated from its own runs, so no real task: not judged.
EMULATED: Final = tuple(f"paper/proteus-emulated-q{q}" for q in (4, 8, 20))
LONG: Final = ("paper/hartmann-6-q4-long", "paper/egg-holder-q4-long")
#: Rules that were made for asynchronous workers; random search is none.
PURPOSE_BUILT: Final = ("kb-ucb", "kb-logei", "ts", "e-logei", "lp-ucb", "llp-ucb", "aegis", "cl-max")
STANDARD: Final = ("ucb", "logei")


class Results:
    """A folder of result files. What is missing is empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs: dict[str, dict[str, list[Record]]] = {}

    def runs(self, name: str) -> dict[str, list[Record]]:
        """The runs of an experiment by rule, in order of seed."""
        if name not in self._runs:
            ours = [run for run in records.stored(self.folder, name) if run.case.optimizer == OURS]
            self._runs[name] = score.by_label(ours)
        return self._runs[name]

    def names(self) -> list[str]:
        """The experiments about the paper that have runs, in order."""
        return [name for name in PRESETS if name.startswith(("paper/", "walk/")) and self.runs(name)]

    def seeds(self, *names: str) -> str:
        """How many seeds these experiments have, in words: "20 seeds", "10 to 20 seeds"."""
        groups = [group for name in names for group in self.runs(name).values()]
        counts = [len({run.case.seed for run in group}) for group in groups]
        if not counts:
            return "no seeds"
        low, high = min(counts), max(counts)
        return f"{high} seed{'s' if high > 1 else ''}" if low == high else f"{low} to {high} seeds"


def finals(runs: Sequence[Record], at: float | None = None) -> dict[int, float]:
    """The log regret of each seed at a time, or at the end of the run."""
    return {run.case.seed: score.log_regret_at(run, run.case.ends if at is None else at) for run in runs}


def matched(first: dict[int, float], other: dict[int, float]) -> tuple[records.Array, records.Array]:
    """The numbers of the seeds that both have, in order."""
    seeds = sorted(first.keys() & other.keys())
    return np.array([first[seed] for seed in seeds]), np.array([other[seed] for seed in seeds])


def chosen(run: Record) -> slice:
    """The trials that the rule chose: not the initial ones, nor those that started the workers."""
    return slice(run.initial + run.case.q, None)
