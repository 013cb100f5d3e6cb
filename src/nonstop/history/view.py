"""A study with one of its outcomes in the place of the value: what figures of one outcome look at.

A study that has only a value is seen as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.rules import DEFAULT_RULE, rule_of, works_with
from nonstop.arguments import number_of, text_of
from nonstop.errors import StudyError
from nonstop.outcomes.bound import Bound
from nonstop.outcomes.goals import VALUE, Goals
from nonstop.trials.best import front_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Direction
from nonstop.wording import shown


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One outcome of a study: its trials have it as their value."""

    #: The name of the outcome.
    name: str
    #: The study as if the outcome were its only objective.
    spec: Spec
    #: All trials; of a note, without the results that do not have it.
    trials: Sequence[Trial]
    #: What it has to be, if there is a constraint on it.
    bound: Bound | None = None
    #: Is it a note, of which nobody said what would be better?
    note: bool = False
    #: The numbers of the results that violate a constraint.
    infeasible: frozenset[int] = frozenset()
    #: The number of the best trial of the study (of a front, the one that is best in this outcome); None if that is the
    #: one with the best value.
    best: int | None = None
    #: Does the study have other outcomes that are modelled?
    several: bool = False
    #: Of an objective among several: the worst value of the front, larger being better.
    least: float | None = None

    def feasible(self, trials: Sequence[Trial]) -> NDArray[np.bool_]:
        """Which of the trials violate no constraint."""
        return np.array([trial.number not in self.infeasible for trial in trials], dtype=bool)


def view(spec: Spec, trials: Sequence[Trial], outcome: str | None = None, noted: bool = False) -> View:
    """The study seen by one outcome: the first objective unless it is named. With `noted` it may be a note that is a
    number. StudyError lists the names if there is none like it."""
    goals = spec.goals
    name = next(iter(goals.objectives)) if outcome is None else _known(goals, trials, outcome, noted)
    if not goals.named and name == VALUE:
        return View(name, spec, trials)
    rule = spec.rule if works_with(rule_of(spec.rule), 1) else DEFAULT_RULE  # figures of one outcome show one objective
    seen = replace(spec, direction=_direction(goals, name), objectives=None, constraints=None, rule=rule)
    best = _best(goals, trials, name) if len(goals.names) > 1 else None
    bound = goals.constraints.get(name)
    note = name not in goals.names
    several = len(goals.names) > 1
    least = _least(goals, trials, name) if goals.several and name in goals.objectives else None
    return View(name, seen, _told(goals, trials, name), bound, note, infeasible(goals, trials), best, several, least)


def infeasible(goals: Goals, trials: Sequence[Trial]) -> frozenset[int]:
    """The numbers of the results that violate a constraint."""
    if not goals.constraints:
        return frozenset()
    done = (trial for trial in trials if trial.state is TrialState.COMPLETED)
    return frozenset(trial.number for trial in done if goals.violation(trial.outcomes) > 0.0)


def notes_of(trials: Sequence[Trial]) -> list[str]:
    """The notes that are numbers in at least one result, in the order of their first appearance."""
    names = dict.fromkeys(
        name
        for trial in trials
        if trial.state is TrialState.COMPLETED
        for name, value in trial.notes.items()
        if number_of(value) is not None
    )
    return list(names)


def number_in(trial: Trial, name: str) -> float | None:
    """The outcome or note of that name, if it is a number."""
    return number_of(trial.outcomes[name] if name in trial.outcomes else trial.notes.get(name))


def _known(goals: Goals, trials: Sequence[Trial], outcome: object, noted: bool) -> str:
    name = text_of(outcome)
    names = [*goals.names, *(notes_of(trials) if noted else [])]
    if name is None or name not in names:
        notes = "; notes are not modelled" if name in notes_of(trials) else ""
        raise StudyError(f"there is no outcome {shown(outcome)} for this figure: use one of {', '.join(names)}{notes}")
    return name


def _direction(goals: Goals, name: str) -> Direction:
    """Which values are better: those on the right side of the bound, if there is one."""
    if name in goals.constraints:
        return "minimize" if goals.constraints[name].side == "<=" else "maximize"
    return goals.objectives.get(name, "minimize")


def _best(goals: Goals, trials: Sequence[Trial], name: str) -> int | None:
    front = front_of(trials, goals)
    if not front:
        return None
    by = name if name in goals.objectives else next(iter(goals.objectives))
    sign = 1.0 if goals.objectives[by] == "maximize" else -1.0
    return max(front, key=lambda trial: sign * trial.outcomes[by]).number


def _least(goals: Goals, trials: Sequence[Trial], name: str) -> float | None:
    sign = 1.0 if goals.objectives[name] == "maximize" else -1.0
    return min((sign * trial.outcomes[name] for trial in front_of(trials, goals)), default=None)


def _told(goals: Goals, trials: Sequence[Trial], name: str) -> Sequence[Trial]:
    first = next(iter(goals.objectives))
    if name == first and not goals.several:
        return trials
    place = goals.names.index(name) if name in goals.names else len(goals.names)
    seen = (_seen(trial, name, place) for trial in trials)
    return [trial for trial in seen if trial.state is not TrialState.COMPLETED or trial.value is not None]


def _seen(trial: Trial, name: str, place: int) -> Trial:
    """The trial with the outcome as its value, and with what its proposal recorded of the model of this outcome."""
    said = trial.diagnostics
    if place and said is not None and said.hyperparameters is not None:
        own = said.predictions[place].hyperparameters if place < len(said.predictions) else None
        said = replace(said, hyperparameters=own)
    value = number_in(trial, name) if trial.state is TrialState.COMPLETED else None
    return replace(trial, value=value, diagnostics=said)
