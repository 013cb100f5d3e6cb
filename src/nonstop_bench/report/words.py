"""Numbers in words and tables of a report, always the same way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from nonstop_bench.statistics import Estimate
from nonstop_bench.tables import markdown

NOTHING: Final = "–"
ABSENT: Final = "(not measured)"
NAMES: Final = {
    "ucb": "UCB",
    "logei": "LogEI",
    "kb-ucb": "KB-UCB",
    "kb-logei": "KB-LogEI",
    "ts": "TS",
    "e-logei": "E-LogEI",
    "lp-ucb": "LP-UCB",
    "llp-ucb": "LLP-UCB",
    "aegis": "AEGIS",
    "random": "random",
    "cl-max": "CL",
    "adaptive-ucb": "adaptive UCB",
    "adaptive-logei": "adaptive LogEI",
}


def named(rule: str) -> str:
    """A rule as the paper writes it."""
    return NAMES.get(rule, rule)


def task(name: str) -> str:
    """An experiment without the folder."""
    return name.removeprefix("paper/")


def interval(estimate: Estimate, digits: int = 2) -> str:
    """-0.12 [-0.30, 0.05]; without brackets if there are too few seeds for an interval."""
    if math.isinf(estimate.high):
        return signed(estimate.value, digits)
    return f"{signed(estimate.value, digits)} [{signed(estimate.low, digits)}, {signed(estimate.high, digits)}]"


def signed(value: float, digits: int = 2) -> str:
    """A number without a negative zero."""
    if math.isnan(value):
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def median(values: Mapping[int, float]) -> str:
    """The median over seeds."""
    return signed(float(np.median(list(values.values()))))


def percent(estimate: Estimate) -> str:
    """12.3 % [10.1, 14.0]"""
    if math.isnan(estimate.value):
        return NOTHING
    if math.isinf(estimate.high):
        return f"{100 * estimate.value:.1f} %"
    return f"{100 * estimate.value:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def p_value(p: float) -> str:
    """Two significant digits."""
    return NOTHING if math.isnan(p) else "1" if p >= 0.995 else f"{p:.2f}" if p >= 0.01 else f"{p:.1e}"


def listed(items: Iterable[str], empty: str = "none") -> str:
    """a, b and c"""
    given = list(items)
    if len(given) < 2:
        return given[0] if given else empty
    return f"{', '.join(given[:-1])} and {given[-1]}"


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, or a note that nothing was measured."""
    return markdown(head, rows) if rows else ABSENT
