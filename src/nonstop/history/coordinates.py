"""All results side by side: one axis per parameter, and one for the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.history.progress import completed
from nonstop.history.scale import Scale, evenly, scales_of
from nonstop.history.window import Window, window
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array, Direction

#: Limits for drawing: all lines, best results that are always among them, and crossings of lines and axes in total.
MOST, BEST, CROSSINGS = 1000, 200, 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Parallel:
    """Results from the worst to the best, so that good lines are drawn on top."""

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


def parallel(spec: Spec, trials: Sequence[Trial], most: int = MOST) -> Parallel:
    """At most `most` results, the best of them included."""
    done, scales = completed(trials), scales_of(spec.space)
    better = spec.sign * np.array([trial.value for trial in done], dtype=np.float64)
    most = min(most, CROSSINGS // (1 + len(scales)))
    rows = evenly(len(done), most, keep=np.argsort(-better, kind="stable")[:BEST].tolist())
    shown = [done[row] for row in sorted(rows, key=lambda row: (better[row], row))]
    places = [scale.places(trial.params or {} for trial in shown) for scale in scales]
    values = np.array([trial.value for trial in shown], dtype=np.float64)
    numbers = tuple(trial.number for trial in shown)
    seen = window(values, spec.sign) if shown else None
    table = np.array(places).reshape(len(scales), len(shown)).T  # there may be no scale at all
    return Parallel(spec.direction, scales, table, values, numbers, len(done), seen)
