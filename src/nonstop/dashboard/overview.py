"""All studies of a storage, for the list: counts at once, best values as soon as the trials have been read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from nonstop.dashboard.feed import Feed
from nonstop.dashboard.reader import Reader
from nonstop.dashboard.rows import text_of
from nonstop.dashboard.status import StudyStatus, state_of
from nonstop.storage.contract import StudyRecord
from nonstop.trials.spec import goals_of

#: Seconds of one poll for studies whose trials have not been read yet; the other studies wait for the next poll.
_READING: Final = 0.3


class Overview:
    """One row for each study. It keeps no trials, so its memory does not grow with them."""

    def __init__(self, storage: Reader) -> None:
        self.records: Mapping[int, StudyRecord] = {}
        self.feed: Feed[tuple[Sequence[StudyRecord], str]] = Feed(self._poll, self._apply)
        self._storage = storage
        self._statuses: dict[int, StudyStatus] = {}
        self._shown = "[]"

    def _poll(self) -> tuple[Sequence[StudyRecord], str]:
        records = self._storage.list_studies()
        until = time.monotonic() + _READING if self.feed.loaded else 0.0
        return records, text_of([self._row(record, until) for record in reversed(records)])

    def _row(self, record: StudyRecord, until: float) -> dict[str, Any]:
        about = {"id": record.id, "name": record.name, "created": record.created_at}
        about |= {key: record.spec.get(key) for key in ("direction", "rule")}
        if (goals := goals_of(record.spec)).named:
            about["goals"] = str(goals)
        about["dim"] = len(names_of(space)) if isinstance(space := record.spec.get("space"), Mapping) else None
        status = self._statuses.get(record.id)
        if status is None and time.monotonic() > until:
            counts = asdict(self._storage.counts(record.id))
            unread = {"best": None, "last": None, "budget": record.budget, "per_second": None, "ready": None}
            return {**about, "read": False, "state": state_of(counts), "counts": counts, **unread}
        if status is None:
            status = self._statuses[record.id] = StudyStatus(goals)
        status.apply(self._storage.exchange(record.id, status.cursor))
        return {**about, "read": True, **status.as_json(record.budget)}

    def _apply(self, polled: tuple[Sequence[StudyRecord], str]) -> bool:
        records, shown = polled
        self.records = {record.id: record for record in records}
        news, self._shown = shown != self._shown, shown
        return news

    def message(self, storage: str, now: float) -> str:
        """The list as JSON."""
        base = text_of({"now": now, "trouble": self.feed.trouble, "storage": storage, "loaded": self.feed.loaded})
        return f'{base[:-1]},"studies":{self._shown}}}'


def names_of(space: Mapping[str, Any]) -> set[str]:
    """The names of all parameters of a stored space, which may be damaged: those that choices bring along, too."""
    names: set[str] = set()
    for name, table in space.items():
        if not isinstance(table, Mapping):  # the constraints
            continue
        choices = table.get("choices")
        inner = choices.values() if isinstance(choices, Mapping) else choices if isinstance(choices, list) else ()
        spaces = (one.get("space") if isinstance(choices, list) and isinstance(one, Mapping) else one for one in inner)
        names.update({name}, *(names_of(one) for one in spaces if isinstance(one, Mapping)))
    return names
