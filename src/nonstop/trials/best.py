"""Which trial is the best, or which trials are, where there are several objectives.

A feasible trial is better than one that is not; of those that are not, the one that violates the constraints less; of
those that are, the one with the better objective, or the one that dominates: as good in every objective, and better in
one. Of equals the one whose result came first.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nonstop.numerics.hypervolume import nondominated
from nonstop.outcomes.goals import Goals
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, scalar


def best_of(trials: Iterable[Trial], goals: Goals, best: Trial | None = None) -> Trial | None:
    """The best completed trial, `best` included, for the only objective."""
    sign = goals.sign
    for trial in trials:
        if trial.state is TrialState.COMPLETED and (
            best is None or _rank(trial, goals, sign) > _rank(best, goals, sign)
        ):
            best = trial
    return best


def rank(trial: Trial, goals: Goals) -> tuple[float, float, int]:
    """Larger for a better one of two completed trials, for the only objective."""
    return _rank(trial, goals, goals.sign)


def _rank(trial: Trial, goals: Goals, sign: float) -> tuple[float, float, int]:
    assert trial.value is not None
    violation = goals.violation(trial.outcomes) if goals.constraints else 0.0
    return -violation, sign * trial.value if violation == 0.0 else 0.0, -(trial.order or 0)


def front_of(trials: Iterable[Trial], goals: Goals, known: Iterable[Trial] = ()) -> list[Trial]:
    """The trials that no other is better than, those of a `known` front included, in the order of their results: the
    Pareto front, a single one if there is one objective. If nothing is feasible, the one that violates least."""
    done = [*known, *(trial for trial in trials if trial.state is TrialState.COMPLETED)]
    if not goals.several:
        best = best_of(done, goals)
        return [] if best is None else [best]
    done.sort(key=lambda trial: trial.order or 0)
    violations = goals.violations([trial.outcomes for trial in done])
    feasible = [trial for trial, violation in zip(done, violations, strict=True) if violation == 0.0]
    if not feasible:
        return [done[int(np.argmin(violations))]] if done else []
    values = goals.signed([trial.outcomes for trial in feasible])
    _, first = np.unique(values, axis=0, return_index=True)
    first.sort()
    return [feasible[place] for place in first[nondominated(values[first])]]


def result_text(trial: Trial) -> str:
    """0.397; or error=0.1, latency=3.2"""
    return assignments(trial.outcomes) if trial.outcomes else scalar(trial.value)


def violated_by(trial: Trial, goals: Goals) -> tuple[str, ...]:
    """The names of the constraints that a completed trial violates; none if it is feasible."""
    return goals.violated(trial.outcomes) if goals.constraints else ()
