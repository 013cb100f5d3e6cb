"""Which trial a worker holds, as one integer in memory that it shares with the process that beats for it.

A message instead would wake that process with every trial, and take processor time from the workers. Number and attempt
are one integer, so that a kill never leaves half of them.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable
from ctypes import c_uint64, sizeof
from dataclasses import dataclass
from typing import IO, Final, Protocol

_ATTEMPT_LIMIT: Final = 2**32  # more attempts than a trial can have


def share_held(shared: c_uint64, held: tuple[int, int] | None) -> None:
    """Write which trial (number, attempt) a worker holds."""
    shared.value = 0 if held is None else held[0] * _ATTEMPT_LIMIT + held[1]


def read_held(shared: c_uint64) -> tuple[int, int] | None:
    """The trial (number, attempt) that the worker holds, or held when it ended."""
    return divmod(shared.value, _ATTEMPT_LIMIT) if shared.value else None


def all_held(shared: Iterable[c_uint64]) -> list[tuple[int, int]]:
    """The trials that these workers hold."""
    return [held for held in map(read_held, shared) if held is not None]


class Beating(Protocol):
    """Who beats for the trial that a worker holds, inside `with`."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_: object) -> None: ...

    def hold(self, held: tuple[int, int] | None) -> None:
        """Beat for this trial (number, attempt) from now on, and no longer for the last one."""


@dataclass(frozen=True, slots=True)
class BeatsElsewhere:
    """Implements Beating for a worker whose parent reads from shared memory what it holds, and beats for it."""

    shared: c_uint64

    def __enter__(self) -> None:
        """Nothing to start."""

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def hold(self, held: tuple[int, int] | None) -> None:
        """Tell the parent."""
        share_held(self.shared, held)


def shared_file(count: int) -> IO[bytes]:
    """A file without a name, for so many integers, all 0: processes that inherit its descriptor can share it."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    file.truncate(count * sizeof(c_uint64))
    return file


def integers_in(descriptor: int, count: int) -> list[c_uint64]:
    """The integers of a shared file."""
    size = sizeof(c_uint64)
    memory = mmap.mmap(descriptor, count * size)
    return [c_uint64.from_buffer(memory, place * size) for place in range(count)]
