"""How fast results come, and how long the rest of the budget takes: from the latest results, idle gaps left out.

The rate counts results for each second that a worker had a trial, and multiplies by the workers that have one now. So a
night in which nothing ran does not count, a run that goes on with fewer workers is not expected to be as fast as
before, and a trial that takes much longer than others lowers the rate while it runs, not only when it ends.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from nonstop.history.lanes import Interval, union, within
from nonstop.trials.times import evaluated_until
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import about, share

#: The rate is that of this many latest results, and unknown with fewer than FEW. Failures in between take their time,
#: but no more than MOST trials are kept.
LATEST, FEW, MOST = 50, 3, 500
#: Without any sign for so many times the longest of these trials, and so many seconds, nobody may be there any more.
_LONG, _LEAST = 3.0, 60.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How far a study is, and how fast it goes."""

    #: Completed trials.
    completed: int
    #: The budget of completed trials; None if there is none.
    budget: int | None
    #: Results in a second of the workers that have a trial now; if nothing runs, as it was. None before a few results.
    per_second: float | None
    #: Seconds until the budget is complete; None if nothing runs, or if that cannot be told yet.
    left: float | None
    #: The latest result, as a timestamp; None before the first.
    last: float | None

    @property
    def share(self) -> float | None:
        """The part of the budget that is complete, at most 1; None without a budget."""
        return min(1.0, self.completed / self.budget) if self.budget else None

    @property
    def time_left(self) -> str:
        """about 12 min left; empty if that is not known."""
        return "" if self.left is None else f"about {about(self.left)} left"

    def words(self) -> list[str]:
        """What is known of the rate and the time left, in words: 3.2 results a minute, about 12 min left."""
        rate = "" if self.per_second is None else rate_in_words(self.per_second)
        return [words for words in (rate, self.time_left) if words]


def rate_in_words(per_second: float) -> str:
    """40 results a second, 3.2 results a minute, 5 results an hour"""
    for factor, unit in ((1.0, "a second"), (60.0, "a minute"), (3600.0, "an hour")):
        if per_second * factor >= 1.0:
            return f"{_digits(per_second * factor)} results {unit}"
    return f"{_digits(per_second * 86400.0)} results a day"


def _digits(rate: float) -> str:
    return f"{rate:.1f}".removesuffix(".0") if rate < 9.95 else f"{rate:,.0f}"


def share_of_budget(completed: int, budget: int | None) -> str:
    """30 %, rounded down; empty without a budget."""
    return "" if not budget else share(completed / budget).replace(".0 %", " %")


class Ended(NamedTuple):
    """What is kept of a finished trial: little, because there may be many studies."""

    #: From its request to the end of its evaluation. Its result may have waited for the storage, or in a file for the
    #: next run: that says nothing of what is to come.
    start: float
    end: float
    #: When its result was stored.
    finished: float
    completed: bool


class Recent:
    """The latest results and the trials under way, from changes in their order; a change costs O(1)."""

    def __init__(self, trials: Iterable[Trial] = ()) -> None:
        self._ended: deque[Ended] = deque()
        self._completed = 0
        self._since = 0.0  # spans are counted from here on: when the result before the first kept one came
        self._held: dict[int, tuple[float, float]] = {}  # by number: when it was asked for, and its latest sign of life
        self._last: float | None = None
        self.add(trials)

    def add(self, changes: Iterable[Trial]) -> None:
        """Apply changes, oldest first, each trial in its newest state."""
        for trial in changes:
            self._held.pop(trial.number, None)
            if trial.state.finished:
                self._end(trial)
            elif trial.state is not TrialState.WAITING and trial.asked_at is not None:
                self._held[trial.number] = trial.asked_at, max(trial.asked_at, trial.started_at or 0.0)

    def _end(self, trial: Trial) -> None:
        finished = trial.finished_at
        if finished is None:
            return
        self._last = max(self._last or 0.0, finished)
        if trial.asked_at is None:  # added from outside: nobody evaluated it
            return
        completed = trial.state is TrialState.COMPLETED
        self._ended.append(Ended(trial.asked_at, evaluated_until(trial, finished), finished, completed))
        self._completed += completed
        while self._completed > LATEST or len(self._ended) > MOST:
            first = self._ended.popleft()
            self._completed -= first.completed
            self._since = max(self._since, first.finished)

    def pace(self, completed: int, budget: int | None, now: float) -> Pace:
        """How far the study is, and how fast it goes."""
        alive = self._is_alive(now)
        per_second = self._rate(now, alive)
        rest = 0 if budget is None else budget - completed
        left = rest / per_second if per_second and alive and rest > 0 else None
        return Pace(completed, budget, per_second, left, self._last)

    def _rate(self, now: float, alive: bool) -> float | None:
        spans = [(max(it.start, self._since), it.end) for it in self._ended]
        ended = [(start, end) for start, end in spans if start < end]
        asked = [start for start, _ in self._held.values()] if alive else []
        # A trial may be held by a worker that died yesterday: the night is no part of its time.
        active = union([*ended, *([(max(asked), now)] if asked else [])])
        held = [span for start in asked for span in within(active, max(start, self._since), now)]
        seconds = _sum([*ended, *held]) if alive else _sum(active)
        if self._completed < FEW or seconds <= 0.0:
            return None
        return self._completed * (len(asked) or 1) / seconds

    def _is_alive(self, now: float) -> bool:
        """Is a trial under way, by somebody who is still there as far as one can tell?"""
        longest = max((it.end - it.start for it in self._ended), default=0.0)
        latest = max((sign for _, sign in self._held.values()), default=-math.inf)
        return bool(self._held) and now - max(latest, self._last or 0.0) <= max(_LEAST, _LONG * longest)


def pace_of(trials: Iterable[Trial], budget: int | None, now: float) -> Pace:
    """How far a study with these trials is, and how fast it goes."""
    ordered = sorted(trials, key=lambda trial: trial.sequence)
    completed = sum(trial.state is TrialState.COMPLETED for trial in ordered)
    return Recent(ordered).pace(completed, budget, now)


def _sum(spans: Iterable[Interval]) -> float:
    return sum(end - start for start, end in spans)
