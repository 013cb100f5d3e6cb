"""Server-sent events: the messages to a page, for as long as it is connected."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from nonstop.dashboard.feed import Feed
from nonstop.dashboard.overview import Overview
from nonstop.dashboard.rows import text_of
from nonstop.dashboard.watch import Watcher

#: Seconds between messages when nothing is new: they show both sides that the connection is still open.
_KEEP_ALIVE: Final = 10.0
#: Seconds between two checks whether the server is stopping.
_STEP: Final = 0.5


def event(text: str) -> str:
    """One server-sent event; `text` is JSON in one line."""
    return f"data: {text}\n\n"


async def study_events(watcher: Watcher, cursor: int, over: Callable[[], bool]) -> AsyncIterator[str]:
    """A description of the study, the changes after `cursor`, then every new change, until `over`."""
    async with watcher.feed.followed():
        yield event(watcher.about())
        await watcher.feed.load()
        while not over():
            news = watcher.feed.news
            for message in watcher.messages(cursor, time.time()):
                yield event(message)
            cursor = max(cursor, watcher.cursor)
            async for message in _keep_alive(news, over, watcher.feed):
                yield message


async def list_events(overview: Overview, storage: str, over: Callable[[], bool]) -> AsyncIterator[str]:
    """The list of studies, and again after every change, until `over`."""
    async with overview.feed.followed():
        await overview.feed.load()
        while not over():
            news = overview.feed.news
            yield event(overview.message(storage, time.time()))
            async for message in _keep_alive(news, over, overview.feed):
                yield message


async def _keep_alive(news: asyncio.Event, over: Callable[[], bool], feed: Feed[Any]) -> AsyncIterator[str]:
    """A short message from time to time, until there is news or the server stops."""
    sent = time.monotonic()
    while not over():
        try:
            await asyncio.wait_for(news.wait(), _STEP)
            return
        except TimeoutError:
            if time.monotonic() - sent >= _KEEP_ALIVE:
                sent = time.monotonic()
                yield event(text_of({"now": time.time(), "trouble": feed.trouble}))
