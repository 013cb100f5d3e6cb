"""All results side by side: one axis per parameter, and one for the value, or for each outcome and numeric note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.history.progress import completed
from nonstop.history.scale import Scale, evenly, scales_of
from nonstop.history.view import View, notes_of, number_in, view
from nonstop.history.window import Window, everything, window
from nonstop.outcomes.goals import VALUE, Goals
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array, Direction

#: Limits for drawing: all lines, best results that are always among them, and crossings of lines and axes in total.
MOST, BEST, CROSSINGS = 1000, 200, 20_000
#: Axes for notes, at most.
NOTES = 6


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Another outcome, or a note, of the results that are shown."""

    name: str
    #: NaN where a result does not have it.
    values: Array
    #: The part of the values that is worth showing.
    window: Window


@dataclass(frozen=True, slots=True, eq=False)
class Parallel:
    """Results from the worst to the best, so that good lines are drawn on top; those that violate a constraint come
    first."""

    direction: Direction
    #: One for each parameter that has more than one value.
    scales: tuple[Scale, ...]
    #: (n, axes) positions on the scales; NaN where a parameter is not there.
    places: Array
    values: Array
    #: Trial numbers.
    numbers: tuple[int, ...]
    #: The number of all results, of which n are shown.
    of: int
    #: The part of the values that is worth showing; None without a result.
    window: Window | None
    #: The outcome or note that the colour shows.
    name: str = VALUE
    #: The others.
    columns: tuple[Column, ...] = ()
    #: How many of the results that are shown violate a constraint: the first ones.
    infeasible: int = 0
    #: Does the colour show a note, of which nobody said what would be better?
    note: bool = False


def parallel(spec: Spec, trials: Sequence[Trial], most: int = MOST, outcome: str | None = None) -> Parallel:
    """At most `most` results, the best of them included, by one of their outcomes or notes: the first objective unless
    it is named."""
    seen = view(spec, trials, outcome, noted=True)
    sign = seen.spec.sign
    done, scales = completed(seen.trials), scales_of(spec.space)
    others = _others(spec.goals, seen, done)
    merit = sign * np.array([trial.value for trial in done], dtype=np.float64)
    feasible = seen.feasible(done)
    most = min(most, CROSSINGS // (1 + len(scales) + len(others)))
    best = np.lexsort((-merit, ~feasible))
    rows = evenly(len(done), most, keep=best[:BEST].tolist())
    rows = sorted(rows, key=lambda row: (feasible[row], merit[row], row))
    shown = [done[row] for row in rows]
    places = [scale.places(trial.params or {} for trial in shown) for scale in scales]
    values = np.array([trial.value for trial in shown], dtype=np.float64)
    told = {trial.number: trial for trial in trials}
    columns = (_column(spec.goals, name, [told[trial.number] for trial in shown]) for name in others)
    return Parallel(
        seen.spec.direction,
        scales,
        np.array(places).reshape(len(scales), len(shown)).T,  # there may be no scale at all
        values,
        tuple(trial.number for trial in shown),
        len(done),
        window(values, sign) if shown else None,
        seen.name,
        tuple(column for column in columns if column is not None),
        int((~feasible[rows]).sum()),
        seen.note,
    )


def _others(goals: Goals, seen: View, done: Sequence[Trial]) -> list[str]:
    """The outcomes that the colour does not show, and some notes; a study that has only a value shows no notes."""
    if not goals.named:
        return [VALUE] if seen.note else []
    notes = [name for name in notes_of(done) if name not in goals.names][:NOTES]
    return [name for name in (*goals.names, *notes) if name != seen.name]


def _column(goals: Goals, name: str, shown: Sequence[Trial]) -> Column | None:
    found = [number_in(trial, name) if goals.named else trial.value for trial in shown]
    values = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    direction = goals.objectives.get(name)
    sign = 1.0 if direction == "maximize" else -1.0
    return Column(name, values, everything(known) if direction is None else window(known, sign))
