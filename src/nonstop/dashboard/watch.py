"""The data of a study's page, from the changes that its storage reports; a poll costs in proportion to what is new."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from nonstop.dashboard.feed import Feed
from nonstop.dashboard.reader import Reader
from nonstop.dashboard.rows import rows_of, text_of
from nonstop.dashboard.status import StudyStatus
from nonstop.history import utilisation
from nonstop.storage.contract import StudyRecord
from nonstop.trials.messages import Pulse
from nonstop.trials.spec import spec_for_viewing
from nonstop.trials.trial import Trial
from nonstop.workers.usage import overall

#: Seconds between two reads of the heartbeats, and seconds without one after which the page shows a warning.
_HEARTBEAT_INTERVAL, _SILENT_AFTER = 5.0, 30.0
#: Rows in one message, so that the page can show the first ones before it has received the last.
_CHUNK: Final = 2000
#: The usage is computed from all trials: afterwards, wait this many times as long as it took.
_PAUSE_FACTOR: Final = 9.0


@dataclass(frozen=True, slots=True)
class Update:
    """The result of one poll."""

    changes: Sequence[Trial]
    #: The changed trials as JSON, by number.
    rows: Mapping[int, str]
    cursor: int
    status: Mapping[str, Any]
    #: Whether the page must be told.
    news: bool


class Watcher:
    """The trials of a study, and the messages that bring a page from any cursor up to date."""

    def __init__(self, storage: Reader, record: StudyRecord) -> None:
        self.record = record
        self.spec = spec_for_viewing(record.spec)
        self.names = self.spec.space.names
        #: None if all that the study has is a value.
        self.goals = goals if (goals := self.spec.goals).named else None
        self.trials: dict[int, Trial] = {}
        self.cursor = 0
        self.feed: Feed[Update] = Feed(self._poll, self._apply)
        self._storage = storage
        self._status = StudyStatus(self.spec.goals)
        self._shown: Mapping[str, Any] = self._status.as_json()
        self._rows: dict[int, str] = {}
        self._log: list[tuple[int, int]] = []  # (sequence, number) of every change, in order
        self._heartbeats = Heartbeats()
        self._usage: dict[str, Any] | None = None
        self._usage_due = 0.0
        self._budget = Budget(record)

    def _poll(self) -> Update:
        exchange = self._storage.exchange(self.record.id, self.cursor)
        self._status.apply(exchange)
        fresh = exchange.cursor != self.cursor
        if fresh:
            self._measure({**self.trials, **{trial.number: trial for trial in exchange.changes}})
        moved = self._heartbeats.poll(self._storage, self.record.id) | self._budget.poll(self._storage)
        shown = {**self._status.as_json(self._budget.trials), "usage": self._usage, "silent": self._heartbeats.silent()}
        rows = rows_of(exchange.changes, self.names, self.goals)
        return Update(exchange.changes, rows, exchange.cursor, shown, fresh or moved)

    def _measure(self, trials: Mapping[int, Trial]) -> None:
        """Where the workers' time went, over all trials."""
        start = time.monotonic()
        if start >= self._usage_due:
            usages = utilisation(trials.values())
            total = overall(usages)
            self._usage = {"workers": len(usages), **asdict(total), "share": total.utilisation} if usages else None
            self._usage_due = time.monotonic() + _PAUSE_FACTOR * (time.monotonic() - start)

    def _apply(self, update: Update) -> bool:
        for trial in update.changes:
            self.trials[trial.number] = trial
            self._log.append((trial.sequence, trial.number))
        self._rows.update(update.rows)
        self._shown, self.cursor = update.status, update.cursor
        return update.news

    def snapshot(self) -> tuple[Trial, ...]:
        """All trials in order of number, for the thread that draws figures."""
        return tuple(self.trials[number] for number in sorted(self.trials))

    def messages(self, cursor: int, now: float) -> Iterator[str]:
        """The messages for a page that knows all changes up to `cursor`. Only the last one has a new cursor, so that a
        page that loses the connection in between asks for all of them again."""
        base = {"now": now, "trouble": self.feed.trouble, "status": self._shown}
        numbers = self._changed_after(cursor)
        chunks = [numbers[start : start + _CHUNK] for start in range(0, len(numbers), _CHUNK)] or [[]]
        for position, chunk in enumerate(chunks, start=1):
            head = {**base, "cursor": self.cursor} if position == len(chunks) else base
            rows = ",".join(self._rows[number] for number in chunk)
            yield f'{text_of(head)[:-1]},"trials":[{rows}]}}'

    def about(self) -> str:
        """The first message of a connection: what the study is."""
        spec = self.record.spec
        settings = {key: spec.get(key) for key in ("direction", "rule", "surrogate", "seed", "space")}
        named = {"name": self.record.name, "params": self.names, "created": self.record.created_at}
        return text_of({"about": {**named, **settings, **self._wanted(), "epoch": self.epoch}})

    def _wanted(self) -> dict[str, Any]:
        """The goals, if the outcomes have names."""
        if self.goals is None:
            return {}
        bounds = {name: str(bound) for name, bound in self.goals.constraints.items()}
        return {"goals": str(self.goals), "objectives": dict(self.goals.objectives), "constraints": bounds}

    @property
    def epoch(self) -> str:
        """Distinguishes this study from one with the same id in another storage that was served at the same address."""
        return f"{self.record.id}-{self.record.created_at}"

    def _changed_after(self, cursor: int) -> list[int]:
        """Numbers of the trials changed after the cursor, the latest change first, which is what a page shows first."""
        start = bisect_right(self._log, cursor, key=lambda change: change[0])
        return list(dict.fromkeys(number for _, number in reversed(self._log[start:])))


class Budget:
    """The budget of the latest run of a study, which a new run may change."""

    def __init__(self, record: StudyRecord) -> None:
        #: Completed trials; None if no run had a budget.
        self.trials = record.budget
        self._study = record.id
        self._due = 0.0

    def poll(self, storage: Reader) -> bool:
        """Read it if the interval is over; return whether it has changed."""
        start = time.monotonic()
        if start < self._due:
            return False
        before = self.trials
        for record in storage.list_studies():
            if record.id == self._study:
                self.trials = record.budget
        end = time.monotonic()
        self._due = end + max(_HEARTBEAT_INTERVAL, _PAUSE_FACTOR * (end - start))
        return self.trials != before


class Heartbeats:
    """Which running trials have had no heartbeat for a while, as observed by this process. Trials that never had one
    are left out: they belong to a program that calls ask() and tell() itself."""

    def __init__(self) -> None:
        self._since: dict[Pulse, float] = {}
        self._due = 0.0

    def poll(self, storage: Reader, study: int) -> bool:
        """Read the heartbeats if the interval is over; return whether the set of silent trials has changed."""
        now = time.monotonic()
        if now < self._due:
            return False
        before = self.silent().keys()
        self._due = now + _HEARTBEAT_INTERVAL
        self._since = {pulse: self._since.get(pulse, now) for pulse in storage.beat(study, []) if pulse.beat > 0}
        return self.silent().keys() != before

    def silent(self) -> dict[str, float]:
        """Seconds since the last heartbeat, by the number of each silent trial."""
        now = time.monotonic()
        quiet = {str(pulse.number): now - since for pulse, since in self._since.items()}
        return {number: round(seconds, 1) for number, seconds in quiet.items() if seconds >= _SILENT_AFTER}
