"""One connection, with the limits that uvicorn lacks: nobody can keep readers out by being slow, or by being many.

uvicorn waits without end for the rest of a request, and for a reader that does not read. Here a request must be
complete within seconds, an answer must move, and where there are too many connections, one that only waits gives way.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from nonstop.dashboard.security import HEADERS, MOST_HEAD

#: Open connections; a browser has up to six. Far below the open files that a process may have: 256 on macOS.
MOST_CONNECTIONS: Final = 100
#: New connections that wait to be accepted, and the most that are accepted at a time.
BACKLOG: Final = 64
#: Seconds between two looks at a connection.
_LOOK: Final = 5.0
#: Seconds after which a connection is closed: without a request under way, and with an answer that does not move.
_IDLE, _STUCK = 10.0, 30.0
#: Bytes that the parser gets at a time: it compares the length of an incomplete head with its limit after each piece.
_PIECE: Final = 4096


class Connection(H11Protocol):
    """uvicorn's protocol for one connection, and a look at it every few seconds."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place; the connection that has been waiting longest gives way if there is none."""
        there_is_room = len(self.connections) < MOST_CONNECTIONS or self._make_room()
        super().connection_made(transport)
        self._waits_since = self._moved_at = self.loop.time()
        self._left = 0
        self._next_look = self.loop.call_later(_LOOK, self._look)
        if not there_is_room:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """No more looks."""
        self._next_look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse in pieces, so that no head is parsed that is longer than allowed."""
        for start in range(0, len(data), _PIECE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _PIECE])

    def resume_writing(self) -> None:
        """The reader has read."""
        self._moved_at = self.loop.time()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """From now on the connection waits for the next request."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request. An answer that is under way ends: nothing may be mixed into it."""
        begun = self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE)
        if self.cycle is not None:
            self.cycle.disconnected = True  # what the application still has to say goes nowhere
        if not begun:
            too_long = len(self.conn.trailing_data[0]) > MOST_HEAD
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if too_long else HTTPStatus.BAD_REQUEST
            self.transport.write(_answer(status, msg))
        self.transport.close()

    @property
    def answering(self) -> bool:
        """Is an answer under way?"""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _dispensable(self) -> bool:
        return not self.answering or self.flow.write_paused

    def _make_room(self) -> bool:
        """Close the connection that has been waiting longest. False if all others have an answer that moves."""
        others = [other for other in self.connections if isinstance(other, Connection) and other._dispensable]
        if not others:
            return False
        longest = min(others, key=lambda other: other._waits_since)
        self.connections.discard(longest)
        longest.transport.abort()
        return True

    def _look(self) -> None:
        """Close the connection if no request came in time, or if the reader does not read; else look again later."""
        now, left = self.loop.time(), self.transport.get_write_buffer_size()
        if left < self._left or left == 0:
            self._moved_at = now
        self._left = left
        idle = not self.answering and left == 0 and now - self._waits_since >= _IDLE
        if idle or now - self._moved_at >= _STUCK:
            self.transport.abort()
        else:
            self._next_look = self.loop.call_later(_LOOK, self._look)


def _answer(status: HTTPStatus, why: str) -> bytes:
    headers = {**HEADERS, "content-type": "text/plain", "content-length": str(len(why)), "connection": "close"}
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", why]).encode("ascii")
