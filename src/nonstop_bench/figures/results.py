"""Runs from a folder of result files, by the names of experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nonstop_bench import records
from nonstop_bench.case import OURS
from nonstop_bench.figures.style import STYLES
from nonstop_bench.records import Record


class NoResultsError(ValueError):
    """None of the experiments that a figure shows has been run."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        super().__init__(f"{folder} has no results of {', '.join(names)}; run: nonstop-bench run {' '.join(names)}")


@dataclass(frozen=True, slots=True)
class Found:
    """The runs of our rules by experiment, and the names of experiments without any."""

    runs: dict[str, list[Record]]
    absent: tuple[str, ...]

    def together(self) -> list[Record]:
        """The runs of all experiments."""
        return [run for runs in self.runs.values() for run in runs]


def collect(folder: Path, names: Sequence[str]) -> Found:
    """The runs of these experiments; NoResultsError if none of them has any."""
    found = {name: runs for name in names if (runs := _ours(records.stored(folder, name)))}
    if not found:
        raise NoResultsError(names, folder)
    return Found(found, tuple(name for name in names if name not in found))


def _ours(runs: Sequence[Record]) -> list[Record]:
    return [run for run in runs if run.case.optimizer == OURS and run.case.rule in STYLES]
