"""What becomes of open databases when a process is forked: a connection belongs to one process only.

Before a fork, every database is locked and disconnects; afterwards both processes connect anew. A thread that forks
inside a transaction cannot wait for that: its child must not use the storage.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Final, Protocol


class Forkable(Protocol):
    """A database, as far as forks are concerned."""

    def before_fork(self) -> None:
        """Lock it, and disconnect."""

    def after_fork(self) -> None:
        """Unlock it."""

    def after_fork_in_child(self) -> None:
        """Unlock it in the child."""

    def abandon(self) -> None:
        """In a child that was forked inside a transaction: never use the connection, not even to close it."""


def watch(database: Forkable) -> None:
    """From now on, forks take care of this database, until it is garbage."""
    with _FORK_LOCK:
        _OPEN.add(database)


class Thread(threading.local):
    """How many transactions and forks are under way in this thread. A fork inside them must not wait for any lock:
    whoever has it may wait for this thread."""

    inside = 0

    def __enter__(self) -> None:
        self.inside += 1

    def __exit__(self, *_: object) -> None:
        self.inside -= 1


THREAD: Final = Thread()
_OPEN: weakref.WeakSet[Forkable] = weakref.WeakSet()
_FORKING: list[Forkable] = []  # those that the fork under way has locked
_FORK_LOCK = threading.Lock()  # for both: one thread forks at a time


def _before_fork() -> None:
    THREAD.inside += 1
    if THREAD.inside == 1:
        _FORK_LOCK.acquire()
        for database in list(_OPEN):
            database.before_fork()
            _FORKING.append(database)


def _after_fork() -> None:
    THREAD.inside -= 1
    if not THREAD.inside:
        while _FORKING:
            _FORKING.pop().after_fork()
        _FORK_LOCK.release()


def _after_fork_in_child() -> None:
    global _FORK_LOCK
    THREAD.inside -= 1
    if not THREAD.inside:
        while _FORKING:
            _FORKING.pop().after_fork_in_child()
    else:
        _FORKING.clear()
        for database in list(_OPEN):
            database.abandon()
    _FORK_LOCK = threading.Lock()  # the one there was may belong to a thread of the parent


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child)
