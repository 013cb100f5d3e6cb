"""Poll the storage once for all pages: in a thread, while at least one page is open, and never twice at a time."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar

from nonstop.errors import NonstopError

T = TypeVar("T")
#: Seconds between two polls; changes must be on the page within two seconds.
POLL_INTERVAL: Final = 0.5


class Feed(Generic[T]):
    """Repeated polls of the storage and their followers.

    `poll` reads from the storage in a thread. `apply` stores what it returned, in the event loop, so that data never
    change while a message is built from them; it returns whether there is something new.
    """

    def __init__(self, poll: Callable[[], T], apply: Callable[[T], bool]) -> None:
        #: The error of the last poll, for the page; None if it succeeded.
        self.trouble: str | None = None
        #: Whether any poll has succeeded.
        self.loaded = False
        self._poll = poll
        self._apply = apply
        self._news = asyncio.Event()
        self._lock = asyncio.Lock()
        self._followers = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def news(self) -> asyncio.Event:
        """An event that is set when something new arrives. Get it before reading the data, so as to miss nothing."""
        return self._news

    async def refresh(self) -> None:
        """Poll once, now."""
        async with self._lock:
            trouble, fresh = None, False
            try:
                fresh = self._apply(await asyncio.to_thread(self._poll)) or not self.loaded
                self.loaded = True
            except NonstopError as error:
                trouble = str(error)
            except Exception as error:  # a bug must show on the page, not freeze it
                traceback.print_exception(error)
                trouble = f"the dashboard failed with {type(error).__name__}; its terminal shows the traceback"
            if fresh or trouble != self.trouble:
                self.trouble = trouble
                self._news.set()
                self._news = asyncio.Event()

    async def load(self) -> None:
        """Poll once, unless a poll has succeeded already."""
        if not self.loaded:
            await self.refresh()

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """Keep polling inside this context."""
        self._followers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._repeat())
        try:
            yield
        finally:
            self._followers -= 1

    async def _repeat(self) -> None:
        """Poll until there is no follower, so that a study without an open page costs nothing."""
        while self._followers:
            await self.refresh()
            await asyncio.sleep(POLL_INTERVAL)
        self._task = None
