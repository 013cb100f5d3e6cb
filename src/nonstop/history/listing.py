"""Which trials a table shows: all of them, or the best and the latest of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nonstop.history.progress import completed
from nonstop.history.view import infeasible
from nonstop.trials.best import front_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial

#: Rows of a table, and values of params in it; how many rows are for the best if there are more trials.
MOST, VALUES, BEST = 1000, 5000, 100


@dataclass(frozen=True, slots=True)
class Listing:
    """Trials by number."""

    trials: tuple[Trial, ...]
    #: How many of the best results are among them in any case; 0 if all trials are.
    best: int
    #: The number of all trials.
    of: int


def listing(spec: Spec, trials: Sequence[Trial], most: int = MOST) -> Listing:
    """All trials if there are at most `most`, fewer if there are many parameters; else the best and the latest."""
    ordered = sorted(trials, key=lambda trial: trial.number)
    rows = min(most, max(10, VALUES // len(spec.space.names)))
    if len(ordered) <= rows:
        return Listing(tuple(ordered), 0, len(ordered))
    best = min(BEST, rows // 2)
    good = _good(spec, ordered)[:best]
    chosen = {trial.number: trial for trial in [*good, *ordered[len(ordered) - (rows - best) :]]}
    return Listing(tuple(trial for _, trial in sorted(chosen.items())), best, len(ordered))


def _good(spec: Spec, trials: Sequence[Trial]) -> Sequence[Trial]:
    """The best results first, those that violate a constraint last; of several objectives, the front."""
    if spec.goals.several:
        return front_of(trials, spec.goals)
    out = infeasible(spec.goals, trials)
    return sorted(completed(trials), key=lambda trial: (trial.number in out, -spec.sign * (trial.value or 0.0)))
