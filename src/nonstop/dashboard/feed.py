"""One look at the storage for everyone: repeated while someone follows, in a thread, and never two at a time."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar

from nonstop.errors import NonstopError

T = TypeVar("T")
#: Seconds between two looks. News must be on the page within two.
LOOK: Final = 0.5


class Feed(Generic[T]):
    """`look` reads in a thread; `take` keeps what it brought, in the event loop, and says whether that is news. So
    nothing that pages are made from changes while they are made. Trouble is kept until a look succeeds again."""

    def __init__(self, look: Callable[[], T], take: Callable[[T], bool]) -> None:
        self.trouble: str | None = None
        self.loaded = False
        self._look = look
        self._take = take
        self._news = asyncio.Event()
        self._turn = asyncio.Lock()
        self._followers = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def news(self) -> asyncio.Event:
        """Set at the next news. Take it before reading: what comes in between is then not missed."""
        return self._news

    async def refresh(self) -> None:
        """One look, now."""
        async with self._turn:
            trouble, fresh = None, False
            try:
                fresh = self._take(await asyncio.to_thread(self._look)) or not self.loaded
                self.loaded = True
            except NonstopError as error:
                trouble = str(error)
            except Exception as error:  # a bug here must not freeze the page without a word
                traceback.print_exception(error)
                trouble = f"the dashboard itself failed with {type(error).__name__}; its terminal says where"
            if fresh or trouble != self.trouble:
                self.trouble = trouble
                self._news.set()
                self._news = asyncio.Event()

    async def load(self) -> None:
        """Look once, unless that was done."""
        if not self.loaded:
            await self.refresh()

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        self._followers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._repeat())
        try:
            yield
        finally:
            self._followers -= 1

    async def _repeat(self) -> None:
        """Ends by itself when nobody follows, so that a study nobody looks at costs nothing."""
        while self._followers:
            await self.refresh()
            await asyncio.sleep(LOOK)
        self._task = None
