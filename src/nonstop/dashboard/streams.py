"""A limited number of streams: a newcomer takes the place of the oldest, so that nobody can keep readers out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_STREAMS = 64


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one stream."""

    #: Must the stream end?
    over: Callable[[], bool]
    #: Free the place; to be called when the stream has ended.
    leave: Callable[[], None]


class Places:
    """The places of all streams. A stream that ends without leaving is in nobody's way: its place is taken in time."""

    def __init__(self, most: int | None = None) -> None:
        self._most = MOST_STREAMS if most is None else most
        self._taken: dict[object, None] = {}  # a set in the order of arrival

    def take(self, over: Callable[[], bool]) -> Place:
        """A place, over when it was taken by another or when `over` says so."""
        mine = object()
        while len(self._taken) >= self._most:
            del self._taken[next(iter(self._taken))]
        self._taken[mine] = None
        return Place(lambda: over() or mine not in self._taken, lambda: self._taken.pop(mine, None))
