"""When a study is good enough, or has taken enough: stopping rules for all its runs together.

Each is a function of the results alone, so every worker decides by itself, on whatever machine, and all of them stop
together. A rule looks at the values as they were observed: of a noisy objective, the best one is partly luck.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from nonstop.arguments import number, number_of, text_of, whole
from nonstop.errors import StudyError
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import front_of
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import duration, scalar, seconds_of, shown

_PATIENCE: Final = re.compile(r"no improvement in (\d{1,15})(?: results?)?")
FORMS: Final = '"value 0.01", "no improvement in 50", "evaluating 2h", or several of them with "or" in between'


@dataclass(frozen=True, slots=True)
class Until:
    """Stop as soon as one of these holds: the trials that run then are finished, and no other starts."""

    #: A feasible result is as good as this value: for one objective.
    value: float | None = None
    #: So many results in a row have not improved on the best one, or on the front of several objectives.
    patience: int | None = None
    #: All evaluations together have taken so many seconds, failed ones included. "2h" and the like are seconds, too.
    evaluating: float | str | None = None

    def __post_init__(self) -> None:
        if self.value is not None:
            object.__setattr__(self, "value", number("until: value", self.value, StudyError))
        if self.patience is not None:
            object.__setattr__(self, "patience", whole("until: patience", self.patience, StudyError, least=1))
        if self.evaluating is not None:
            given = self.evaluating
            limit = seconds_of(text_of(given) if isinstance(given, str) else number_of(given))
            if limit is None:
                expected = 'a duration such as 90, "30m" or "2h"'
                raise StudyError(f"until: evaluating must be {expected}, not {shown(self.evaluating)}")
            object.__setattr__(self, "evaluating", limit)
        if self.value is self.patience is self.evaluating is None:
            raise StudyError("until has no rule: give value, patience or evaluating")

    @property
    def ends(self) -> bool:
        """Is it met sooner or later, whatever the values are?"""
        return self.patience is not None or self.evaluating is not None

    def __str__(self) -> str:
        """As a text, which until_of() reads."""
        time = None if self.evaluating is None else _compact(float(self.evaluating))
        parts = {"value": self.value, "no improvement in": self.patience, "evaluating": time}
        return " or ".join(f"{what} {limit}" for what, limit in parts.items() if limit is not None)


def until_of(given: object) -> Until:
    """The rule that an Until, a text or a list of texts stands for; StudyError if it is none of them."""
    if isinstance(given, Until):
        return given
    texts = given if isinstance(given, list | tuple) else [given]
    found: dict[str, float | int] = {}
    for text in texts:
        for part in re.split(r"\s+or\s+", (text_of(text) or "").strip()):
            key, limit = _rule(part, given)
            if key in found:
                raise StudyError(f"until has {key} twice: {shown(given)}")
            found[key] = limit
    return Until(**found)  # type: ignore[arg-type]


def _rule(part: str, given: object) -> tuple[str, float | int]:
    words = " ".join(part.split())
    patience = _PATIENCE.fullmatch(words)
    if patience:
        return "patience", int(patience[1])
    what, _, limit = words.partition(" ")
    seconds = seconds_of(limit) if what == "evaluating" else None
    if seconds is not None:
        return what, seconds
    try:
        if what == "value":
            return what, float(limit)
    except ValueError:
        pass
    raise StudyError(f"until must be a nonstop.Until or a text such as {FORMS}, not {shown(given)}")


def _compact(seconds: float) -> str:
    """2h, 1h30m, 0.25s: exactly, as seconds_of() reads it."""
    if not seconds.is_integer():
        return f"{Decimal(repr(seconds)):f}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return "".join(f"{count}{unit}" for count, unit in ((hours, "h"), (minutes, "m"), (rest, "s")) if count)


class Watch:
    """Whether a rule is met, from the changes of a study in their order; a change costs O(1)."""

    def __init__(self, until: Until | None, goals: Goals, changes: Iterable[Trial] = ()) -> None:
        self._until = until
        self._goals = goals
        self._front: list[Trial] = []
        self._results = 0
        self._seconds: dict[int, float] = {}  # by number: a late result may take the place of a failure
        self._total = 0.0
        self.update(changes)

    def update(self, changes: Iterable[Trial]) -> None:
        """Apply changes, oldest first, each trial in its newest state."""
        for trial in changes:
            if not trial.state.finished:
                continue
            if trial.state is TrialState.COMPLETED:
                self._front = front_of([trial], self._goals, self._front)
                self._results = max(self._results, trial.order or 0)
            seconds = duration_of(trial) or 0.0
            self._total += seconds - self._seconds.get(trial.number, 0.0)
            self._seconds[trial.number] = seconds

    def reason(self) -> str | None:
        """Why the study is to stop, in words; None if it is to go on."""
        until = self._until
        if until is None:
            return None
        if until.value is not None and self._front and self._reached(self._front[0], until.value):
            best = self._front[0]
            return f"the value {scalar(best.value)} of trial {best.number} reached {scalar(until.value)}"
        stale = self._results - max(trial.order or 0 for trial in self._front) if self._front else 0
        if until.patience is not None and stale >= until.patience:
            return f"no improvement in {stale} results"
        limit = float(until.evaluating or 0.0)
        if until.evaluating is not None and self._total >= limit:
            return f"{duration(self._total)} of evaluating, of {duration(limit)}"
        return None

    def _reached(self, best: Trial, value: float) -> bool:
        feasible = not self._goals.constraints or self._goals.violation(best.outcomes) == 0.0
        return feasible and self._goals.sign * (best.value or 0.0) >= self._goals.sign * value


def check_until(until: Until, goals: Goals) -> Until:
    """The rule; StudyError if it is none for these goals."""
    if until.value is not None and goals.several:
        raise StudyError(f"until: value is for one objective, and there are {len(goals.objectives)}")
    return until


def met(until: Until | None, goals: Goals, trials: Iterable[Trial]) -> str | None:
    """Why a study with these trials is to stop, in words; None if it is to go on."""
    ordered = sorted(trials, key=lambda trial: trial.sequence)
    return Watch(until, goals, ordered).reason()
