"""Server-sent events: what a page hears, for as long as it listens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from nonstop.dashboard.feed import Feed
from nonstop.dashboard.overview import Overview
from nonstop.dashboard.rows import text_of
from nonstop.dashboard.watch import Watcher

#: Seconds. A word in between tells the page that the connection still stands, and us when it no longer does.
_ALIVE: Final = 10.0
_STEP: Final = 0.5


def event(text: str) -> str:
    """One event; JSON has no line breaks, so that it is one line."""
    return f"data: {text}\n\n"


async def study_events(watcher: Watcher, cursor: int, over: Callable[[], bool]) -> AsyncIterator[str]:
    """Who the study is, what the page missed, then what is new, until `over`."""
    async with watcher.feed.followed():
        yield event(watcher.about())
        await watcher.feed.load()
        while not over():
            news = watcher.feed.news
            for message in watcher.messages(cursor, time.time()):
                yield event(message)
            cursor = max(cursor, watcher.cursor)
            async for word in _quiet(news, over, watcher.feed):
                yield word


async def list_events(overview: Overview, storage: str, over: Callable[[], bool]) -> AsyncIterator[str]:
    async with overview.feed.followed():
        await overview.feed.load()
        while not over():
            news = overview.feed.news
            yield event(overview.message(storage, time.time()))
            async for word in _quiet(news, over, overview.feed):
                yield word


async def _quiet(news: asyncio.Event, over: Callable[[], bool], feed: Feed[Any]) -> AsyncIterator[str]:
    """A word now and then until there is news, or all is over."""
    spoken = time.monotonic()
    while not over():
        try:
            await asyncio.wait_for(news.wait(), _STEP)
            return
        except TimeoutError:
            if time.monotonic() - spoken >= _ALIVE:
                spoken = time.monotonic()
                yield event(text_of({"now": time.time(), "trouble": feed.trouble}))
