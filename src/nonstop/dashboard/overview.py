"""All studies of a storage, for the list: counts at once, the best values as soon as the trials are read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from nonstop.dashboard.feed import Feed
from nonstop.dashboard.reader import Reader
from nonstop.dashboard.rows import text_of
from nonstop.dashboard.standing import Standing, state_of
from nonstop.storage.contract import StudyRecord

#: Seconds of one look that may go into trials not read before; the rest of them is read at the next.
_READING: Final = 0.3


class Overview:
    """One row for each study. It keeps no trial, however many there are."""

    def __init__(self, storage: Reader) -> None:
        self.records: Mapping[int, StudyRecord] = {}
        self.feed: Feed[tuple[Sequence[StudyRecord], str]] = Feed(self._look, self._take)
        self._storage = storage
        self._standings: dict[int, Standing] = {}
        self._shown = "[]"

    def _look(self) -> tuple[Sequence[StudyRecord], str]:
        records = self._storage.list_studies()
        until = time.monotonic() + _READING if self.feed.loaded else 0.0
        return records, text_of([self._row(record, until) for record in reversed(records)])

    def _row(self, record: StudyRecord, until: float) -> dict[str, Any]:
        about = {"id": record.id, "name": record.name, "created": record.created_at}
        about |= {key: record.spec.get(key) for key in ("direction", "rule")}
        about["dim"] = len(space) if isinstance(space := record.spec.get("space"), Mapping) else None
        standing = self._standings.get(record.id)
        if standing is None and time.monotonic() > until:
            counts = asdict(self._storage.counts(record.id))
            return {**about, "read": False, "state": state_of(counts), "counts": counts, "best": None, "last": None}
        if standing is None:
            standing = self._standings[record.id] = Standing(1.0 if about["direction"] == "maximize" else -1.0)
        standing.apply(self._storage.exchange(record.id, standing.cursor))
        return {**about, "read": True, **standing.as_json()}

    def _take(self, looked: tuple[Sequence[StudyRecord], str]) -> bool:
        records, shown = looked
        self.records = {record.id: record for record in records}
        news, self._shown = shown != self._shown, shown
        return news

    def message(self, storage: str, now: float) -> str:
        base = text_of({"now": now, "trouble": self.feed.trouble, "storage": storage, "loaded": self.feed.loaded})
        return f'{base[:-1]},"studies":{self._shown}}}'
