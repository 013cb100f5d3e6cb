"""Output of the workers appears above the live panel, line by line, instead of being mixed into it."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

#: File descriptors of stdout and stderr.
_STREAMS: Final = (1, 2)
#: Seconds between two checks whether capturing is over.
_PAUSE: Final = 0.1
#: The most bytes that a pipe holds by default, on Linux and macOS.
_PIPE: Final = 65536
#: Bytes after which a line is written though it has not ended.
_LINE: Final = 65536


@contextmanager
def terminal_behind_stderr() -> Iterator[TextIO]:
    """A file that writes to the terminal behind stderr, even while stderr itself is captured."""
    with os.fdopen(os.dup(2), "w", encoding=sys.stderr.encoding, errors="replace") as terminal:
        yield terminal


@contextmanager
def captured_output(write: Callable[[str], None]) -> Iterator[None]:
    """Pass everything that this process and its children print to the terminal to write(), in whole lines.

    The file descriptors are replaced, because children inherit those and not Python's streams. Only descriptors that
    lead to the terminal are replaced: a stdout redirected into a file stays redirected.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {stream: os.dup(stream) for stream in _STREAMS if os.isatty(stream)}
    source, sink = os.pipe()
    for stream in kept:
        os.dup2(sink, stream)
    os.close(sink)
    over = threading.Event()
    reader = threading.Thread(target=_read, args=(source, over, write), name="nonstop-output", daemon=True)
    reader.start()
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, original in kept.items():
            os.dup2(original, stream)
            os.close(original)
        over.set()
        reader.join()
        os.close(source)


def _read(source: int, over: threading.Event, write: Callable[[str], None]) -> None:
    """Read until `over` is set and the pipe is empty. A surviving child keeps the pipe open, so there may be no EOF,
    and may go on writing, so that no more is read in the end than a pipe can hold."""
    rest, left = b"", _PIPE
    while left > 0:
        last = over.is_set()
        if select.select([source], [], [], 0.0 if last else _PAUSE)[0]:
            chunk = os.read(source, 65536)
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > _LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                write(_final(line))
            left -= len(chunk) if last else 0
            if chunk:
                continue
            over.wait()  # EOF: every writer has closed the pipe
        if last or over.is_set():
            break
    if rest:
        write(_final(rest))


def _final(line: bytes) -> str:
    """The line as a terminal would show it: text overwritten after a carriage return is dropped."""
    return line.rstrip(b"\r").rpartition(b"\r")[2].decode(errors="replace")
