"""A study as its page shows it, from the changes that its storage reports: each look costs what is new."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from nonstop.dashboard.feed import Feed
from nonstop.dashboard.reader import Reader
from nonstop.dashboard.rows import rows_of, text_of
from nonstop.dashboard.standing import Standing
from nonstop.history import utilisation
from nonstop.storage.contract import StudyRecord
from nonstop.trials.messages import Pulse
from nonstop.trials.spec import spec_for_viewing
from nonstop.trials.trial import Trial
from nonstop.workers.usage import overall

#: Seconds between two looks at the hearts of running trials, and how long one may stand still without a word about it.
_LISTEN, _SILENT = 5.0, 30.0
#: Rows in one message, so that the first ones are on the page before the last are read.
_CHUNK: Final = 2000
_REST: Final = 9.0


@dataclass(frozen=True, slots=True)
class Look:
    """What one look brought, ready to be kept and sent."""

    changes: Sequence[Trial]
    rows: Mapping[int, str]
    cursor: int
    standing: Mapping[str, Any]
    news: bool


class Watcher:
    """The trials of a study, and the messages that bring a page from any cursor up to date."""

    def __init__(self, storage: Reader, record: StudyRecord) -> None:
        self.record = record
        self.spec = spec_for_viewing(record.spec)
        self.names = tuple(self.spec.space)
        self.trials: dict[int, Trial] = {}
        self.cursor = 0
        self.feed: Feed[Look] = Feed(self._look, self._take)
        self._storage = storage
        self._standing = Standing(self.spec.sign)
        self._shown: Mapping[str, Any] = self._standing.as_json()
        self._rows: dict[int, str] = {}
        self._log: list[tuple[int, int]] = []  # (sequence, number) of every change, in order
        self._hearts = Hearts()
        self._usage: dict[str, Any] | None = None
        self._usage_due = 0.0

    def _look(self) -> Look:
        exchange = self._storage.exchange(self.record.id, self.cursor)
        self._standing.apply(exchange)
        fresh = exchange.cursor != self.cursor
        if fresh:
            self._measure({**self.trials, **{trial.number: trial for trial in exchange.changes}})
        moved = self._hearts.listen(self._storage, self.record.id)
        shown = {**self._standing.as_json(), "usage": self._usage, "silent": self._hearts.silent()}
        rows = rows_of(exchange.changes, self.names)
        return Look(exchange.changes, rows, exchange.cursor, shown, fresh or moved)

    def _measure(self, trials: Mapping[int, Trial]) -> None:
        """Where the workers' time went: of all trials, so it rests nine times as long as it took."""
        start = time.monotonic()
        if start >= self._usage_due:
            usages = utilisation(trials.values())
            total = overall(usages)
            self._usage = {"workers": len(usages), **asdict(total), "share": total.utilisation} if usages else None
            self._usage_due = time.monotonic() + _REST * (time.monotonic() - start)

    def _take(self, look: Look) -> bool:
        for trial in look.changes:
            self.trials[trial.number] = trial
            self._log.append((trial.sequence, trial.number))
        self._rows.update(look.rows)
        self._shown, self.cursor = look.standing, look.cursor
        return look.news

    def snapshot(self) -> tuple[Trial, ...]:
        """All trials by number, for a thread to draw."""
        return tuple(self.trials[number] for number in sorted(self.trials))

    def messages(self, cursor: int, now: float) -> Iterator[str]:
        """What a page that knows everything up to `cursor` has to hear. Only the last one moves its cursor, so that a
        page that was cut off in between asks for all of it again."""
        base = {"now": now, "trouble": self.feed.trouble, "standing": self._shown}
        numbers = self._changed_after(cursor)
        chunks = [numbers[start : start + _CHUNK] for start in range(0, len(numbers), _CHUNK)] or [[]]
        for place, chunk in enumerate(chunks, start=1):
            head = {**base, "cursor": self.cursor} if place == len(chunks) else base
            rows = ",".join(self._rows[number] for number in chunk)
            yield f'{text_of(head)[:-1]},"trials":[{rows}]}}'

    def about(self) -> str:
        """The first message of a connection."""
        spec = self.record.spec
        said = {key: spec.get(key) for key in ("direction", "rule", "surrogate", "seed", "space")}
        named = {"name": self.record.name, "params": self.names, "created": self.record.created_at}
        return text_of({"about": {**named, **said, "epoch": self.epoch}})

    @property
    def epoch(self) -> str:
        """Tells this study from another one that had its id, in another storage behind the same address."""
        return f"{self.record.id}-{self.record.created_at}"

    def _changed_after(self, cursor: int) -> list[int]:
        """Their numbers, the latest first: that is what a page shows first."""
        start = bisect_right(self._log, cursor, key=lambda change: change[0])
        return list(dict.fromkeys(number for _, number in reversed(self._log[start:])))


class Hearts:
    """Which running trials have given no sign of life for a while, as far as this process saw. A trial that never gave
    one belongs to a program that asks and tells by itself: it has no heart to listen to."""

    def __init__(self) -> None:
        self._since: dict[Pulse, float] = {}
        self._due = 0.0

    def listen(self, storage: Reader, study: int) -> bool:
        """Now and then; is what silent() says another than before?"""
        now = time.monotonic()
        if now < self._due:
            return False
        before = self.silent().keys()
        self._due = now + _LISTEN
        self._since = {pulse: self._since.get(pulse, now) for pulse in storage.beat(study, []) if pulse.beat > 0}
        return self.silent().keys() != before

    def silent(self) -> dict[str, float]:
        """Seconds of silence by trial number."""
        now = time.monotonic()
        quiet = {str(pulse.number): now - since for pulse, since in self._since.items()}
        return {number: round(seconds, 1) for number, seconds in quiet.items() if seconds >= _SILENT}
