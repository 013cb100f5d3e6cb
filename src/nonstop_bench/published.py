"""Numbers that the paper prints: its four tables, of regrets after 30 seconds over 20 seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

#: By the rule of the row and the rule of the column.
Cells: TypeAlias = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Published:
    """Two tables of one experiment: how often the row's rule had the lower regret, and p-values of the U test."""

    title: str
    win_rate: Cells
    mann_whitney: Cells


_COLUMNS = ("logei", "ts", "lp-ucb", "llp-ucb", "aegis", "kb-logei", "kb-ucb", "e-logei")
_TESTED = ("logei", "ts", "llp-ucb", "aegis", "kb-logei", "kb-ucb", "e-logei")  # the paper leaves out lp-ucb here


def _cells(columns: tuple[str, ...], ucb: tuple[float, ...], logei: tuple[float, ...]) -> Cells:
    first = {("ucb", column): number for column, number in zip(columns, ucb, strict=True)}
    return first | {("logei", column): number for column, number in zip(columns[1:], logei, strict=True)}


PUBLISHED: Final[Mapping[str, Published]] = {
    "paper/ackley-10-q8": Published(
        "Ackley (d = 10, q = 8)",
        _cells(_COLUMNS, (0.85, 1.0, 0.95, 1.0, 1.0, 0.95, 0.75, 0.9), (0.9, 0.7, 0.85, 0.6, 0.55, 0.4, 0.4)),
        _cells(
            _TESTED,
            (1.79e-4, 1.06e-7, 9.17e-8, 9.13e-7, 9.75e-6, 2.07e-2, 6.67e-6),
            (1.44e-4, 5.09e-4, 5.98e-1, 9.68e-1, 3.15e-2, 9.03e-1),
        ),
    ),
    "paper/michalewicz-5-q16": Published(
        "Michalewicz (d = 5, q = 16)",
        _cells(_COLUMNS, (0.75, 0.85, 0.75, 1.0, 1.0, 0.85, 0.55, 0.8), (0.6, 0.45, 0.8, 0.6, 0.5, 0.2, 0.4)),
        _cells(
            _TESTED,
            (1.12e-3, 8.29e-5, 4.54e-7, 5.87e-6, 2.60e-5, 3.65e-1, 2.75e-4),
            (5.61e-1, 4.60e-4, 3.37e-1, 7.15e-1, 1.14e-2, 5.43e-1),
        ),
    ),
}
