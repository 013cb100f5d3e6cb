"""Texts about runs in figures: titles of panels, numbers of seeds, conditions of the experiment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nonstop_bench.case import Case
from nonstop_bench.records import Record

_NAMES = {
    "xgboost-300": "XGBoost, 300 trees at most",
    "xgboost": "XGBoost",
    "cnn": "CNN on CIFAR-10",
    "proteus": "PROTEUS",
}


def task_name(problem: str) -> str:
    """ "shifted-ackley-10" -> "Shifted Ackley"."""
    if problem in _NAMES:
        return _NAMES[problem]
    words = re.sub(r"-\d+$", "", problem).split("-")
    return " ".join(word.capitalize() for word in words)


def title(runs: Sequence[Record], *, workers: bool = True) -> str:
    """The title of a panel: task, dimension and number of workers."""
    first = runs[0]
    inside = f"d = {first.dim}, q = {first.case.q}" if workers else f"d = {first.dim}"
    return f"{task_name(first.case.problem)} ({inside})"


def seeds(runs: Iterable[Record]) -> str:
    """ "20 seeds", or from the least to the largest number if the rules of all experiments differ in it."""
    numbers: dict[Case, set[int]] = {}
    for run in runs:
        numbers.setdefault(replace(run.case, seed=0), set()).add(run.case.seed)
    counts = [len(found) for found in numbers.values()]
    low, high = min(counts), max(counts)
    return f"{high} seed{'' if high == 1 else 's'}" if low == high else f"{low} to {high} seeds"


def overhead(runs: Iterable[Record]) -> str:
    """What a suggestion costs its worker."""
    texts = sorted({_overhead(run.case.overhead) for run in runs})
    return " or ".join(texts)


def _overhead(cost: float | str) -> str:
    if cost == "measured":
        return "a suggestion takes the virtual time that it really took"
    return "suggestions take no virtual time" if cost == 0.0 else f"a suggestion takes {cost:g} virtual seconds"


def left_out(names: Sequence[str]) -> str:
    """A note for the caption; empty if nothing is absent."""
    return f" (left out, as there are no results: {', '.join(names)})" if names else ""
